"""What configure.py wrote, held against what was asked; and the file of before, kept safe."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tfbuild.core.errors import ConfigureFailed
from tfbuild.core.interfaces import fill, placeholders
from tfbuild.core.records import Pairs, Toolchain
from tfbuild.sources.configure_script import ConfigureScript
from tfbuild.sources.rc_file import RcFile, RcLine, parse_rc
from tfbuild.sources.tensorflow_tree import CONFIGURED

_STALE = "Bazel would build with it all the same"
_AGAIN = "run the same command again; the log has what configure.py said"
_ASIDE = ".tfbuild-before"  # beside the file that a run replaces
WRITTEN = (CONFIGURED, "tools/python_bin_path.sh")
# Written near the end of a run, whatever was answered; the first that the script knows counts.
_LAST_LINES = (
    "test:v2 --build_tag_filters=",
    "test --build_tag_filters=",
    "test --test_size_filters=",
)


@contextmanager
def kept_safe(workspace: Path) -> Iterator[None]:
    """Set aside what an earlier configure.py wrote; where the new run fails, put it back.

    A run that was killed left the earlier files aside: they count, and not what it had begun.
    """
    files = [workspace / name for name in WRITTEN]
    for path in files:
        aside = path.with_name(path.name + _ASIDE)
        if not aside.exists() and path.exists():
            path.replace(aside)
        path.unlink(missing_ok=True)
    try:
        yield
    except BaseException:
        for path in files:
            path.unlink(missing_ok=True)
            aside = path.with_name(path.name + _ASIDE)
            if aside.exists():
                aside.replace(path)
        raise
    for path in files:
        path.with_name(path.name + _ASIDE).unlink(missing_ok=True)


def check_written(text: str, asked: Iterable[str], script: ConfigureScript) -> RcFile:
    """The rc file that a text is; ConfigureFailed where it is cut off or says something else.

    The exit status of configure.py proves nothing: it ends well with a stale file, and leaves a
    file that Bazel takes when it fails half way.
    """
    try:
        written = parse_rc(text, CONFIGURED)
    except ValueError as error:
        raise ConfigureFailed(
            f"{CONFIGURED} is broken",
            code="configured-rc-broken",
            why=f"{error}; {_STALE}",
            hint=_AGAIN,
        ) from error
    known = (line for line in _LAST_LINES if any(w.startswith(line) for w in script.writes))
    last = next(known, "")
    if last and not any(_starts(line, last) for line in written.lines):
        raise ConfigureFailed(
            f"{CONFIGURED} is cut off",
            code="configured-rc-cut-off",
            why=f"it lacks the line that ends it, {last}...; {_STALE}",
            hint=_AGAIN,
        )
    there = [option for line in written.lines for option in line.options]
    differences = [
        f"asked {option}, written {_instead(option, there)}"
        for option in asked
        if option not in there and not _is_empty(option, there)
    ]
    if differences:
        raise ConfigureFailed(
            "configure.py wrote something else than it was asked for",
            code="configure-answer-replaced",
            why="\n".join(differences),
            hint="it replaces values that it does not like, without a word: correct the one named",
        )
    return written


def filled_options(
    options: Iterable[str], settings: Pairs, toolchain: Toolchain
) -> tuple[str, ...]:
    """Planned options with the values that configure.py was given in this environment."""
    values = dict(settings)
    words = placeholders(toolchain) | {
        "python_library": values.get("PYTHON_LIB_PATH", ""),
        "c_compiler": values.get("GCC_HOST_COMPILER_PATH", ""),
        "cuda": values.get("TF_CUDA_PATHS", ""),
    }
    return tuple(fill(option, words) for option in options)


def change_lines(text: str, changes: Iterable[tuple[str, str]]) -> str:
    """A text with lines dropped (old, "") or replaced (old, new), each named by how it begins.

    Raises ConfigureFailed for a change that finds no line.
    """
    lines = text.splitlines()
    for old, new in changes:
        if not any(line.startswith(old) for line in lines):
            raise ConfigureFailed(
                f"no line of {CONFIGURED} begins with '{old}', which rc_changes would change",
                code="rc-change-not-found",
                why="configure.py of this release writes it in another way, or not at all",
                hint="look at the file, and correct rc_changes in the build file",
            )
        lines = [new if line.startswith(old) else line for line in lines]
        lines = [line for line in lines if line]
    return "".join(f"{line}\n" for line in lines)


def _starts(line: RcLine, beginning: str) -> bool:
    command = f"{line.command}:{line.config}" if line.config else line.command
    return any(f"{command} {option}".startswith(beginning) for option in line.options)


def _instead(option: str, there: list[str]) -> str:
    """What was written for the same variable or option, or `nothing`."""
    beginning = option[: option.rfind("=") + 1]
    found = [other for other in there if beginning and other.startswith(beginning)]
    return ", ".join(found) if found and beginning != "--config=" else "nothing of it"


def _is_empty(option: str, there: list[str]) -> bool:
    """Whether an empty value was asked and none was written: that is the same."""
    return option.endswith("=") and not any(other.startswith(option) for other in there)

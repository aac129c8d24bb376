"""How a tree is built on macOS and Windows, as text for there: tfbuild itself runs on Linux."""

import shlex
from collections.abc import Iterable

from tfbuild.core.errors import BadRequest
from tfbuild.core.versions import did_you_mean
from tfbuild.facts.build_rows import VariableRow
from tfbuild.facts.targets import all_targets
from tfbuild.sources.answers import make_answers
from tfbuild.sources.products import wheel_product
from tfbuild.sources.tensorflow_tree import TensorFlowTree

_LIBRARY = "import sysconfig; print(sysconfig.get_path('purelib'))"
_LINUX_ALONE = ("TF_NEED_CLANG",)  # asked on Linux; Windows asks it with other words and default


def script_for(tree: TensorFlowTree, rows: Iterable[VariableRow], platform: str) -> str:
    """A script of the commands for the CPU wheel: for sh, or for the command line of Windows.

    It was not run: the answers are those that the tree reads. Raises BadRequest for a platform
    that is none.
    """
    named = {t.version: t for t in all_targets() if t.system != "linux" and t.bazel}
    if platform not in named:
        raise BadRequest(
            f"there is no platform '{platform}'",
            code="script-platform-unknown",
            hint=did_you_mean(platform, named),
        )
    is_windows = named[platform].system == "windows"
    listed = tuple(rows)
    words = {"python": "%PYTHON%" if is_windows else "$PYTHON"}
    words["python_library"] = "%PYTHON_LIBRARY%" if is_windows else "$PYTHON_LIBRARY"
    answers = dict(make_answers(tree, listed, "cpu", words).variables)
    answers = {name: value for name, value in answers.items() if name not in _LINUX_ALONE}
    if is_windows:
        answers |= {
            row.name: row.answer
            for row in listed
            if row.device == "windows" and row.name in tree.configure.reads
        }
        answers["CC_OPT_FLAGS"] = "/arch:AVX"  # configure.py's own on Windows
        return _for_windows(tree, answers, platform)
    return _for_macos(tree, answers, platform)


def _for_macos(tree: TensorFlowTree, answers: dict[str, str], platform: str) -> str:
    product = wheel_product(tree, "cpu")
    config = platform.replace("-", "_")
    configs = ["--config=opt", *([f"--config={config}"] if config in tree.rc.configs else [])]
    lines = [
        "#!/bin/sh",
        f"# {_title(tree, platform)}",
        "set -eu",
        f"cd tensorflow-{tree.release}",
        'PYTHON="${PYTHON:-$(command -v python3)}"',
        f'PYTHON_LIBRARY="$("$PYTHON" -c {shlex.quote(_LIBRARY)})"',
    ]
    lines += [f"export {name}={_quoted(value)}" for name, value in answers.items()]
    lines += [
        '"$PYTHON" configure.py </dev/null',
        shlex.join(("bazel", "build", *configs, *product.flags, *product.targets)),
    ]
    if product.last_step:
        words = (w.replace("{bazel_bin}", "bazel-bin") for w in product.last_step)
        lines.append(shlex.join(w.replace("{result}", "wheel") for w in words))
    return "\n".join(lines) + "\n"


def _for_windows(tree: TensorFlowTree, answers: dict[str, str], platform: str) -> str:
    product = wheel_product(tree, "cpu")
    configs = ["--config=opt", *(["--config=win_clang"] if "win_clang" in tree.rc.configs else [])]
    asked = {"PYTHON": "import sys; print(sys.executable)", "PYTHON_LIBRARY": _LIBRARY}
    lines = [
        "@echo off",
        f"rem {_title(tree, platform)}",
        f"cd tensorflow-{tree.release} || exit /b 1",
        *(
            f'for /f "delims=" %%i in (\'python -c "{program}"\') do set {name}=%%i'
            for name, program in asked.items()
        ),
        *(f"set {name}={value}" for name, value in answers.items()),
        "%PYTHON% configure.py < NUL || exit /b 1",
        f"bazel build {' '.join((*configs, *product.flags, *product.targets))} || exit /b 1",
    ]
    if product.last_step:
        words = " ".join(product.last_step).replace("{bazel_bin}", "bazel-bin")
        lines.append(words.replace("{result}", "wheel").replace("/", "\\"))
    return "\r\n".join(lines) + "\r\n"


def _title(tree: TensorFlowTree, platform: str) -> str:
    return (
        f"TensorFlow {tree.release} on {platform}, Bazel {tree.bazel or tree.configure.bazel[1]}."
    )


def _quoted(value: str) -> str:
    """A value for sh; a variable of the script itself stays one."""
    return f'"{value}"' if value.startswith("$PYTHON") else shlex.quote(value)

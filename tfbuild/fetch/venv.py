"""Fresh virtual environments, outside any source tree, in which a wheel is tried and measured."""

import hashlib
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tfbuild.core.any_tree import remove_tree, remove_what_can
from tfbuild.core.child_environment import own_module
from tfbuild.core.errors import CommandFailed, EnvironmentFailed
from tfbuild.core.file_locks import wait_for_lock
from tfbuild.core.interfaces import Runner, Tools, Watch
from tfbuild.core.layout import ENVIRONMENTS
from tfbuild.core.parts import part_folder, sweep
from tfbuild.core.paths import PACKAGE, data_folder
from tfbuild.core.records import Artifact, Command, Completed
from tfbuild.fetch.seals import find_damage, seal_tree
from tfbuild.fetch.wheelhouse import fetch, fitting_flags

_UNSET = ("PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "VIRTUAL_ENV", "LD_LIBRARY_PATH")


@dataclass(frozen=True, slots=True, kw_only=True)
class Venv:
    """A virtual environment, and an empty folder in which probes run.

    What this side writes for it lies in folder. What its programs write lies in written, which is
    the same where they run here; in a container they only read the former.
    """

    folder: Path
    written: Path

    @property
    def environment(self) -> Path:
        """The folder of the environment itself."""
        return self.written / "env"

    @property
    def python(self) -> str:
        """Its interpreter."""
        return str(self.environment / "bin" / "python")

    @property
    def scratch(self) -> Path:
        """Where probes run: nothing of ours can be imported from there by accident."""
        return self.written / "scratch"


@contextmanager
def open_venv(tools: Tools, *, python: str, wheels: Sequence[Path], stage: str) -> Iterator[Venv]:
    """A new environment of that interpreter with exactly these wheels; gone when left.

    Raises EnvironmentFailed when it cannot be made or a wheel does not install.
    """
    base = ENVIRONMENTS.path(tools.folders.cache)
    base.mkdir(parents=True, exist_ok=True)
    sweep(base)
    with part_folder(base, stage) as folder:
        guest = tools.guest_folder
        venv = Venv(folder=folder, written=guest / folder.name if guest else folder)
        try:
            _make(tools, venv, python, stage)
            _install(tools, venv, wheels, python, stage)
            yield venv
        finally:
            remove_what_can(venv.written)


def provide_programs(
    tools: Tools, *, python: str, artifacts: Sequence[Artifact], programs: Sequence[str]
) -> Path:
    """A folder with these programs of wheels, and no others; made once, and kept in the cache.

    They are run, so they are sealed: what has changed since is made anew. Raises EnvironmentFailed
    when a wheel does not install or lacks a program, and what fetch raises.
    """
    words = "\n".join([python, *sorted(programs), *sorted(a.sha256 for a in artifacts)])
    name = f"programs-{hashlib.sha256(words.encode()).hexdigest()[:16]}"
    folder = ENVIRONMENTS.path(tools.folders.cache) / name
    folder.mkdir(parents=True, exist_ok=True)
    venv = Venv(folder=folder, written=folder)
    with wait_for_lock(folder / "lock"):
        if not _are_whole(venv, programs):
            _make_programs(tools, venv, python, artifacts, programs)
    os.utime(folder)
    return folder / "bin"


def python_version(tools: Tools, python: str) -> str:
    """The version of an interpreter, 3.11; EnvironmentFailed when it does not run."""
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    words = Command(argv=(python, "-I", "-c", code), purpose="ask its version", quiet=True)
    try:
        return tools.trial.run(words).stdout.strip()
    except CommandFailed as error:
        raise EnvironmentFailed(
            f"{python} does not run",
            code="interpreter-not-running",
            why=error.why,
            hint="name an interpreter that works",
        ) from error


def run_probe(
    tools: Tools,
    venv: Venv,
    probe: str,
    words: Sequence[str],
    *,
    timeout: float,
    watch: Watch | None = None,
) -> Completed:
    """Run one script of probes/ in the environment; any exit code comes back, also a signal's.

    Raises CommandTimedOut when it runs past its time.
    """
    return tools.trial.run(
        Command(
            argv=(venv.python, str(venv.folder / "probes" / f"{probe}.py"), *words),
            stage=probe.partition("_")[0],
            purpose=probe,
            cwd=str(venv.scratch),
            unset=_UNSET,
            env=(("PYTHONNOUSERSITE", "1"), ("PYTHONHASHSEED", "0"), ("PYTHONFAULTHANDLER", "1")),
            timeout=timeout,
            ok_codes=tuple(range(-64, 256)),
            quiet=True,
        ),
        watch,
    )


def _make(tools: Tools, venv: Venv, python: str, stage: str) -> None:
    _make_scratch(tools, venv)
    probes, unkept = venv.folder / "probes", shutil.ignore_patterns("__pycache__")
    shutil.copytree(PACKAGE / "probes", probes, ignore=unkept)
    shutil.copytree(data_folder("runtime") / "examples", probes / "examples", ignore=unkept)
    _make_environment(tools, venv, python, stage)


def _make_scratch(tools: Tools, venv: Venv) -> None:
    if tools.guest is None:
        venv.scratch.mkdir()
        return
    words = ("mkdir", "-p", str(venv.scratch))
    tools.guest.run(Command(argv=words, purpose="make a folder", quiet=True))


def _are_whole(venv: Venv, programs: Sequence[str]) -> bool:
    """Whether the programs are there as they were made, and their folder holds no others."""
    links = {program: str(venv.environment / "bin" / program) for program in programs}
    try:
        there = {path.name: str(path.readlink()) for path in (venv.folder / "bin").iterdir()}
    except OSError:  # none, or what is no link
        return False
    return there == links and not find_damage(venv.environment)


def _make_programs(
    tools: Tools, venv: Venv, python: str, artifacts: Sequence[Artifact], programs: Sequence[str]
) -> None:
    """The environment of wheels, and links to its programs in a folder without its Python.

    What a killed run has left of it goes first: an environment cannot be moved into place.
    """
    for left in ("env", "scratch", "tmp", "bin"):
        remove_tree(venv.folder / left)
    venv.scratch.mkdir()
    wheels = fetch(artifacts, tools, python=python)
    _make_environment(tools, venv, python, "tools")
    _install(tools, venv, wheels, python, "tools")
    _compile(tools, venv)
    (venv.folder / "bin").mkdir()
    for program in programs:
        if not (venv.environment / "bin" / program).is_file():
            raise EnvironmentFailed(
                f"the wheels of {', '.join(a.distribution for a in artifacts)} have no {program}",
                code="wheels-lack-program",
                hint="install it with the system's packages",
            )
        (venv.folder / "bin" / program).symlink_to(venv.environment / "bin" / program)
    seal_tree(venv.environment, None)


def _compile(tools: Tools, venv: Venv) -> None:
    """Compile all modules, so that those that run write nothing more into the environment."""
    words = (venv.python, "-I", "-m", "compileall", "-q", str(venv.environment / "lib"))
    tools.trial.run(
        Command(
            argv=words,
            purpose="compile modules",
            cwd=str(venv.scratch),
            unset=_UNSET,
            ok_codes=(0, 1),  # files that are no modules of this Python
            quiet=True,
        )
    )


def _make_environment(tools: Tools, venv: Venv, python: str, stage: str) -> None:
    try:
        tools.trial.run(
            Command(
                argv=(python, "-I", "-m", "venv", "--without-pip", str(venv.environment)),
                stage=stage,
                purpose="make a virtual environment",
                cwd=str(venv.scratch),
                unset=_UNSET,
                quiet=True,
            )
        )
    except CommandFailed as error:
        raise EnvironmentFailed(
            f"{python} cannot make a virtual environment",
            code="venv-not-made",
            why=error.why,
            hint="install its venv module, on Debian and Ubuntu: apt install python3-venv",
            log=error.log,
        ) from error


def _install(tools: Tools, venv: Venv, wheels: Sequence[Path], python: str, stage: str) -> None:
    """Install the files themselves: no index is asked, no requirement is added.

    Into an environment of another system this side writes nothing: it takes over what it is given.
    """
    try:
        tools.runner.run(
            Command(
                argv=(
                    *_installer(tools, venv, python),
                    *("--no-index", "--no-deps", "--no-compile", "--no-cache-dir"),
                    # As addresses: in a path pip takes a semicolon for the end of a name.
                    *(wheel.absolute().as_uri() for wheel in wheels),
                ),
                stage=stage,
                purpose="install " + ", ".join(wheel.name.split("-")[0] for wheel in wheels),
                cwd=str(venv.scratch),
                unset=_UNSET,
                env=(("TMPDIR", str(_temporary(venv))),),
                quiet=True,
            )
        )
        if tools.guest is not None:
            _take_over(tools.guest, venv, python_version(tools, python))
    except CommandFailed as error:
        raise EnvironmentFailed(
            "the wheel does not install into a fresh environment",
            code="wheel-not-installable",
            why=error.why,
            hint=f"{wheels[-1].name} must fit the interpreter {venv.python}: compare their tags"
            if wheels
            else "see the log",
            log=error.log,
        ) from error


def _take_over(guest: Runner, venv: Venv, version: str) -> None:
    """Let the other system copy the packages into its environment."""
    packages = venv.environment / "lib" / f"python{version}" / "site-packages"
    words = ("cp", "-a", f"{_given(venv)}/.", str(packages))
    guest.run(Command(argv=words, purpose="take over the packages", quiet=True))
    remove_tree(_given(venv))


def _given(venv: Venv) -> Path:
    return venv.folder / "packages"


def _temporary(venv: Venv) -> Path:
    """Where pip puts what it will not need: a pip that is killed leaves nothing elsewhere."""
    folder = venv.folder / "tmp"
    folder.mkdir(exist_ok=True)
    return folder


def _installer(tools: Tools, venv: Venv, python: str) -> tuple[str, ...]:
    """pip of this installation, for the new environment; one of another system is only filled.

    There pip would hold the Pythons that a release is for against the one it runs on itself.
    """
    pip = own_module("pip")
    options = ("--isolated", "--disable-pip-version-check")
    if tools.guest is None:
        return (*pip, "--python", venv.python, *options, "install", "--quiet")
    version = python_version(tools, python)
    fitting = fitting_flags(tools, version)
    flags = ("--quiet", "--ignore-requires-python", "--target", str(_given(venv)))
    return (*pip, *options, "install", *flags, *fitting)

"""Tries TensorFlow's C++ library: programs compiled and run against its folder, as users would."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path

from tfbuild.containers.engine import Mount
from tfbuild.core.interfaces import Runner, Tools
from tfbuild.core.paths import file_digest
from tfbuild.core.records import Pairs, Plan
from tfbuild.core.reports import Rung
from tfbuild.core.safe_files import read_text
from tfbuild.places.container import open_container
from tfbuild.places.place import open_here
from tfbuild.products.trial import Trial, TrialSkipped, require_output, rung
from tfbuild.recipes.recipe import Product

MODULE = "tensorflow_cc"  # of pkg-config
_PROGRAMS = {
    "c": Path(__file__).with_name("library_smoke.c"),
    "c++": Path(__file__).with_name("library_smoke.cc"),
}
_PACKAGES = ("gcc", "g++", "libc6-dev", "pkg-config")
_SUM = "2 + 3 = 5"


def programs_digest() -> list[str]:
    """Digests of the programs that are tried."""
    return [file_digest(path) for path in _PROGRAMS.values()]


def try_library(
    folder: Path, libraries: tuple[str, ...], plan: Plan, tools: Tools, aside: Path
) -> tuple[Rung, ...]:
    """What came of a program in C and one in C++, each of which adds two numbers in a session.

    folder is the library's, libraries are its files in it, and aside is an empty folder for the
    trials. They run on this machine, or in a container of the system that it was built in. Raises
    what opening that raises.
    """
    given, work = aside / "given", aside / "work"
    given.mkdir()
    work.mkdir()
    if plan.environment.kind == "docker" and not plan.environment.system.name:
        reason = "it was built in an image of yours: try it on such a system"
        return (Rung(name="C interface", state="skipped", reason=reason),)
    with _place(plan, tools, (folder, given), work) as place:
        trial = Trial(
            product=folder,
            given=given,
            work=work,
            place=place,
            promised=Product(libraries=libraries),
        )
        return (
            rung("C interface", partial(_try, trial, "c", f"{plan.tree.release}: {_SUM}")),
            rung("C++ interface", partial(_try, trial, "c++", _SUM)),
        )


# --- inside ------------------------------------------------------------------------------------


def _place(
    plan: Plan, tools: Tools, read: tuple[Path, ...], work: Path
) -> AbstractContextManager[Runner]:
    if plan.environment.kind == "host":
        return nullcontext(open_here((), tools))
    return _inside(plan, tools, read, work)


@contextmanager
def _inside(plan: Plan, tools: Tools, read: tuple[Path, ...], work: Path) -> Iterator[Runner]:
    mounts = [Mount(source=str(path), target=str(path)) for path in read]
    mounts.append(Mount(source=str(work), target=str(work), writable=True))
    place = plan.environment
    with open_container(
        tools,
        system=place.system,
        packages=_PACKAGES,
        mounts=tuple(mounts),
        cpus=place.cpus,
        memory_mb=place.memory_mb,
    ) as container:
        yield container.runner


def _try(trial: Trial, language: str, prints: str) -> Pairs:
    """Compile by what pkg-config says, where there is one, and run."""
    module = MODULE if trial.has("pkg-config") else ""
    if not module and language == "c++":
        raise TrialSkipped("there is no pkg-config, which says how it is linked")
    if not trial.has("c++" if language == "c++" else "cc"):
        raise TrialSkipped(f"there is no compiler of {language}")
    source = _PROGRAMS[language]
    cwd = trial.new_folder(source.name)
    text = trial.give(cwd, source.name, read_text(source))
    program = trial.compile(text, language, module, cwd=cwd)
    require_output(trial.run(f"run {source.name}", [str(program)], cwd=cwd), prints)
    return (("printed", prints),)

"""A checkout with files that a stranger has planted where tfbuild keeps or delivers something.

Each looks as if tfbuild had left it: the records are written by its own functions, so that every
checksum in them is right. Nothing of a folder outside may be touched, and nothing planted may be
run or delivered.
"""

import os
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.attack.oracles import Canary, make_canary
from benchmarks.attack.trial import Call, fresh
from tests.shared_libraries import tiny_wheel
from tfbuild.bazel.failed_action import FailedAction, FailedActions
from tfbuild.core.kept_json import write_kept
from tfbuild.core.layout import FAILED_ACTIONS, LOG, RUNS, WORK
from tfbuild.core.yaml_file import parse_yaml, to_yaml

_LOCK = Path(__file__).resolve().parent.parent.parent / "tests" / "golden" / "build.lock.yaml"
_PROJECT = "project"
_WORK = ".tfbuild"
_OUTPUT = "dist"
_WHEEL = "planted_thing-9-py3-none-any.whl"
_RUN = "20260101-000000-{:06x}"
_NOBODY = 4_194_304  # no process has so high a number
_DELIVERED = ("report.json", "report.html", "report.txt", "sbom.cdx.json", "lock.yaml")
# Modules that programs of ours import, and programs that they start, by the name of a file.
_MODULES = (
    "pip", "auditwheel", "venv", "ensurepip", "json", "tfbuild", "sitecustomize", "usercustomize",
    "site", "subprocess", "patchelf", "encodings", "typing", "_distutils_hack", "wheel", "numpy",
)  # fmt: skip
_PROGRAMS = ("gcc", "g++", "git", "bazel", "python3", "ldd", "sh", "docker", "patchelf", "nvcc")
_WORDS: tuple[tuple[str, ...], ...] = (
    *[("build",)] * 4, *[("debug",)] * 4, ("build", "--lock", "a.lock.yaml"), ("plan",),
    ("build", "--skip-perf"), ("debug", "--json"), ("debug", "--print"), ("doctor",),
    ("resolve", "--here"),
    ("cache", "show"), ("config", "show"), ("audit", "tiny.whl"), ("facts", "verify", _OUTPUT),
    ("diagnose", f"{_WORK}/runs/last/{LOG}"), ("env", "dockerfile", "-o", "Dockerfile"),
    ("ci", "github", "--install", ".", "-o", "ci.yml"), ("build", "--workspace", "."),
    ("smoke", "tiny.whl"), ("resolve", "--lock", "new.lock.yaml"),
    ("ci", "github", "--install", ".", "-o", ".github/workflows/ci.yml"),
    ("env", "dockerfile", "-o", "docker/Dockerfile"), ("env", "devcontainer", "-o", "docker"),
    ("resolve", "--lock", "docker/new.lock.yaml"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class PlantedState:
    """Makes checkouts in which something was planted; a command is given in each."""

    wheel: bytes
    wheel_name: str

    def make(self, chance: random.Random, folder: Path) -> Call:
        """One to five plants in a checkout, and a canary beside it."""
        canary = make_canary(fresh(folder.with_name(f"{folder.name}.canary")), chance)
        project = folder / _PROJECT
        project.mkdir()
        (project / self.wheel_name).write_bytes(self.wheel)
        for _ in range(chance.randint(1, 5)):
            chance.choice(PLANTS)(project, canary, chance)
        words = tuple(self.wheel_name if w == "tiny.whl" else w for w in chance.choice(_WORDS))
        planted = visible(project / _OUTPUT)

        def after(said: bytes) -> str:
            if fault := canary.fault(said, folder):
                return fault
            foreign = visible(project / _OUTPUT) - planted
            return f"delivered: {min(foreign)}" if foreign else ""

        return Call(words=words, place=_PROJECT, after=after)


def planted_state(stock: Path) -> PlantedState:
    """The maker."""
    stock.mkdir(parents=True, exist_ok=True)
    wheel = tiny_wheel(stock)
    return PlantedState(wheel.read_bytes(), wheel.name)


def visible(folder: Path) -> set[str]:
    """The names in a folder that do not begin with a dot; none where it is a link."""
    if folder.is_symlink() or not folder.is_dir():
        return set()
    return {path.name for path in folder.iterdir() if path.name[0] != "."}


def foreign_modules(folder: Path, canary: Canary) -> None:
    """Modules and programs named as those that are wanted; each leaves its mark when it runs."""
    for name in _MODULES:
        path = folder / f"{name}.py"
        if not _is_there(path):
            path.write_text(f"open({str(canary.mark)!r}, 'w').close()\n")
    for name in (*_PROGRAMS, "planted.sh"):
        _program(folder / name, canary)


# --- what is planted ---------------------------------------------------------------------------


def _delivery(project: Path, canary: Canary, chance: random.Random) -> None:
    """What looks like a delivery that was cut off; its files are elsewhere, or a wheel."""
    name = chance.choice((f".tfbuild.{_NOBODY + chance.randrange(9)}.part", ".tfbuild.x.part"))
    aside = project / _OUTPUT / name
    if _is_there(project / _OUTPUT, folder=True) or _is_there(aside):
        return
    aside.mkdir(parents=True)
    (aside / "old").mkdir()
    (aside / "last").write_text(_WHEEL)
    new = aside / "new"
    match chance.randrange(4):
        case 0:
            new.symlink_to(canary.folder / "keys")
            (aside / "last").write_text("id_secret")
        case 1:
            new.mkdir()
            (new / _WHEEL).symlink_to(canary.key)
        case 2:
            new.mkdir()
            (new / _WHEEL).write_bytes(b"planted")
            (new / "report.json").write_text("{}")
        case _:
            new.mkdir()
            (new / _WHEEL).write_bytes(b"planted")
            (project / _OUTPUT / _WHEEL).symlink_to(canary.key)


def _half_made(project: Path, canary: Canary, chance: random.Random) -> None:
    """What looks half made and abandoned, and leads outside."""
    folder = project / chance.choice((_OUTPUT, _WORK, "."))
    if _is_there(folder, folder=True):
        return
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f".{chance.choice(_DELIVERED)}.{_NOBODY + chance.randrange(9)}.part"
    if not _is_there(path):
        path.symlink_to(chance.choice((canary.folder, canary.folder / "keys", canary.key)))


def _links(project: Path, canary: Canary, chance: random.Random) -> None:
    """Links at names that tfbuild writes; also at those that a process of a near number would."""
    near = os.getpid() + chance.randrange(1, 60)
    names = [place.name for place in WORK] + [LOG, f"{RUNS.name}/last", "lock"]
    inside = [f"{_WORK}/{name}" for name in names]
    beside = [f"{_OUTPUT}/{name}" for name in (*_DELIVERED, "lock", f".report.json.{near}.part")]
    for name in chance.sample([*inside, *beside, _WORK, _OUTPUT, "Dockerfile", "ci.yml"], 6):
        path = project / name
        if _is_there(path) or _is_there(path.parent, folder=True):
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        ends = ("keys/id_secret", "notes/a.txt", "new", "keys", "notes/new")
        path.symlink_to(canary.folder / chance.choice(ends))


def _failed_actions(project: Path, canary: Canary, chance: random.Random) -> None:
    """A run whose failed action is any program, with its checksum."""
    run = project / _WORK / RUNS.name / _RUN.format(chance.randrange(1 << 24))
    if any(_is_there(path, folder=True) for path in (project / _WORK, run.parent)):
        return
    run.mkdir(parents=True, exist_ok=True)
    action = FailedAction(
        label="//x:y", mnemonic="CppCompile", argv=("touch", str(canary.mark)), env=(),
        folder=str(project), sandbox="", output="x.o", exit_code=1,
    )  # fmt: skip
    kept = FailedActions(
        run=run.name, source=str(project), environment="host", bazel_version="7.4.1",
        actions=(action,),
    )  # fmt: skip
    write_kept(run / FAILED_ACTIONS, "failed actions", kept)
    (run / LOG).write_text("\x1b]0;planted\x07 ERROR: //x:y failed\u202e\n")


def _modules(project: Path, canary: Canary, chance: random.Random) -> None:
    """Modules and programs in the current folder."""
    foreign_modules(project, canary)


def _lock(project: Path, canary: Canary, chance: random.Random) -> None:
    """A lock whose words are an address for pip, with code that it runs; a project may name it."""
    evil = project / "evil"
    if any(_is_there(path) for path in (evil, project / "a.lock.yaml")):
        return
    evil.mkdir()
    # pip runs such a module before it knows whether a wheel comes out.
    (evil / "pyproject.toml").write_text(
        '[build-system]\nrequires = []\nbuild-backend = "evil"\nbackend-path = ["."]\n'
    )
    (evil / "evil.py").write_text(f"open({str(canary.mark)!r}, 'w').close()\n")
    document = parse_yaml(_LOCK.read_text())
    for artifact in document["artifacts"]:
        if chance.random() < 0.5:
            field = chance.choice(("distribution", "version"))
            artifact[field] += chance.choice((f" @ {evil.as_uri()} #", f"\n{evil}", f"\n-e {evil}"))
    (project / "a.lock.yaml").write_text(to_yaml(document))
    if chance.random() < 0.2 and not _is_there(project / "pyproject.toml"):
        (project / "pyproject.toml").write_text('[tool.tfbuild]\nlock = "a.lock.yaml"\n')


def _repository(project: Path, canary: Canary, chance: random.Random) -> None:
    """A Git repository and settings of other programs that name a program to run."""
    git = project / ".git"
    if git.exists():
        return
    for below in ("objects", "refs/heads", "hooks"):
        (git / below).mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    ran = f"touch {canary.mark}"
    (git / "config").write_text(
        f'[core]\n\trepositoryformatversion = 0\n\tfsmonitor = "{ran}; false"\n'
        f'\tpager = "{ran}"\n\tsshCommand = "{ran}"\n[alias]\n\trev-parse = "!{ran}"\n'
    )
    _program(git / "hooks" / "post-index-change", canary)
    (project / ".bazelrc").write_text(f"startup --server_javabase={project}\n")
    (project / ".pdbrc").write_text(f"import os; os.system({ran!r})\n")
    (project / ".env").write_text(f"PATH={project}\n")


def _above(project: Path, canary: Canary, chance: random.Random) -> None:
    """A link in the place of a folder above a file that is asked for by its usual name."""
    path = project / chance.choice((".github", "docker"))
    if not _is_there(path):
        path.symlink_to(canary.folder)


PLANTS: tuple[Callable[[Path, Canary, random.Random], None], ...] = (
    _delivery, _half_made, _links, _failed_actions, _modules, _lock, _repository, _above,
)  # fmt: skip


# --- inside ------------------------------------------------------------------------------------


def _program(path: Path, canary: Canary) -> None:
    if not _is_there(path):
        path.write_text(f"#!/bin/sh\n: > '{canary.mark}'\n")
        path.chmod(0o755)


def _is_there(path: Path, *, folder: bool = False) -> bool:
    """Whether something is there; with folder, something else than a folder of the checkout."""
    return os.path.lexists(path) and not (folder and path.is_dir() and not path.is_symlink())

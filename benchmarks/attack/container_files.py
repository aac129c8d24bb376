"""What a container has left, read by this side: its build is played, without an engine.

A recipe's step is carried out by its real driver in a place whose programs are ours: what they
write and say is anything. Then its product is laid out, packed, audited, reported and unpacked, its
source code staged again, what Bazel in a container reports is read, and all of it removed. Nothing
outside may be touched, read into a product or waited for, and what is delivered is plain files.
"""

import json
import os
import random
import shutil
import stat
import sys
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

from benchmarks.attack.container_writes import Hold, write_some
from benchmarks.attack.oracles import make_canary, unprintable
from benchmarks.attack.rights import drop_rights
from benchmarks.attack.trial import Call, fresh
from benchmarks.attack.warm import SHUT, let_programs_run
from tests.fakes import RecordingReporter, a_host
from tests.products.products import a_plan, a_source, installed
from tfbuild.bazel.events import EventFile
from tfbuild.bazel.explanation import lines_of
from tfbuild.bazel.failed_action import read_failed_actions
from tfbuild.bazel.profile import read_profile
from tfbuild.core.any_tree import remove_tree
from tfbuild.core.errors import TfbuildError
from tfbuild.core.interfaces import Tools, Watch
from tfbuild.core.layout import EFFECTIVE, EVENTS, EXCHANGE, EXPLAIN, PROFILE
from tfbuild.core.paths import Folders, file_digest
from tfbuild.core.process import ProcessRunner
from tfbuild.core.records import Command, Completed
from tfbuild.core.run_folder import make_work
from tfbuild.core.system_errors import foreseen
from tfbuild.drivers.driver import Site, driver_of
from tfbuild.facts.targets import find_target
from tfbuild.inputs.stage import stage
from tfbuild.places.folders import BuildFolders, folders_of, make_folders
from tfbuild.places.place import Place
from tfbuild.products.archive import pack
from tfbuild.products.audit import audit_product
from tfbuild.products.layout import lay_out
from tfbuild.products.needed import needed_packages
from tfbuild.products.probes import unpack_trial
from tfbuild.products.sbom import product_sbom
from tfbuild.recipes.records import (
    BuildStep,
    CMakeBuild,
    ConfigureMake,
    Input,
    MesonBuild,
    ProductPlan,
    ProductReport,
)
from tfbuild.reporting.console import ConsoleReporter, print_text
from tfbuild.run.report import write_report
from tfbuild.sources.effective import read_effective

_SECONDS = 120.0  # the disk has thousands of files and folders to make and remove
_HOLES = (1 << 31, 1 << 34, 1 << 40, 1 << 43)
_STEP = {"folder": "", "arguments": (), "targets": (), "environment": ()}
_STEPS: dict[str, BuildStep] = {
    "cmake": CMakeBuild(**_STEP, expect=(("BUILD", "on"),)),  # type: ignore[arg-type]
    "configure": ConfigureMake(**_STEP, expect=(("BUILD", "yes"),)),  # type: ignore[arg-type]
    "meson": MesonBuild(**_STEP, expect=(("build", "on"),)),  # type: ignore[arg-type]
}
_BUILT = {
    "CMakeCache.txt": "# of a build\nBUILD:BOOL=ON\nCMAKE_HOME_DIRECTORY:INTERNAL=x\n",
    "config.h": "#define BUILD yes\n#undef OTHER\n", "Makefile": "BUILD=yes\nall:\n",
    "config.log": "configure: said\n", "out/tool": "#!/bin/sh\nA=/opt/tiny\n", "out/a.h": "int a;",
}  # fmt: skip
_EVENTS = (
    {"optionsParsed": {"cmdLine": ["--copt=-O2", "--jobs=2"]}},
    {"id": {"actionCompleted": {"primaryOutput": "bazel-out/k8/bin/a.o", "label": "//:a"}},
     "action": {"success": False, "label": "//:a", "type": "CppCompile", "exitCode": 1,
                "commandLine": ["gcc", "a.c"], "stderr": {"uri": "file:///etc/hostname"},
                "failureDetail": {"message": "(cd /x && exec env - PATH=/bin gcc a.c)"}}},
    {"progress": {"stderr": "(cd /x && \\\n  exec env - \\\n    A=b \\\n  gcc a.c)\n"}},
    {"id": {"targetCompleted": {"label": "//:a"}},
     "completed": {"success": True, "outputGroup": [{"fileSets": [{"id": "0"}]}]}},
    {"id": {"namedSet": {"id": "0"}}, "namedSetOfFiles": {"files": [{"uri": "file:///x/bin/a"}]}},
    {"aborted": {"description": "it was aborted"}},
)  # fmt: skip
_SAYS = (
    "", "tiny", "\x1b[31m\u202e", "\0", "x" * 100_000, "a b\n" * 5000, "[]", "{}", "[" * 50_000,
    '[{"name": "build", "value": true}]', '[{"name": [], "value": {}}]', '[7]',
    "libc.so.6 libc6\nlibc6 2.36\n", "libc.so.6 \x1b[2J\nlibc.so.6 a b\n", "gcc (GCC) 12\r\x07",
)  # fmt: skip
_DELIVERED = "delivered"


@dataclass(frozen=True, slots=True)
class ContainerFiles:
    """Makes a work folder, a source tree and the numbers that decide what the container does."""

    stock: Path

    def make(self, chance: random.Random, folder: Path) -> Call:
        """The words: the stock, a build system, the number, and the folder outside."""
        canary = make_canary(fresh(folder.with_name(f"{folder.name}.canary")), chance)
        shutil.copytree(self.stock / "tree", folder / "tree")
        (folder / "holes").mkdir()
        for size in _HOLES:
            (folder / "holes" / str(size)).touch()
            os.truncate(folder / "holes" / str(size), size)
        system = chance.choice(tuple(_STEPS))
        words = (str(self.stock), system, str(chance.getrandbits(32)), str(canary.folder))
        return Call(
            words=words, after=lambda said: canary.fault(said, folder / _DELIVERED),
            seconds=_SECONDS,
        )  # fmt: skip


def container_files(stock: Path) -> ContainerFiles:
    """The maker; what an honest build installs is compiled once."""
    stock.mkdir(parents=True, exist_ok=True)
    installed(stock / "stage", a_source(stock / "tree"))
    for name, text in _BUILT.items():
        (stock / "build" / name).parent.mkdir(parents=True, exist_ok=True)
        (stock / "build" / name).write_text(text)
    (stock / "tree" / "configure").write_text("#!/bin/sh\n")
    (stock / "exchange").mkdir()
    lines = "".join(f"{json.dumps(event)}\n" for event in _EVENTS)
    for place in (EVENTS, EFFECTIVE):
        place.path(stock / "exchange").write_text(lines)
    EXPLAIN.path(stock / "exchange").write_text("Executing action 'Compiling a.c': it was new\n")
    PROFILE.path(stock / "exchange").write_text('{"traceEvents": [{"dur": 1, "cat": "a"}]}')
    return ContainerFiles(stock)


def read_left() -> None:
    """Let the container do its work, and do ours; ends with the code of the first error."""
    stock, system, seed, outside = sys.argv[1:]
    drop_rights()
    let_programs_run()
    trial = _trial(Path(stock), _STEPS[system], random.Random(seed), Path(outside))
    code = 0
    for act in (_build, _deliver, _build, _deliver, _listen, _clean):
        try:
            act(trial)
        except Exception as error:
            known = error if isinstance(error, TfbuildError) else foreseen(error)
            if known.code == "internal-error" or known.hint == SHUT:
                raise
            ConsoleReporter().error(known)
            code = code or known.exit_code
    sys.exit(code)


# --- the container's part ----------------------------------------------------------------------


@dataclass(slots=True)
class _Guest:
    """The programs of the place; what they leave and say comes from its dice."""

    stock: Path
    folders: BuildFolders
    outside: Path
    holes: Path
    chance: random.Random
    eagerness: float = 0.0  # how probable it is that it writes into a folder that it comes to

    def run(self, command: Command, watch: Watch | None = None) -> Completed:
        program = command.argv[0]
        is_asked = command.purpose.startswith("which package")
        if program in {"sh", "cp", "find", "strip"} and not is_asked:
            done = ProcessRunner().run(replace(command, quiet=True), watch)
            if program == "strip" and self.chance.random() < 0.1:
                self.write(self.folders.exchange)
            return done
        match command.stage:
            case "configure":
                shutil.copytree(self.stock / "build", self.folders.build, dirs_exist_ok=True)
                self.write(self.folders.source, self.folders.build)
            case "build":
                self.write(self.folders.build)
            case "install":
                self._install()
            case _:
                pass
        said = self.chance.choice(_SAYS)
        for line in said.splitlines():
            if watch:
                watch(line)
        return Completed(code=0, stdout=said)

    def write(self, *folders: Path) -> None:
        """Write something into some of these folders."""
        for folder in folders:
            if self.chance.random() < self.eagerness:
                write_some(Hold(folder, self.outside, self.holes, self.chance))

    def exchange_all(self, seconds: float) -> None:
        """Be a program that goes on: what lies in the stage becomes a link and a file, in turns."""
        if os.fork():
            return
        hold = Hold(self.folders.stage, self.outside, self.holes, self.chance)
        end = time.monotonic() + seconds
        try:
            while time.monotonic() < end and (path := hold.file()):
                aside = path.with_name("aside")
                aside.unlink(missing_ok=True)
                aside.symlink_to(self.outside / "keys" / "id_secret")
                kept = path.with_name("kept")
                path.rename(kept)
                aside.rename(path)
                kept.rename(path)
        finally:
            os._exit(0)

    def _install(self) -> None:
        shutil.copytree(self.stock / "stage", self.folders.stage, symlinks=True, dirs_exist_ok=True)
        self.write(self.folders.stage, self.folders.build, self.folders.source)


@dataclass(slots=True)
class _Trial:
    """One build, and what this side knows of it."""

    tools: Tools
    folders: BuildFolders
    plan: ProductPlan
    step: BuildStep
    place: Place
    guest: _Guest
    tree: Path
    out: Path
    digest: str = field(default="")


def _trial(stock: Path, step: BuildStep, chance: random.Random, outside: Path) -> _Trial:
    here = Path.cwd()
    work = here / "work"
    tools = Tools(
        runner=ProcessRunner(), reporter=RecordingReporter(),
        folders=Folders(cache=here / "cache", work=work, run=work / "runs" / "one"),
        host=a_host(),
    )  # fmt: skip
    make_work(work)
    folders = folders_of(work, "one")
    make_folders(folders, work)
    eagerness = chance.choice((0.1, 0.1, 0.3, 0.7))
    guest = _Guest(stock, folders, outside, here / "holes", chance, eagerness)
    words = {
        "source": str(folders.source), "build": str(folders.build), "stage": str(folders.stage),
        "work": str(folders.root), "files": str(folders.files),
    }  # fmt: skip
    product = replace(
        a_plan().product, files=chance.choice(((), (("bin/tool", "out/tool"), ("more", "out")))),
        cmake=(), programs=(), pkg_config=(), libraries=("lib/libtiny.so.1.2.3",), max_size_mb=64,
        leave_out=chance.choice((("share/man/**",), ("**/*.cmake", "share"))),
    )  # fmt: skip
    source = Input(kind="folder", place=str(here / "tree"), version="1.2.3")
    plan = a_plan(env="docker", product=product, source=source, output=here / "dist")
    (here / _DELIVERED).mkdir()
    place = Place(runner=guest, words=words, is_container=True)
    return _Trial(tools, folders, plan, step, place, guest, here / "tree", here / _DELIVERED)


# --- this side's part --------------------------------------------------------------------------


def _build(trial: _Trial) -> None:
    """Stage the source code, also on what the last build has left of it, and build."""
    chance, folders = trial.guest.chance, trial.folders
    make_folders(folders, trial.tools.folders.work)
    if chance.random() < 0.5:
        (trial.tree / "tiny.c").write_text(f"int x = {chance.randrange(9)};\n")
    trial.digest = stage(trial.plan.source, trial.tools, folders.source)
    site = Site(
        place=trial.place, folders=folders, prefix=trial.plan.prefix, jobs=1, tools=trial.tools,
        source_sha256=trial.digest,
    )  # fmt: skip
    print_text(str(driver_of(trial.step).build(trial.step, site)))


def _deliver(trial: _Trial) -> None:
    """Lay out, pack, audit, unpack and report what was built."""
    plan, folders = trial.plan, trial.folders
    if trial.guest.chance.random() < 0.3:
        trial.guest.exchange_all(1.0)
    files = lay_out(plan, folders, trial.place)
    needs = needed_packages(folders.product, trial.place)
    archive = pack(folders.product, folders.archive, top="tiny")
    digest, target = file_digest(archive), find_target(plan.target)
    audit = audit_product(
        plan, folders.product, plan.archive, digest, target, machine_paths=[str(folders.build)]
    )
    unpack_trial(archive, folders.trial)
    report = ProductReport(
        run_id="one", started_at="2026-01-01T00:00:00+00:00", tfbuild_version="1", host=a_host(),
        plan=plan, files=files, needs=needs, sha256=digest, audit=audit,
        source_sha256=trial.digest, archive=archive,
    )  # fmt: skip
    page = write_report(report, trial.out)
    sbom = product_sbom(report)
    for text in (page.read_bytes(), (trial.out / "report.json").read_bytes(), sbom.encode()):
        if fault := unprintable(text):
            sys.exit(f"a report: {fault}")
    for line in audit.findings:
        print_text(f"{line.name} {line.state} {line.built} {line.detail}")
    for name, folder in (("product", folders.product), ("trial", folders.trial)):
        _require_plain(folder)
        shutil.rmtree(trial.out / name, ignore_errors=True)
        shutil.copytree(folder, trial.out / name, symlinks=True)


def _require_plain(folder: Path) -> None:
    """End with 1 where a folder of ours has more than plain files, and links within it."""
    for path in folder.rglob("*"):
        was = path.lstat()
        if stat.S_ISLNK(was.st_mode):
            if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder)):
                sys.exit(f"{path.name!r} leads out")
        elif stat.S_ISDIR(was.st_mode):
            continue
        elif not stat.S_ISREG(was.st_mode) or was.st_mode & 0o7022 or was.st_nlink > 1:
            sys.exit(f"{path.name!r} is no plain file")


def _listen(trial: _Trial) -> None:
    """Read what a Bazel in a container reports of itself."""
    work = EXCHANGE.path(trial.tools.folders.work)
    shutil.copytree(trial.guest.stock / "exchange", work)
    trial.guest.write(work, work)
    print_text(str(len(read_failed_actions(EVENTS.path(work)))))
    print_text(str(len(read_profile(PROFILE.path(work)).actions)))
    print_text(str(sum(map(len, lines_of(EXPLAIN.path(work))))))
    events = EventFile(path=EVENTS.path(work), read=lambda _: b"")
    while events.poll():
        pass
    print_text(f"{len(events.failures)} {len(events.aborted)}")
    print_text(" ".join(read_effective(EFFECTIVE.path(work))))


def _clean(trial: _Trial) -> None:
    """Remove all of it, as it is done when room is needed."""
    for folder in (trial.folders.root, EXCHANGE.path(trial.tools.folders.work)):
        remove_tree(folder)
        if os.path.lexists(folder):
            sys.exit(f"{folder.name} is still there")

"""The build stage: what each of Bazel's endings means, and what survives them."""

import json
import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.failing import fails
from tests.fakes import TINY, FakeEnvironment, a_request, says
from tests.planning import planned
from tests.sample_report import SHA
from tests.sealing import seal_as_it_is
from tfbuild.bazel.server import server_pid
from tfbuild.builds.stages.build import run_build
from tfbuild.builds.stages.configure import configure
from tfbuild.core.interfaces import HostEnvironment, Watch
from tfbuild.core.outputs import BuildOutput, Configured
from tfbuild.core.plans import Plan
from tfbuild.core.process import ProcessRunner, find_program
from tfbuild.core.records import Artifact, Command, Completed, Host
from tfbuild.facts.tables import Tables
from tfbuild.fetch.bazel import FoundBazel
from tfbuild.fetch.seals import sealed_digests

OUTPUTS = ("python/libtiny.so", "python/_runtime.so")
TARGETS = ("//python:libtiny.so", "//python:_runtime.so")
SUMMARY = "INFO: 5 processes: 1 internal, 1 disk cache hit, 3 linux-sandbox."


@pytest.fixture
def plan(tables: Tables, host: Host, tmp_path: Path) -> Plan:
    request = a_request(tmp_path)
    made = planned(request, tables, host)
    first, second = made.commands
    argv = tuple(w for w in second.argv if w not in made.bazel.targets) + TARGETS
    return replace(
        made,
        commands=(first, replace(second, argv=argv)),
        bazel=replace(made.bazel, targets=TARGETS, outputs=OUTPUTS),
        configure_answers=(("compiler", "{compiler}"),),
        estimate=replace(made.estimate, disk_mb=1),
    )


class FakeBazel:
    """Plays endings, one per call of build; makes the outputs when it ends well."""

    def __init__(
        self, env: FakeEnvironment, *endings: Completed, events: tuple[object, ...] = ()
    ) -> None:
        self.endings = list(endings)
        self.events = events
        self.bin = env.toolchain.cache / "bin"
        self.work = env.toolchain.work
        env.runner.answers["bazel"] = self.answer

    def answer(self, command: Command, watch: Watch | None) -> Completed:
        if "info" in command.argv:
            return Completed(code=0, stdout=f"noise\n{self.bin}\n")
        if watch:
            watch("[1 / 4] Compiling a.cc; 1s")
            watch("")
        lines = "".join(json.dumps(event) + "\n" for event in self.events)
        (self.work / "events.json").write_text(lines)
        ending = self.endings.pop(0)
        if ending.code == 0:
            for name in OUTPUTS:
                (self.bin / name).parent.mkdir(parents=True, exist_ok=True)
                (self.bin / name).write_text(name)
        return ending


def build(plan: Plan, env: FakeEnvironment) -> BuildOutput:
    rc_file = env.toolchain.work / "configure.bazelrc"
    return run_build(plan, Configured(rc_file=rc_file, settings=(), digest="d"), env)


def ended(code: int, *lines: str) -> Completed:
    return Completed(code=code, stdout="\n".join(lines), last_lines=lines)


def failed_action(tmp_path: Path, message: str, code: int = 1) -> dict[str, object]:
    stderr = tmp_path / "stderr"
    stderr.write_text(message)
    return {
        "id": {"actionCompleted": {"label": "//a:b"}},
        "action": {
            "type": "CppCompile",
            "exitCode": 1,
            "stderr": {"uri": f"file://{stderr}"},
            "failureDetail": {"spawn": {"spawnExitCode": code}},
        },
    }


def test_products_are_copied_out_and_counted(plan: Plan, fake_env: FakeEnvironment) -> None:
    FakeBazel(fake_env, ended(0, SUMMARY))
    output = build(plan, fake_env)
    assert [name for name, _ in output.files] == list(OUTPUTS)
    assert all(path.read_text() == name for name, path in output.files)
    assert (output.actions, output.cache_hits) == (3, 1)
    assert ("progress", "Compiling a.cc", "1", "4", "so far") in fake_env.reporter.said


def test_the_same_build_is_not_run_twice(plan: Plan, fake_env: FakeEnvironment) -> None:
    FakeBazel(fake_env, ended(0))
    first = build(plan, fake_env)
    second = build(plan, fake_env)
    assert second == replace(first, reused_from="one")


def test_a_damaged_product_is_built_again(plan: Plan, fake_env: FakeEnvironment) -> None:
    bazel = FakeBazel(fake_env, ended(0), ended(0))
    first = build(plan, fake_env)
    first.files[0][1].write_text("damaged")
    assert build(plan, fake_env).reused_from == ""
    assert bazel.endings == []


@pytest.mark.parametrize(
    "edit",
    [
        lambda text: "",
        lambda text: "[]",
        lambda text: "null",
        lambda text: text[:-20],
        lambda text: text.replace('"one"', '"two"'),
    ],
)
def test_a_note_beside_products_that_is_damaged_is_none(
    plan: Plan, fake_env: FakeEnvironment, edit: Callable[[str], str]
) -> None:
    bazel = FakeBazel(fake_env, ended(0), ended(0))
    note = build(plan, fake_env).files[0][1].parents[1] / "build.json"
    assert note.is_file()
    note.write_text(edit(note.read_text()))
    assert build(plan, fake_env).reused_from == ""
    assert bazel.endings == []


def test_products_of_another_build_and_a_file_in_their_place_are_none(
    plan: Plan, fake_env: FakeEnvironment
) -> None:
    FakeBazel(fake_env, ended(0), ended(0), ended(0))
    folder = build(plan, fake_env).files[0][1].parents[1]
    fake_env.toolchain = replace(fake_env.toolchain, compiler_version="13.1.0")
    other = build(plan, fake_env).files[0][1].parents[1]
    shutil.rmtree(other)
    shutil.copytree(folder, other)
    assert build(plan, fake_env).reused_from == ""
    shutil.rmtree(other)
    other.write_text("")
    FakeBazel(fake_env, ended(0))
    assert build(plan, fake_env).files[0][1].is_file()


def test_nothing_is_compiled_with_a_damaged_header(plan: Plan, fake_env: FakeEnvironment) -> None:
    artifact = Artifact(distribution="a", version="1", filename="a.whl", sha256=SHA, kind="build")
    tree = fake_env.tools.folders.unpacked / SHA
    tree.mkdir(parents=True)
    (tree / "a.h").write_text("int a;")
    seal_as_it_is(tree)
    known = sealed_digests(tree)
    (tree / "a.h").write_text("int b;")
    seal_as_it_is(tree, known=known)  # no time shows that it was changed
    lock = replace(fake_env.toolchain.lock, artifacts=(artifact,))
    fake_env.toolchain = replace(fake_env.toolchain, lock=lock)
    bazel = FakeBazel(fake_env, ended(0))
    fake_env.runner.answers[Path(sys.executable).name] = says("ERROR: no network", code=1)
    with fails("cached-file-damaged", "a 1 (a.h "):
        build(plan, fake_env)
    assert bazel.endings


def test_another_compiler_is_another_build(plan: Plan, fake_env: FakeEnvironment) -> None:
    FakeBazel(fake_env, ended(0), ended(0))
    build(plan, fake_env)
    fake_env.toolchain = replace(fake_env.toolchain, compiler_version="13.1.0")
    assert build(plan, fake_env).reused_from == ""


def test_what_bazel_says_of_its_failure_is_raised(
    plan: Plan, fake_env: FakeEnvironment, tmp_path: Path
) -> None:
    message = "In file included from b.cc:\na.h:3:5: error: expected ';'\n    3 | x\n"
    FakeBazel(fake_env, ended(1), events=(failed_action(tmp_path, message),))
    with fails("action-failed", "//a:b", "a.h:3:5: error: expected ';'"):
        build(plan, fake_env)


def test_no_room_to_begin_with_says_how_much_is_needed(
    plan: Plan, fake_env: FakeEnvironment
) -> None:
    hungry = replace(plan, estimate=replace(plan.estimate, disk_mb=10**9))
    with fails("disk-room-missing", "1000000300 MB"):
        build(hungry, fake_env)


def test_a_recipe_that_names_what_is_not_made(plan: Plan, fake_env: FakeEnvironment) -> None:
    FakeBazel(fake_env, ended(0))
    wrong = replace(plan, bazel=replace(plan.bazel, outputs=("python/nothing.so",)))
    with fails("built-file-missing", "python/nothing.so"):
        build(wrong, fake_env)
    assert not list((fake_env.toolchain.work / "products").glob("[!.]*"))


# --- with a real Bazel ---------------------------------------------------------------------------


class Workshop:
    """A copy of the tiny tree, and an environment with a real Bazel."""

    def __init__(self, folder: Path, plan: Plan, bazel: FoundBazel) -> None:
        self.plan = plan
        self.source = Path(shutil.copytree(TINY, folder / "source"))
        self.fake = FakeEnvironment(folder)
        self.env = HostEnvironment(
            toolchain=replace(
                self.fake.toolchain,
                source=self.source,
                bazel=bazel.path,
                compiler=find_program("g++"),
            ),
            tools=replace(self.fake.tools, runner=ProcessRunner(log=folder / "log.txt")),
        )

    def build(self) -> BuildOutput:
        return run_build(self.plan, configure(self.plan, self.env), self.env)

    def slow_down(self, seconds: int) -> None:
        build_file = self.source / "python" / "BUILD"
        build_file.write_text(
            build_file.read_text().replace("cmd = ", f'cmd = "sleep {seconds}; " + ')
        )

    def close(self) -> None:
        if pid := server_pid(self.env.toolchain):
            os.kill(pid, signal.SIGKILL)


@pytest.fixture
def workshop(tmp_path: Path, plan: Plan, a_bazel: FoundBazel) -> object:
    shop = Workshop(tmp_path, plan, a_bazel)
    yield shop
    shop.close()


def when(condition: Callable[[], object], action: Callable[[], object]) -> threading.Thread:
    """Do action in the background, once condition holds."""

    def wait() -> None:
        deadline = time.monotonic() + 60
        while not condition() and time.monotonic() < deadline:
            time.sleep(0.05)
        action()

    thread = threading.Thread(target=wait)
    thread.start()
    return thread


@pytest.mark.bazel
@pytest.mark.slow
def test_real_build_and_reuse(workshop: Workshop) -> None:
    first = workshop.build()
    assert all(path.read_bytes()[:4] == b"\x7fELF" for _, path in first.files)
    assert workshop.build().reused_from


@pytest.mark.bazel
@pytest.mark.slow
def test_real_compile_error(workshop: Workshop) -> None:
    (workshop.source / "python" / "libtiny.cc").write_text("int Answer() { return x; }\n")
    with fails("action-failed", "'x' was not declared in this scope"):
        workshop.build()


@pytest.mark.bazel
@pytest.mark.slow
def test_real_server_killed_during_the_build(workshop: Workshop) -> None:
    workshop.slow_down(3)
    events = workshop.env.toolchain.work / "events.json"
    killer = when(
        lambda: events.exists() and events.stat().st_size > 0,
        lambda: os.kill(server_pid(workshop.env.toolchain), signal.SIGKILL),
    )
    output = workshop.build()
    killer.join()
    assert all(path.is_file() for _, path in output.files)
    assert any(words[0] == "warn" for words in workshop.fake.reporter.said)


@pytest.mark.bazel
@pytest.mark.slow
def test_real_other_command_is_waited_for(workshop: Workshop) -> None:
    workshop.slow_down(3)
    other = threading.Thread(target=workshop.build)
    other.start()
    time.sleep(2)
    output = workshop.build()
    other.join()
    assert all(path.is_file() for _, path in output.files)

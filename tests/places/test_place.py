"""Places: what their commands see, what opens them, and what they say of their tools."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.failing import fails
from tests.fakes import FakeRunner, says
from tests.places.places import a_product_plan
from tests.shared_libraries import needs, real_tools
from tfbuild.builds.stand_ins import own_stand_ins
from tfbuild.containers.engine import Mount
from tfbuild.core.environments import NO_ENVIRONMENT, System
from tfbuild.core.layout import BAZELS, CACHE_INSIDE
from tfbuild.core.process import ProcessRunner
from tfbuild.core.records import Command
from tfbuild.facts.tables import Tables
from tfbuild.places import place as places
from tfbuild.places.folders import folders_of, work_of
from tfbuild.places.needs import read_needs
from tfbuild.places.place import (
    Place,
    describe_tools,
    empty,
    open_here,
    open_place,
    open_trial_place,
    open_unused_place,
)  # fmt: skip
from tfbuild.recipes.records import (
    BazelBuild,
    BuildStep,
    CMakeBuild,
    ConfigureMake,
    MesonBuild,
    Need,
)

STEP: dict[str, Any] = {
    "folder": "",
    "arguments": (),
    "targets": (),
    "environment": (),
    "expect": (),
}


def asks(*argv: str, **more: object) -> Command:
    return Command(argv=argv, **more)  # type: ignore[arg-type]


def test_words_are_filled_in_everywhere(tmp_path: Path) -> None:
    place = Place(runner=ProcessRunner(), words={"source": "/src", "build": str(tmp_path)})
    said = place.run(
        asks("sh", "-c", 'echo "$1 $PWD $FLAGS"', "sh", "{source}{brace}", cwd="{build}",
             env=(("FLAGS", "-I{source}"),))
    )  # fmt: skip
    assert said.stdout == f"/src{{ {tmp_path} -I/src\n"


def test_a_program_sees_none_of_the_callers_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CFLAGS", "CC", "MAKEFLAGS", "SOME_TOKEN", "DESTDIR", "CONFIG_SITE"):
        monkeypatch.setenv(name, "of-the-caller")
    monkeypatch.setenv("LD_LIBRARY_PATH", "/opt/modules/lib")
    said = Place(runner=ProcessRunner(), words={}).run(asks("env")).stdout
    assert "of-the-caller" not in said
    assert "LD_LIBRARY_PATH=/opt/modules/lib\n" in said


def test_folders_go_before_the_path(tmp_path: Path) -> None:
    program = tmp_path / "make"
    program.write_text("#!/bin/sh\necho ours\n")
    program.chmod(0o755)
    place = Place(runner=ProcessRunner(), words={}, path=str(tmp_path))
    assert place.run(asks("sh", "-c", "make")).stdout == "ours\n"
    named = asks("env", env=(("PATH", "/usr/bin:/bin"),))
    assert "PATH=/usr/bin:/bin\n" in place.run(named).stdout


def test_this_machine_as_a_place(tmp_path: Path) -> None:
    tools, plan = real_tools(tmp_path), a_product_plan()
    folders = folders_of(tools.folders.work, plan.id)
    with open_place(plan, tools, folders) as place:
        assert not place.is_container
        place.run(asks("touch", "{build}/made", cwd="{work}"))
    assert (folders.build / "made").is_file()


def test_this_machine_is_also_where_its_product_is_tried(tmp_path: Path) -> None:
    tools, plan = real_tools(tmp_path), a_product_plan()
    folders = folders_of(tools.folders.work, plan.id)
    with (
        open_place(plan, tools, folders) as place,
        open_trial_place(plan, place, (), tools, folders) as tried,
    ):
        assert tried is place


def test_a_folder_is_emptied_by_its_place(tmp_path: Path) -> None:
    folder, beside = tmp_path / "a {folder}", tmp_path / "beside"
    for path in (folder / "x" / "protected", beside):
        path.mkdir(parents=True)
        (path / "file").touch()
    (folder / "link").symlink_to(beside)
    (folder / "x" / "protected").chmod(0o500)
    beside.chmod(0o755)
    number = folder.stat().st_ino
    empty(folder, Place(runner=ProcessRunner(), words={}))
    assert (list(folder.iterdir()), folder.stat().st_ino) == ([], number), "a mount stays"
    assert (beside / "file").is_file()


def test_a_place_that_lacks_something_is_not_opened(tmp_path: Path) -> None:
    tools = real_tools(tmp_path)
    plan = a_product_plan(needs=(Need(name="frob", program="frob-cc", package="frob"),))
    opened = open_place(plan, tools, folders_of(tools.folders.work, plan.id))
    with fails("needs-missing", "frob"), opened:
        pass


def test_this_machine_without_a_build(tmp_path: Path) -> None:
    tools = real_tools(tmp_path)
    place = open_here((Need(name="sh", program="sh"),), tools)
    assert place.run(Command(argv=("echo", "{brace}"))).stdout.strip() == "{"
    with fails("needs-missing", "nothing-like-it"):
        open_here((Need(name="nothing-like-it", program="nothing-like-it"),), tools)


@pytest.mark.parametrize("name", ["my work", "a:b", "a'b", 'a"b', "a,b", "a$b", "a\\b", "a\udcff"])
def test_a_folder_that_build_tools_take_apart_is_refused(tmp_path: Path, name: str) -> None:
    tools = real_tools(tmp_path)
    opened = open_place(a_product_plan(), tools, folders_of(tmp_path / name, "one"))
    with fails("work-folder-unfit", "TFBUILD_WORK_DIR"), opened:
        pass


@pytest.mark.parametrize(
    ("step", "tools"),
    [
        (CMakeBuild(**STEP), ["cc", "c++", "cmake", "ninja"]),
        (ConfigureMake(**STEP), ["cc", "c++", "make"]),
        (MesonBuild(**STEP), ["cc", "c++", "meson", "ninja"]),
    ],
)
def test_tools_say_what_they_are(step: BuildStep, tools: list[str]) -> None:
    runner = FakeRunner({name: says(f"{name} 1.0", "more") for name in tools})
    place = Place(runner=runner, words={})
    assert describe_tools(place, step) == tuple((name, f"{name} 1.0") for name in tools)


def test_a_tool_that_is_not_there_says_nothing() -> None:
    answers = dict.fromkeys(("c++", "make"), says("1.0")) | {"cc": says(code=1)}
    place = Place(runner=FakeRunner(answers), words={})
    assert [name for name, _ in describe_tools(place, ConfigureMake(**STEP))] == ["c++", "make"]


def test_a_container_gets_each_folder_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the place of one in a folder that it can write to, it could put a link."""
    seen: list[dict[str, bool]] = []

    @contextmanager
    def opened(_: object, *, mounts: Sequence[Mount], **__: object) -> Iterator[Any]:
        assert all(mount.source == mount.target for mount in mounts)
        seen.append({mount.source: mount.writable for mount in mounts})
        yield SimpleNamespace(runner=ProcessRunner(), engine=None, image=SimpleNamespace(id=""))

    monkeypatch.setattr(places, "open_container", opened)
    monkeypatch.setattr(places, "looked_at", lambda *_: None)
    monkeypatch.setattr(places, "environment_of", lambda *_: NO_ENVIRONMENT)
    tools, plan = real_tools(tmp_path), a_product_plan(env="docker")
    folders = folders_of(tools.folders.work, plan.id)
    with (
        open_place(plan, tools, folders) as place,
        open_trial_place(plan, place, (), tools, folders) as tried,
        open_unused_place(plan, place, tools, folders) as unused,
    ):
        assert place.is_container
        assert tried.is_container
        assert unused.is_container
    root, trial = folders.root, folders.trial
    written = {f"{root}/{name}": True for name in ("source", "build", "stage", "exchange")}
    assert seen == [
        {**written, f"{root}/files": False},
        {str(trial): False, str(work_of(trial)): True},
        {},
    ]


def test_a_container_in_which_bazel_builds_has_where_it_keeps_its_outputs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a path that is none of this machine's: a number in it would be of another process here."""
    seen: list[Mount] = []

    @contextmanager
    def opened(_: object, *, mounts: Sequence[Mount], **__: object) -> Iterator[Any]:
        seen.extend(mounts)
        yield SimpleNamespace(runner=ProcessRunner(), engine=None, image=SimpleNamespace(id=""))

    monkeypatch.setattr(places, "open_container", opened)
    monkeypatch.setattr(places, "looked_at", lambda *_: None)
    monkeypatch.setattr(places, "environment_of", lambda *_: NO_ENVIRONMENT)
    tools = real_tools(tmp_path)
    plan = a_product_plan(BazelBuild(**STEP), env="docker")
    folders = folders_of(tools.folders.work, plan.id)
    with open_place(plan, tools, folders):
        assert folders.bazel.is_dir()
    by_target = {mount.target: mount for mount in seen}
    kept = by_target[CACHE_INSIDE]
    assert (kept.source, kept.writable) == (str(folders.bazel), True)
    for read in (BAZELS.path(tools.folders.cache), own_stand_ins()):
        assert read.is_dir()
        assert not by_target[str(read)].writable


@pytest.mark.docker
def test_a_container_has_what_is_needed_and_nothing_else(tmp_path: Path, tables: Tables) -> None:
    needs("mmdebstrap")
    tools = real_tools(tmp_path)
    plan = a_product_plan(
        env="docker",
        system=System(name="debian 12", suite="bookworm"),
        needs=read_needs(("cc", "c++", "strip", "make", "cmake", "ninja", "meson", "nasm",
                          "pkg-config", "zlib"), tables),
        memory_mb=600,
    )  # fmt: skip
    folders = folders_of(tools.folders.work, plan.id)
    secret = tmp_path / "secret"
    secret.write_text("of the caller")
    with ExitStack() as stack:
        place = stack.enter_context(open_place(plan, tools, folders))
        work_of(folders.trial).mkdir(parents=True)
        opened = open_trial_place(plan, place, ("zlib1g",), tools, folders)
        bare = stack.enter_context(opened)
        assert place.is_container
        with fails("command-failed"):
            bare.run(asks("sh", "-c", "command -v cmake", cwd="/"))
        assert place.environment.system == "debian"
        assert {"cmake", "zlib1g-dev"} <= {package.name for package in place.environment.packages}
        place.run(asks("touch", "{stage}/made", cwd="{work}"))
        forge = "echo 'echo forged 1' > /usr/bin/dpkg-query"
        place.run(asks("sh", "-c", forge, cwd="/", ok_codes=(0, 1, 2)))  # as root it can
        unused = stack.enter_context(open_unused_place(plan, place, tools, folders))
        query = asks("dpkg-query", "-W", "-f", "${Package}", "zlib1g-dev", cwd="/")
        assert unused.run(query).stdout.strip() == "zlib1g-dev"
        with fails("command-failed"):
            place.run(asks("cat", str(secret), cwd="/"))
        rights = place.run(asks("grep", "CapEff", "/proc/self/status", cwd="/")).stdout
        assert not int(rights.split()[1], 16)
        assert place.run(asks("ls", "/sys/class/net", cwd="/")).stdout.split() == ["lo"]
        place.run(asks("touch", f"{tools.folders.work}/mine", cwd="/", ok_codes=(0, 1)))
        limit = place.run(asks("cat", "/sys/fs/cgroup/memory.max", cwd="/", ok_codes=(0, 1)))
        assert limit.stdout.strip() in {str(600 * 1024 * 1024), ""}
    assert (folders.stage / "made").is_file()
    assert not (tools.folders.work / "mine").exists()


@pytest.mark.docker
def test_a_container_changes_nothing_but_what_is_in_its_folders(
    tmp_path: Path, tables: Tables
) -> None:
    """Not the folders themselves, in whose place a link would lead this side anywhere."""
    needs("mmdebstrap")
    tools = real_tools(tmp_path)
    plan = a_product_plan(
        env="docker",
        system=System(name="debian 12", suite="bookworm"),
        needs=read_needs(("cc", "strip", "make"), tables),
    )
    folders = folders_of(tools.folders.work, plan.id)
    with open_place(plan, tools, folders) as place:
        own = work_of(folders.trial)
        own.mkdir(parents=True)
        (folders.root / "configured.txt").touch()
        (folders.files / "given").touch()
        before = _seen(folders.root)
        mine = ("source", "build", "stage", "exchange")
        _all_of(place, *(f"mv {{work}}/{name} {{work}}/away" for name in (*mine, "files")),
                *(f"ln -sfn /etc {{work}}/{name}" for name in ("product", "trial", "files/x")),
                "ln -sf /etc/passwd {work}/configured.txt", "echo > {files}/given",
                "rm -rf {work}")  # fmt: skip
        assert _seen(folders.root) == before
        with open_trial_place(plan, place, (), tools, folders) as tried:
            _all_of(tried, f"mv {own} {own}2", f"rm -rf {own}", "echo > {work}/trial/product",
                    "ln -s /etc {work}/trial/given", "rm -rf {work}",
                    f"ln -s /etc {own}/link")  # fmt: skip
            assert tried.run(asks("sh", "-c", "ls -A {work}/*", cwd="/")).stdout.split() == [
                own.name
            ]
        assert _seen(folders.root) == before | {f"trial/{own.name}/link"}


def _all_of(place: Place, *lines: str) -> None:
    for line in lines:
        place.run(asks("sh", "-c", line, cwd="/", ok_codes=tuple(range(256))))


def _seen(root: Path) -> set[str]:
    """All that lies below a folder; what is no real file or folder is not there by its name."""
    return {path.relative_to(root).as_posix() for path in root.rglob("*")}

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.failing import fails
from tests.fakes import FakeEnvironment, a_request, says
from tests.planning import planned
from tests.sample_report import SHA
from tests.sealing import seal_as_it_is
from tests.shared_libraries import SUFFIX, TAG, compile_c, needs, real_tools
from tfbuild.builds.stages import wheel
from tfbuild.builds.stages.audit import audit_wheel
from tfbuild.builds.stages.wheel import make_wheel, wheel_inputs
from tfbuild.core.outputs import BuildOutput, Wheel
from tfbuild.core.plans import Plan, WheelPlan
from tfbuild.core.records import Artifact, Command, Completed, Lock
from tfbuild.facts.tables import Tables
from tfbuild.fetch.seals import sealed_digests
from tfbuild.wheels.wheel_file import open_wheel, read_files

CORE = 'const char *version(void) { return "tiny-runtime 0.1.0"; }\nint answer(void);\n'
CORE += "int twice(void) { return 2 * answer(); }\n"
FOREIGN = "int answer(void) { return 21; }\n"
SPEC = WheelPlan(
    distribution="tiny-runtime", package="tiny_runtime", version="0.1.0", python_tag=TAG,
    abi_tag=TAG, platform="linux_x86_64", summary="A tiny one", requires_python=">=3.10",
    requires=("numpy>=1.23",), extras=(("cuda13", ("nvidia-cublas>=13,<14",)),),
    frontend="python/tiny_runtime", extension=f"_runtime{SUFFIX}",
)  # fmt: skip


class Workshop:
    """A source tree, its built libraries and a foreign library in an unpacked artifact."""

    def __init__(self, folder: Path, tables: Tables) -> None:
        needs("gcc", "strip")
        self.source, self.artifact = folder / "source", folder / "cache/unpacked" / SHA
        package = self.source / "python" / "tiny_runtime"
        (package / "__pycache__").mkdir(parents=True)
        self.artifact.mkdir(parents=True)
        (self.source / "LICENSE").write_text("ours")
        (package / "__init__.py").write_text('__version__ = "0.1.0"\n')
        (package / "BUILD").write_text("not for the wheel")
        (package / "__pycache__" / "x.pyc").write_bytes(b"")
        (self.artifact / "LICENSE").write_text("theirs")
        soname = "-Wl,-soname,libforeign.so.1"
        foreign = compile_c(self.artifact, FOREIGN, soname, name="libforeign.so.1")
        self.core = compile_c(folder, CORE, str(foreign), name="libtiny_runtime.so")
        self.module = compile_c(folder, "int module;", "-g", str(self.core), name="_runtime.so")
        seal_as_it_is(self.artifact)
        env = FakeEnvironment(folder)
        env.tools = real_tools(folder)
        artifact = Artifact(
            distribution="foreign", version="1", filename="f.whl", sha256=SHA, kind="build"
        )
        env.toolchain = replace(
            env.toolchain,
            source=self.source,
            artifacts=(("foreign", self.artifact),),
            lock=Lock(plan_id="one", artifacts=(artifact,)),
        )
        self.env, self.folder = env, folder
        request = a_request(folder)
        self.plan: Plan = replace(planned(request, tables), wheel=SPEC)

    def make(self) -> Wheel:
        files = (("python/libtiny_runtime.so", self.core), ("python/_runtime.so", self.module))
        output = BuildOutput(files=files, seconds=1.0)
        return make_wheel(self.plan, output, self.env, self.folder / "out")


@pytest.fixture
def workshop(tmp_path: Path, tables: Tables) -> Workshop:
    return Workshop(tmp_path, tables)


def test_a_wheel_is_made_repaired_and_described(workshop: Workshop) -> None:
    wheel = workshop.make()
    assert "manylinux" in wheel.path.name
    assert (wheel.distribution, wheel.version) == ("tiny-runtime", "0.1.0")
    names = set(read_files(wheel.path))
    assert {"tiny_runtime/__init__.py", f"tiny_runtime/_runtime{SUFFIX}"} <= names
    assert any(name.startswith("tiny_runtime.libs/libforeign-") for name in names)
    assert not any("BUILD" in name or "pycache" in name for name in names)
    assert {p.name for p in wheel.path.parent.iterdir()} == {wheel.path.name}


def test_a_container_strips_copies_and_puts_no_file_of_this_machine_into_a_wheel(
    workshop: Workshop,
) -> None:
    env = workshop.env
    env.toolchain = replace(env.toolchain, image="sha256:1")
    env.runner.answers["sh"] = says("/nowhere")
    stripped: list[Path] = []

    def strip(command: Command, _watch: object) -> Completed:
        stripped.append(Path(command.argv[-1]))
        return Completed(code=0)

    def swap(command: Command, watch: object) -> Completed:
        (workshop.folder / "key").write_text("of the user")
        Path(command.argv[-1]).unlink()
        Path(command.argv[-1]).symlink_to(workshop.folder / "key")
        return strip(command, watch)

    env.runner.answers["strip"] = strip
    path = workshop.folder / "library.so"
    shutil.copyfile(workshop.core, path)
    wheel._strip(env, path)
    assert stripped[0].is_relative_to(env.toolchain.work)
    assert not stripped[0].parent.exists()
    assert path.read_bytes() == workshop.core.read_bytes()
    env.runner.answers["strip"] = swap
    with fails("wheel-not-written", str(workshop.folder / "key")):
        workshop.make()


def test_licences_of_all_parts_are_inside(workshop: Workshop) -> None:
    content = open_wheel(workshop.make().path)
    info = content.dist_info
    assert content.read(f"{info}/licenses/LICENSE") == b"ours"
    assert content.read(f"{info}/licenses/foreign/LICENSE") == b"theirs"
    assert "foreign/LICENSE" in content.metadata.get_all("License-File", [])
    assert content.metadata["License-Expression"] == "Apache-2.0 AND LicenseRef-foreign"


def test_the_expression_names_the_licences_of_what_is_really_inside(workshop: Workshop) -> None:
    env = workshop.env
    stated = workshop.artifact / "foreign-1.dist-info" / "METADATA"
    stated.parent.mkdir()
    stated.write_text("Name: foreign\nLicense-Expression: ISC\n")
    seal_as_it_is(workshop.artifact)
    glue = workshop.folder / "glue"
    (glue / "include").mkdir(parents=True)
    (glue / "include" / "robin_map.h").write_bytes(b"/**\n * MIT License\n */\nint code;\n")
    chain = env.toolchain
    artifact = replace(chain.lock.artifacts[0], distribution="nanobind")
    lock = replace(chain.lock, artifacts=(*chain.lock.artifacts, artifact))
    env.toolchain = replace(chain, artifacts=(*chain.artifacts, ("nanobind", glue)), lock=lock)
    content = open_wheel(workshop.make().path)
    found = content.metadata["License-Expression"]
    assert found == "Apache-2.0 AND BSD-3-Clause AND ISC AND MIT"
    notice = content.read(f"{content.dist_info}/licenses/nanobind/robin_map.txt")
    assert notice == b"/**\n * MIT License\n */\n"


def test_a_package_without_a_licence_has_the_one_that_the_source_tree_wrote_down(
    workshop: Workshop,
) -> None:
    source = workshop.env.toolchain.source
    (source / "bazel" / "licences").mkdir(parents=True)
    (source / "bazel" / "licences" / "foreign.txt").write_text("as is\n")
    (source / "bazel" / "licences" / "absent.txt").write_text("not in this wheel\n")
    content = open_wheel(workshop.make().path)
    info = content.dist_info
    assert content.read(f"{info}/licenses/foreign/foreign.txt") == b"as is\n"
    assert not any("absent" in name for name in content.metadata.get_all("License-File", []))
    assert any("foreign.txt" in words for words in wheel_inputs(workshop.env))


def test_a_library_of_the_system_brings_its_licence(workshop: Workshop) -> None:
    info = "tiny_runtime-0.1.0.dist-info"
    names = ("tiny_runtime.libs/libgomp-0123abcd.so.1.0.0", "tiny_runtime.libs/libodd-0123abcd.so")
    files = dict.fromkeys((*names, f"{info}/licenses/LICENSE"), b"")
    made = wheel._named_licences(SPEC, files, workshop.env)
    text = made[f"{info}/METADATA"].decode()
    gcc = "GPL-3.0-or-later WITH GCC-exception-3.1"
    assert f"License-Expression: Apache-2.0 AND {gcc} AND LicenseRef-foreign AND " in text
    assert "AND LicenseRef-libodd\n" in text
    assert "License-File: LICENSE\n" in text


def test_a_damaged_library_is_never_copied_in(workshop: Workshop) -> None:
    known = sealed_digests(workshop.artifact)
    library = workshop.artifact / "libforeign.so.1"
    raw = library.read_bytes()
    library.write_bytes(raw[:-1] + bytes([raw[-1] ^ 1]))
    seal_as_it_is(workshop.artifact, known=known)  # no time shows that it was changed
    with fails("cached-file-damaged", "foreign 1 (libforeign.so.1 "):
        workshop.make()
    assert not (workshop.folder / "out").exists()


def test_the_audit_finds_nothing_wrong(workshop: Workshop) -> None:
    wheel = workshop.make()
    folders = ("tiny_runtime", "tiny_runtime.libs")
    policy = replace(workshop.plan.audit, runtime_libraries=(), folders=folders)
    report = audit_wheel(policy, wheel.path, workshop.env.tools)
    assert [f for f in report.findings if f.state != "passed"] == []


def test_two_builds_in_different_folders_are_the_same_bytes(tmp_path: Path, tables: Tables) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "another place").mkdir()
    first = Workshop(tmp_path / "one", tables).make()
    second = Workshop(tmp_path / "another place", tables).make()
    assert first.sha256 == second.sha256


def test_the_wheel_works_where_it_is_unpacked(workshop: Workshop, tmp_path: Path) -> None:
    target = tmp_path / "site"
    for name, raw in read_files(workshop.make().path).items():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).write_bytes(raw)
    workshop.artifact.rename(tmp_path / "gone")
    code = "import ctypes, sys; print(ctypes.CDLL(sys.argv[1]).twice())"
    library = target / "tiny_runtime" / "libtiny_runtime.so"
    words = [sys.executable, "-c", code, str(library)]
    ended = subprocess.run(words, capture_output=True, text=True, check=False, env=os.environ)
    assert ended.stdout == "42\n", ended.stderr


@pytest.mark.slow
def test_an_index_takes_the_wheel(workshop: Workshop) -> None:
    words = [sys.executable, "-m", "twine", "check", "--strict", str(workshop.make().path)]
    subprocess.run(words, check=True, capture_output=True)


def test_the_file_is_named_as_the_format_spells_names(workshop: Workshop) -> None:
    spec = replace(SPEC, distribution="Tiny.Run-time")
    workshop.plan = replace(workshop.plan, wheel=spec)
    made = workshop.make()
    assert made.distribution == "Tiny.Run-time"
    assert made.path.name.startswith("tiny_run_time-0.1.0-")
    assert open_wheel(made.path).dist_info == "tiny_run_time-0.1.0.dist-info"


def test_a_source_tree_that_is_not_whole(workshop: Workshop) -> None:
    (workshop.source / "LICENSE").unlink()
    with fails("tree-licence-missing"):
        workshop.make()
    (workshop.source / "python" / "tiny_runtime" / "__init__.py").unlink()
    with fails("tree-package-missing", "tiny_runtime"):
        workshop.make()


def test_a_library_that_cannot_be_found(workshop: Workshop) -> None:
    workshop.env.toolchain = replace(workshop.env.toolchain, artifacts=())
    with fails("auditwheel-failed"):
        workshop.make()
    assert not list((workshop.folder / "out").glob("*.whl"))


def test_a_build_without_libraries(workshop: Workshop) -> None:
    with fails("built-library-missing"):
        make_wheel(
            workshop.plan, BuildOutput(files=(), seconds=0.0), workshop.env, workshop.folder / "out"
        )


def test_a_system_library_is_the_environments_own(
    fake_env: FakeEnvironment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = tmp_path / "libgomp.so.1.0.0"
    real.write_bytes(b"of this machine")
    fake_env.runner.answers["sh"] = says(str(real))
    wheel._system_library("libgomp.so.1", fake_env, tmp_path / "same")
    assert not (tmp_path / "same").exists(), "auditwheel finds the same one and names its package"
    monkeypatch.setattr(fake_env, "read", lambda _: b"of the container")
    wheel._system_library("libgomp.so.1", fake_env, tmp_path / "other")
    assert (tmp_path / "other" / "libgomp.so.1").resolve().name == "libgomp.so.1.0.0"
    assert (tmp_path / "other" / "libgomp.so.1").read_bytes() == b"of the container"

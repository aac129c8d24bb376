"""Libraries in a folder, read back against what was planned."""

from dataclasses import replace
from pathlib import Path

import pytest
from tfbuild.wheels.library_audit import audit_libraries

from tests.shared_libraries import SOURCE, compile_c
from tfbuild.core.records import AuditPolicy
from tfbuild.facts.targets import find_target

HERE = find_target("linux-x86_64")
POLICY = AuditPolicy(glibc_ceiling="2.36", cpu_level="x86-64")
NAME = "-Wl,-soname,libtiny.so"


def states(files: dict[str, Path], policy: AuditPolicy = POLICY) -> dict[str, str]:
    return {found.name: found.state for found in audit_libraries(files, policy, HERE)}


def test_what_is_as_planned_passes(tmp_path: Path) -> None:
    made = compile_c(tmp_path, SOURCE, NAME)
    (tmp_path / "libtiny.so.1").symlink_to(made.name)
    found = states({"lib/libtiny.so": made, "lib/libtiny.so.1": tmp_path / "libtiny.so.1"})
    assert found.pop("libstdc++") == "skipped", "no ceiling was planned"
    assert set(found.values()) == {"passed"}


@pytest.mark.parametrize(
    ("flags", "name"),
    [
        ((), "identity"),  # nothing finds it by a name
        ((NAME, "-Wl,-z,execstack"), "hardening"),
        ((NAME, "-Wl,-rpath,/opt/lib"), "search paths"),
        ((NAME, "-Wl,--no-as-needed", "-lz"), "libraries needed"),
        ((NAME, "-mavx512f", "-O3"), "CPU level of libtiny.so"),
    ],
)
def test_what_is_wrong_fails(tmp_path: Path, flags: tuple[str, ...], name: str) -> None:
    text = "void f(float* a) { for (int i = 0; i < 4096; ++i) a[i] *= 3; }"
    made = compile_c(tmp_path, text, *flags)
    assert states({"lib/libtiny.so": made})[name] == "failed"


def test_what_belongs_to_the_environment_is_named_by_a_pattern(tmp_path: Path) -> None:
    made = {"libtiny.so": compile_c(tmp_path, SOURCE, NAME, "-Wl,--no-as-needed", "-lz")}
    for pattern, state in (
        ("libz.so.*", "passed"),
        ("libz.so.1", "passed"),
        ("libz.*.2", "failed"),
    ):
        policy = replace(POLICY, excluded_libraries=("libother.so.1", pattern))
        assert states(made, policy)["libraries needed"] == state


def test_a_path_that_leads_out_is_told(tmp_path: Path) -> None:
    made = compile_c(tmp_path, SOURCE, NAME, "-Wl,-rpath,$ORIGIN/../../_solib_k8")
    assert states({"lib/libtiny.so": made})["search paths"] == "skipped"


def test_device_code_that_was_asked_for_and_is_not_there(tmp_path: Path) -> None:
    made = compile_c(tmp_path, SOURCE, NAME)
    policy = AuditPolicy(architectures=("sm_90",), cpu_level="x86-64")
    assert states({"lib/libtiny.so": made}, policy)["device code"] == "failed"


def test_what_is_no_library_is_a_failed_line(tmp_path: Path) -> None:
    broken = tmp_path / "libtiny.so"
    broken.write_bytes(compile_c(tmp_path, SOURCE, NAME, name="whole.so").read_bytes()[:300])
    assert states({"lib/libtiny.so": broken}) == {"library lib/libtiny.so": "failed"}
    assert states({}) == {"libraries": "failed"}

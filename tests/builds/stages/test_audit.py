import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.failing import fails
from tests.shared_libraries import TAG, add_entry, compile_c, metadata, real_tools, tiny_wheel
from tfbuild.builds.stages.audit import audit_wheel
from tfbuild.core.plans import AuditPolicy
from tfbuild.core.reports import AuditFinding

GOOD_TAG = f"{TAG}-{TAG}-manylinux_2_17_x86_64"
SOURCE = 'const char *version(void) { return "tiny-thing 1.0"; }\n'
POLICY = AuditPolicy(
    version="1.0", python_tag=TAG, glibc_ceiling="2.17", max_size_mb=1, cpu_level="x86-64"
)


def findings(
    tmp_path: Path, policy: AuditPolicy, *flags: str, source: str = SOURCE, tags: str = GOOD_TAG
) -> dict[str, AuditFinding]:
    raw = compile_c(tmp_path, source, "-s", *flags).read_bytes()
    wheel = tiny_wheel(tmp_path, {"tiny_thing/libtiny.so": raw}, tags=tags)
    report = audit_wheel(policy, wheel, real_tools(tmp_path))
    assert report.wheel == wheel.name
    return {finding.name: finding for finding in report.findings}


def test_a_wheel_as_asked_passes_every_line(tmp_path: Path) -> None:
    found = findings(tmp_path, POLICY)
    assert [f for f in found.values() if f.state != "passed"] == []
    assert {
        "platform tag",
        "device code",
        "CPU level",
        "glibc",
        "version",
        "zip and RECORD",
    } <= set(found)


def test_a_wheel_of_several_faults(tmp_path: Path) -> None:
    source = 'const char *version(void) { return "tiny-thing 0.9 /home/me/x.cc"; }\n'
    flags = ("-z", "execstack", "-Wl,-rpath,/opt/lib")
    found = findings(tmp_path, POLICY, *flags, source=source)
    failed = {name for name, finding in found.items() if finding.state == "failed"}
    assert failed == {"version", "hardening", "search paths", "build paths"}


def test_any_wheel_may_be_audited_without_a_plan(tmp_path: Path) -> None:
    found = findings(tmp_path, AuditPolicy(), "-Wl,-rpath,/opt/lib")
    assert not [f for f in found.values() if f.state == "failed"]
    assert found["CPU level"].state == "skipped"
    assert found["platform tag"].state == "passed"


def test_a_dishonest_tag_fails_without_a_plan(tmp_path: Path) -> None:
    source = "#include <stdlib.h>\nunsigned f(void) { return arc4random(); }\n"
    found = findings(tmp_path, AuditPolicy(), source=source)
    assert found["platform tag"].state == "failed"


def test_a_wheel_without_machine_code(tmp_path: Path) -> None:
    wheel = tiny_wheel(tmp_path, tags="py3-none-any")
    report = audit_wheel(AuditPolicy(), wheel, real_tools(tmp_path))
    assert {f.state for f in report.findings} == {"passed", "skipped"}
    assert "glibc" not in {f.name for f in report.findings}


def test_a_library_by_another_name_is_audited(tmp_path: Path) -> None:
    """It would be loaded all the same."""
    raw = compile_c(tmp_path, SOURCE, "-s", "-z", "execstack").read_bytes()
    wheel = tiny_wheel(tmp_path, {"tiny_thing/data.bin": raw}, tags=GOOD_TAG)
    found = audit_wheel(POLICY, wheel, real_tools(tmp_path)).findings
    failed = {finding.name for finding in found if finding.state == "failed"}
    assert {"hardening", "machine code"} <= failed


def test_every_kind_of_thing_that_no_plan_allows_is_a_finding_of_its_own(tmp_path: Path) -> None:
    files = {
        "evil.pth": b"import evil", "sitecustomize.py": b"", "evil/__init__.py": b"",
        "tiny_thing-1.0.data/scripts/pip": b"", "tiny_thing/A.py": b"", "tiny_thing/a.py": b"",
        "tiny_thing-1.0.dist-info/METADATA": metadata(
            "tiny-thing", "1.0", "Name: evil", "Requires-Dist: evil @ https://elsewhere.example/e"
        ),
    }  # fmt: skip
    wheel = add_entry(
        tiny_wheel(tmp_path, files, tags="py3-none-any"), "tiny_thing/l", mode=0o120777
    )
    wheel.write_bytes(wheel.read_bytes() + b"more")
    policy = AuditPolicy(version="1.0", folders=("tiny_thing", "tiny_thing.libs"))
    found = audit_wheel(policy, wheel, real_tools(tmp_path)).findings
    assert {finding.name for finding in found if finding.state == "failed"} >= {
        "zip file", "zip and RECORD", "names of files", "permissions and types",
        "places of files", "run at every start", "commands", "metadata", "requirements",
    }  # fmt: skip


def test_what_the_rules_of_a_tree_put_into_their_wheel_is_reported(tmp_path: Path) -> None:
    """As TensorFlow's own: symbols, commands, paths into Bazel's folders, no tag of manylinux."""
    source = 'void *dlopen(const char *, int);\nvoid *f(void) { return dlopen("libitt.so", 1); }\n'
    raw = compile_c(tmp_path, source, "-Wl,-rpath,$ORIGIN/../../_solib_k8").read_bytes()
    files = {
        "tiny_thing/libtiny.so.2": raw,
        "tiny_thing-1.0.dist-info/entry_points.txt": b"[console_scripts]\ntoco = tiny_thing:f\n",
    }
    wheel = tiny_wheel(tmp_path, files, tags=f"{TAG}-{TAG}-linux_x86_64")
    policy = replace(POLICY, glibc_ceiling="2.36", folders=("tiny_thing",), packed_by_tree=True)
    report = audit_wheel(policy, wheel, real_tools(tmp_path))
    found = {finding.name: finding for finding in report.findings}
    assert [f for f in found.values() if f.state == "failed"] == []
    assert {name for name, finding in found.items() if finding.state == "skipped"} >= {
        "symbols", "commands", "search paths", "libraries opened at run time",
    }  # fmt: skip
    strict = audit_wheel(replace(policy, packed_by_tree=False), wheel, real_tools(tmp_path))
    assert {f.name for f in strict.findings if f.state == "failed"} >= {
        "symbols", "commands", "search paths", "platform tag", "version",
    }  # fmt: skip


def test_what_was_asked_of_a_tree_is_judged(tmp_path: Path) -> None:
    asked = replace(POLICY, version="1.1", architectures=("sm_90",), packed_by_tree=True)
    found = findings(tmp_path, asked, "-mavx2", "-O3")
    assert {name for name, finding in found.items() if finding.state == "failed"} >= {
        "version", "device code",
    }  # fmt: skip


def test_a_wheel_that_cannot_be_read_has_one_finding(tmp_path: Path) -> None:
    wheel = tiny_wheel(tmp_path)
    raw, name = bytearray(wheel.read_bytes()), b"tiny_thing/__init__.py"
    raw[raw.index(name) - 24] |= 1
    raw[raw.rindex(name) - 38] |= 1
    wheel.write_bytes(bytes(raw))
    (found,) = audit_wheel(POLICY, wheel, real_tools(tmp_path)).findings
    assert (found.state, found.detail) == ("failed", "tiny_thing/__init__.py is encrypted")


@pytest.mark.network
def test_numpy_as_it_is_published_passes(tmp_path: Path) -> None:
    words = ("download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest", str(tmp_path))
    subprocess.run([sys.executable, "-m", "pip", *words, "numpy"], check=True)
    (wheel,) = tmp_path.glob("numpy-*.whl")
    found = audit_wheel(AuditPolicy(), wheel, real_tools(tmp_path)).findings
    assert [finding for finding in found if finding.state == "failed"] == []


def test_what_is_no_wheel(tmp_path: Path) -> None:
    path = tmp_path / f"x-1-{GOOD_TAG}.whl"
    path.write_bytes(b"PK nonsense")
    with fails("wheel-not-zip", path.name):
        audit_wheel(AuditPolicy(), path, real_tools(tmp_path))


@pytest.mark.parametrize("policy", [POLICY, AuditPolicy()], ids=["planned", "unplanned"])
def test_libraries_that_cannot_be_read_fail_and_the_others_are_audited(
    tmp_path: Path, policy: AuditPolicy
) -> None:
    raw = compile_c(tmp_path, SOURCE, "-s").read_bytes()
    executable = compile_c(tmp_path, SOURCE, "-s", "-z", "execstack").read_bytes()
    puzzle = bytearray(raw)
    section = puzzle.index(b"\0.dynamic\0") + 1
    puzzle[section : section + 8] = b".dynamit"
    files = {
        "tiny_thing/broken.so": raw[:-700],
        "tiny_thing/data.bin": bytes(puzzle),
        "tiny_thing/libtiny.so": executable,
    }
    wheel = tiny_wheel(tmp_path, files, tags=GOOD_TAG)
    found = {f.name: f for f in audit_wheel(policy, wheel, real_tools(tmp_path)).findings}
    for name, why in (("broken.so", "not a whole ELF file"), ("data.bin", "is a riddle")):
        assert found[f"library tiny_thing/{name}"].state == "failed"
        assert why in found[f"library tiny_thing/{name}"].detail
    assert found["hardening"].state == "failed", "the other one is audited"


def test_a_library_that_is_a_riddle_is_not_handed_to_another_reader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader that follows what ours refuses may never come back."""
    monkeypatch.setattr("tfbuild.builds.stages.audit.analyse", None)
    raw = compile_c(tmp_path, SOURCE, "-s").read_bytes()
    wheel = tiny_wheel(tmp_path, {"tiny_thing/libtiny.so": raw[:200]}, tags=GOOD_TAG)
    report = audit_wheel(AuditPolicy(), wheel, real_tools(tmp_path))
    assert "failed" in {finding.state for finding in report.findings}

"""The machine itself: system, processor, memory, limits, locale, clock."""

import os
import resource
import time
from pathlib import Path
from typing import Any

import pytest

from tests.doctor.checks.contexts import a_context, a_script, lines_of, the_line
from tfbuild.core.cgroups import Limit
from tfbuild.doctor.checks import host
from tfbuild.doctor.checks.model import BuildNeeds

RUNTIME = BuildNeeds(
    title="the bundled runtime",
    platforms=("linux-x86_64",),
    glibc=">=2.28",
    memory_mb=3000,
    jobs=2,
    jobs_because="2 jobs: as many as processors",
)


@pytest.mark.parametrize(
    ("machine", "state", "fix"),
    [
        ({}, "pass", ""),
        ({"machine": "aarch64"}, "failure", "linux-x86_64"),
        ({"glibc": "2.17"}, "failure", "newer distribution"),
        ({"glibc": ""}, "failure", "newer distribution"),
    ],
)
def test_system(tmp_path: Path, machine: dict[str, Any], state: str, fix: str) -> None:
    line = the_line(host.system(a_context(tmp_path, needs=RUNTIME, **machine)))
    assert line.state == state
    assert fix in line.fix


def test_any_machine_will_do_where_the_constraint_does_not_say(tmp_path: Path) -> None:
    assert the_line(host.system(a_context(tmp_path, machine="aarch64"))).state == "pass"


def test_a_processor_without_avx_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host, "cpu_flags", lambda: frozenset({"sse2", "avx", "avx2"}))
    assert "avx avx2" in the_line(host.processor(a_context(tmp_path))).detail
    monkeypatch.setattr(host, "cpu_flags", lambda: frozenset({"sse2"}))
    assert the_line(host.processor(a_context(tmp_path))).state == "warning"
    assert the_line(host.processor(a_context(tmp_path, machine="aarch64"))).state == "pass"


def test_fewer_processors_than_there_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 64)
    assert "2 usable of 64" in the_line(host.processor(a_context(tmp_path))).detail


@pytest.mark.parametrize(
    ("free", "state", "fix"),
    [(3000, "pass", ""), (2999, "failure", "free 1 MB")],
)
def test_memory_is_judged_by_the_jobs(tmp_path: Path, free: int, state: str, fix: str) -> None:
    line = the_line(host.memory(a_context(tmp_path, needs=RUNTIME, memory_free_mb=free)))
    assert line.state == state
    assert fix in line.fix


def test_fewer_jobs_than_processors_are_a_warning(tmp_path: Path) -> None:
    needs = BuildNeeds(memory_mb=10_000, jobs=5, jobs_because="5 jobs: 11.0 GB free")
    context = a_context(tmp_path, needs=needs, memory_free_mb=11_000, memory_mb=12_000, cpus=32)
    line = the_line(host.memory(context))
    assert line.state == "warning"
    assert "5 jobs: 11.0 GB free" in line.detail


def test_the_group_that_limits_memory_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit = Limit(amount=8000 << 20, free=0, where="/sys/fs/cgroup/memory.max")
    monkeypatch.setattr(host, "memory_limits", lambda: (limit,))
    line = the_line(host.memory(a_context(tmp_path, memory_mb=8000, memory_free_mb=8000)))
    assert "limit of /sys/fs/cgroup/memory.max" in line.detail


def limited(monkeypatch: pytest.MonkeyPatch, **limits: int) -> None:
    by_number = {getattr(resource, f"RLIMIT_{name}"): value for name, value in limits.items()}
    free = resource.RLIM_INFINITY
    monkeypatch.setattr(resource, "getrlimit", lambda number: (by_number.get(number, free),) * 2)
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    monkeypatch.setattr(host, "process_limits", lambda: ())


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("NOFILE", 256, "warning ulimit -n"),
        ("NPROC", 100, "warning ulimit -u"),
        ("AS", 2 << 30, "failure ulimit -v"),
        ("FSIZE", 1 << 20, "warning ulimit -f"),
    ],
)
def test_each_limit_has_its_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: int, expected: str
) -> None:
    limited(monkeypatch, **{name: value})
    line = the_line(host.limits(a_context(tmp_path)))
    assert f"{line.state} {line.fix}".startswith(expected)


def test_no_limits_pass_and_few_processes_do_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limited(monkeypatch)
    assert the_line(host.limits(a_context(tmp_path))).state == "pass"
    full = Limit(amount=100, free=3, where="/sys/fs/cgroup/pids.max")
    monkeypatch.setattr(host, "process_limits", lambda: (full,))
    line = the_line(host.limits(a_context(tmp_path)))
    assert line.state == "warning"
    assert "3 more" in line.detail


def test_a_locale_that_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LC_ALL", "LC_CTYPE", "LANG"):
        monkeypatch.delenv(name, raising=False)
    assert the_line(host.language(a_context(tmp_path))).state == "pass"
    monkeypatch.setenv("LANG", "xx_YY.UTF-8")
    line = the_line(host.language(a_context(tmp_path)))
    assert line.state == "warning"
    assert "xx_YY.UTF-8" in line.detail


def test_without_c_utf8_names_of_files_may_break(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = a_script(tmp_path / "python", "echo C.UTF-8")
    monkeypatch.setattr("sys.executable", script)
    assert "C.UTF-8 is missing" in the_line(host.language(a_context(tmp_path))).detail


def test_the_clock_of_this_machine(tmp_path: Path) -> None:
    assert the_line(host.clock(a_context(tmp_path))).state == "pass"


@pytest.mark.parametrize("off", [-30.0, 30.0])
def test_a_disk_with_another_clock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, off: float
) -> None:
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now - off)
    line = the_line(host.clock(a_context(tmp_path)))
    assert line.state == "warning"
    assert f"{off:+.0f}"[:3] in line.detail


def test_a_clock_that_stands_in_the_past(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    later = time.time() + 10 * 86400
    os.utime(package / "__init__.py", (later, later))
    monkeypatch.setattr(host, "PACKAGE", package)
    line = the_line(host.clock(a_context(tmp_path)))
    assert "before the day" in line.detail


def test_every_check_is_in_the_list(tmp_path: Path) -> None:
    context = a_context(tmp_path, memory_free_mb=8000)
    for spec in host.CHECKS:
        assert lines_of(spec.look(context)), spec.full_name

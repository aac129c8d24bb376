"""Memory as a build meets it, from trees as the kernel shows them."""

from pathlib import Path

import pytest

from tfbuild.bazel.memory import MemoryState, memory_state

MB = 1 << 20


@pytest.fixture
def proc(tmp_path: Path) -> Path:
    folder = tmp_path / "proc"
    (folder / "7").mkdir(parents=True)
    (folder / "pressure").mkdir()
    (folder / "meminfo").write_text("MemTotal: 8192000 kB\nMemAvailable: 4096000 kB\n")
    (folder / "7" / "cgroup").write_text("0::/box\n")
    (folder / "pressure" / "memory").write_text("some avg10=9.00\nfull avg10=1.50 avg60=0\n")
    (folder / "vmstat").write_text("oom_kill 3\n")
    return folder


def group(tmp_path: Path, **files: str) -> Path:
    folder = tmp_path / "groups"
    (folder / "box").mkdir(parents=True)
    for name, text in files.items():
        (folder / "box" / name.replace("__", ".")).write_text(text)
    return folder


def test_a_machine_without_limits(proc: Path, tmp_path: Path) -> None:
    state = memory_state(7, proc, group(tmp_path))
    assert (state.total_mb, state.free_mb, state.limit) == (8000, 4000, "this machine")
    assert (state.stall, state.kills) == (1.5, 3)


def test_the_tightest_group_of_the_server_counts(proc: Path, tmp_path: Path) -> None:
    groups = group(
        tmp_path,
        memory__max=str(1000 * MB),
        memory__current=str(900 * MB),
        memory__stat=f"inactive_file {100 * MB}\nactive_file {100 * MB}\n",
        memory__events="oom 1\noom_kill 2\n",
        memory__pressure="full avg10=40.00 avg60=0\n",
    )
    state = memory_state(7, proc, groups)
    assert (state.total_mb, state.free_mb) == (1000, 250)
    assert "1000 MB" in state.limit
    assert (state.stall, state.kills) == (40.0, 2)


def test_what_must_stay_free_goes_with_the_size() -> None:
    def reserve(total: int) -> int:
        return MemoryState(total_mb=total, free_mb=0, limit="").reserve_mb

    assert [reserve(n) for n in (100, 1200, 64_000)] == [48, 100, 1024]

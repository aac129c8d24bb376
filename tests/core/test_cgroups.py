"""Limits of control groups, read from trees as the kernel shows them."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tfbuild.core.cgroups import cpu_limits, group_folders, memory_limits, process_limits

MB = 1 << 20


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "cgroup"
    path.write_text("0::/\n")
    return path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    path = tmp_path / "sys"
    path.mkdir()
    return path


def fill(folder: Path, **files: object) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, value in files.items():
        (folder / name.replace("__", ".")).write_text(f"{value}\n")


def amounts(root: Path, own: Path) -> list[tuple[int, int]]:
    return [(limit.amount // MB, limit.free // MB) for limit in memory_limits(root, own)]


def test_the_own_group_and_every_one_above_it_count(root: Path, own: Path) -> None:
    own.write_text("0::/user.slice/build.scope\n")
    inner = root / "user.slice" / "build.scope"
    fill(inner, memory__max="max", memory__current=100 * MB, cpu__max="max 100000")
    fill(inner.parent, memory__max=1000 * MB, memory__current=400 * MB, cpu__max="150000 100000")
    fill(root, cpu__max="400000 100000")
    assert amounts(root, own) == [(1000, 600)]
    assert cpu_limits(root, own) == (1.5, 4.0)
    assert memory_limits(root, own)[0].where.endswith("user.slice/memory.max")


def test_above_high_a_group_is_slowed_down_so_it_is_a_limit(root: Path, own: Path) -> None:
    fill(root, memory__max=2000 * MB, memory__high=800 * MB, memory__current=300 * MB)
    assert sorted(amounts(root, own)) == [(800, 500), (2000, 1700)]


def test_files_that_the_kernel_can_drop_are_free(root: Path, own: Path) -> None:
    fill(root, memory__max=1000 * MB, memory__current=900 * MB)
    (root / "memory.stat").write_text(f"anon {MB}\ninactive_file {500 * MB}\nactive_file 1\n")
    assert amounts(root, own) == [(1000, 600)]


def test_version_one_has_a_folder_per_controller(root: Path, own: Path) -> None:
    own.write_text("4:memory:/docker/abc\n3:cpu,cpuacct:/docker/abc\n0::/\n")
    fill(
        root / "memory" / "docker" / "abc",
        memory__limit_in_bytes=512 * MB,
        memory__usage_in_bytes=500 * MB,
    )
    (root / "memory/docker/abc/memory.stat").write_text(f"total_inactive_file {100 * MB}\n")
    fill(root / "memory", memory__limit_in_bytes=9223372036854771712, memory__usage_in_bytes=1)
    fill(root / "cpu,cpuacct" / "docker", cpu__cfs_quota_us=300000, cpu__cfs_period_us=100000)
    fill(root / "cpu,cpuacct", cpu__cfs_quota_us=-1, cpu__cfs_period_us=100000)
    assert amounts(root, own) == [(512, 112)]
    assert cpu_limits(root, own) == (3.0,)


def test_in_a_container_the_mounted_root_is_the_own_group(root: Path, own: Path) -> None:
    own.write_text("4:memory:/docker/not/visible/here\n0::/../../elsewhere\n")
    fill(root / "memory", memory__limit_in_bytes=256 * MB, memory__usage_in_bytes=0)
    assert amounts(root, own) == [(256, 256)]
    assert all(".." not in folder.parts for folder in group_folders("memory", root, own))


def test_both_versions_side_by_side(root: Path, own: Path) -> None:
    own.write_text("2:pids:/a\n1:name=systemd:/a\n0::/a\n")
    fill(root / "unified" / "a", memory__max=128 * MB, memory__current=0)
    fill(root / "pids" / "a", pids__max=100, pids__current=40)
    fill(root / "pids", pids__max="max")
    assert amounts(root, own) == [(128, 128)]
    assert [(p.amount, p.free) for p in process_limits(root, own)] == [(100, 60)]


@pytest.mark.parametrize("text", ["", "no cgroup file", "0::\n", "7:memory\n"])
def test_what_cannot_be_read_limits_nothing(root: Path, own: Path, text: str) -> None:
    own.write_text(text)
    fill(root, memory__max="many", cpu__max="0 0")
    assert memory_limits(root, own) == ()
    assert cpu_limits(root, own) == ()
    assert process_limits(root, own) == ()
    assert memory_limits(root / "none", own) == ()


@given(st.text(alphabet="0123456789:/.,\n memorycpu", max_size=200))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
def test_any_text_of_the_kernel_is_survived(root: Path, own: Path, text: str) -> None:
    own.write_text(text)
    for folder in group_folders("memory", root, own):
        assert folder == root or root in folder.parents


def test_a_full_group_has_nothing_free(root: Path, own: Path) -> None:
    fill(root, memory__max=100 * MB, memory__current=300 * MB)
    assert amounts(root, own) == [(100, 0)]

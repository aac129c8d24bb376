"""Unpacking wheels: layout, rights, and every way to try to get out of the folder."""

import stat
import zipfile
from pathlib import Path

import pytest

from tests.failing import fails
from tfbuild.fetch.seals import find_damage, sealed_digests
from tfbuild.fetch.unpack import unpack_wheel


def a_wheel(folder: Path, members: dict[str, bytes], modes: dict[str, int] | None = None) -> Path:
    path = folder / "a-1-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            info = zipfile.ZipInfo(name)
            info.external_attr = (modes or {}).get(name, stat.S_IFREG | 0o644) << 16
            archive.writestr(info, content)
    return path


def test_data_schemes_land_where_an_installation_puts_them(tmp_path: Path) -> None:
    members = {
        "pkg/a.py": b"1",
        "a-1.data/data/lib/liba.so": b"2",
        "a-1.data/platlib/pkg/b.so": b"3",
        "a-1.data/scripts/run": b"4",
        "a-1.data/headers/a.h": b"5",
    }
    modes = {"a-1.data/scripts/run": stat.S_IFREG | 0o755}
    root = unpack_wheel(a_wheel(tmp_path, members, modes), tmp_path / "out")
    assert find_damage(root, in_full=True) == ""
    found = {place: (root / place).read_bytes() for place in sealed_digests(root)}
    assert found == {
        "pkg/a.py": b"1",
        "lib/liba.so": b"2",
        "pkg/b.so": b"3",
        "bin/run": b"4",
        "include/a.h": b"5",
    }
    assert (root / "bin/run").stat().st_mode & 0o111
    assert not (root / "pkg/a.py").stat().st_mode & 0o111


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("../evil", "wheel-member-leads-out"),
        ("/evil", "wheel-member-leads-out"),
        ("a/../../evil", "wheel-member-leads-out"),
        ("a-1.data/data/../../../evil", "wheel-member-leads-out"),
        ("..\\evil", "wheel-member-leads-out"),
        ("a-1.data/x/y", "wheel-scheme-unknown"),
    ],
)
def test_a_member_that_leads_out_is_refused(tmp_path: Path, name: str, code: str) -> None:
    wheel = a_wheel(tmp_path, {"good": b"", name: b"evil"})
    with fails(code, name):
        unpack_wheel(wheel, tmp_path / "deep" / "out")
    assert not list(tmp_path.rglob("evil"))
    assert not (tmp_path / "deep" / "out").exists()


def test_links_are_refused(tmp_path: Path) -> None:
    wheel = a_wheel(tmp_path, {"link": b"/etc"}, {"link": stat.S_IFLNK | 0o777})
    with fails("wheel-member-no-file", "link"):
        unpack_wheel(wheel, tmp_path / "out")


def test_two_members_of_one_name_are_refused(tmp_path: Path) -> None:
    wheel = a_wheel(tmp_path, {"pkg/a": b"1", "a-1.data/purelib/pkg/a": b"2"})
    with fails("wheel-member-twice", "a-1.data/purelib/pkg/a"):
        unpack_wheel(wheel, tmp_path / "out")


def test_a_broken_file_is_one_clear_error_and_leaves_nothing(tmp_path: Path) -> None:
    wheel = a_wheel(tmp_path, {"a": b"x" * 9999})
    wheel.write_bytes(wheel.read_bytes()[:300])
    with fails("wheel-not-unpacked", wheel.name):
        unpack_wheel(wheel, tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == [wheel.name]


@pytest.mark.parametrize(
    ("names", "code"),
    [
        (("a", "a/b"), "wheel-members-collide"),
        (("a/b", "a"), "wheel-members-collide"),
        (("x" * 300,), "wheel-member-too-long"),
        (("a/" + "é" * 128,), "wheel-member-too-long"),
        ((("x" * 200 + "/") * 30 + "a",), "wheel-member-too-long"),
    ],
)
def test_names_that_no_disk_takes_are_refused(
    tmp_path: Path, names: tuple[str, ...], code: str
) -> None:
    wheel = a_wheel(tmp_path, dict.fromkeys(names, b"1"))
    with fails(code, wheel.name):
        unpack_wheel(wheel, tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == [wheel.name]


def test_what_is_unpacked_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    assert unpack_wheel(tmp_path / "missing.whl", tmp_path / "out") == tmp_path / "out"

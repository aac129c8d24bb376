import os
import zipfile
from pathlib import Path

import pytest

from tests.failing import fails
from tests.shared_libraries import TAGS, metadata, tiny_wheel
from tfbuild.core.records import Interpreter
from tfbuild.wheels.wheel_file import (
    file_word,
    is_for_python,
    is_info_of,
    main_package,
    open_wheel,
    parse_name,
    plain_requirements,
    read_files,
    write_wheel,
)


def test_names() -> None:
    name = parse_name("numpy-2.1.0-cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64.whl")
    assert (name.name, name.version, name.python) == ("numpy", "2.1.0", "cp311")
    assert tuple(map(str, name.tags)) == (
        "cp311-cp311-manylinux_2_17_x86_64",
        "cp311-cp311-manylinux2014_x86_64",
    )
    odd = parse_name("NVIDIA_cuda.nvcc-1.0.RC1-7local-py2.py3-none-any.whl")
    assert (odd.name, odd.version, odd.tag) == ("nvidia-cuda-nvcc", "1.0rc1", "py2.py3-none-any")


@pytest.mark.parametrize(
    "name",
    [
        *("x.whl", "a-1-py3-none.whl", "a-1-py3-none-any.zip", "", "a__b-1-py3-none-any.whl"),
        *("a-from.then-py3-none-any.whl", "a-1-x-py3-none-any.whl", "a b-1-py3-none-any.whl"),
    ],
)
def test_names_that_are_none(name: str) -> None:
    with fails("wheel-name-invalid", f"'{name}'"):
        parse_name(name)


def test_a_written_wheel_has_no_problems(tmp_path: Path) -> None:
    content = open_wheel(tiny_wheel(tmp_path, {"tiny_thing/data.txt": b"x" * 1000}))
    assert content.problems == ()
    assert content.dist_info == "tiny_thing-1.0.dist-info"
    assert content.metadata["Name"] == "tiny-thing"
    assert content.installed_size > 1000
    assert content.read("tiny_thing/data.txt") == b"x" * 1000


def test_the_same_content_gives_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"tiny_thing/b.py": b"b", "tiny_thing/a.py": b"a"}
    first = tiny_wheel(tmp_path / "one", files).read_bytes()
    again = tiny_wheel(tmp_path / "two", dict(reversed(files.items()))).read_bytes()
    assert first == again
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    assert tiny_wheel(tmp_path / "three", files).read_bytes() != first


def test_metadata_comes_last_and_libraries_are_executable(tmp_path: Path) -> None:
    files = {"t/lib.so": b"1", "t-1.dist-info/METADATA": metadata("t", "1"), "z/last.py": b""}
    path = write_wheel(tmp_path / "t-1-py3-none-any.whl", files, executable=["t/lib.so"])
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        modes = {e.filename: e.external_attr >> 16 & 0o777 for e in archive.infolist()}
    assert names[:2] == ["t/lib.so", "z/last.py"]
    assert modes["t/lib.so"] == 0o755
    assert modes["z/last.py"] == 0o644


def test_a_wheel_that_is_cut_off(tmp_path: Path) -> None:
    path = tiny_wheel(tmp_path)
    path.write_bytes(path.read_bytes()[:-40])
    with fails("wheel-not-zip", path.name):
        open_wheel(path)


def test_a_wheel_that_is_not_there(tmp_path: Path) -> None:
    with fails("wheel-missing", f"no-1.0-{TAGS}.whl"):
        open_wheel(tmp_path / f"no-1.0-{TAGS}.whl")


def rewrite(path: Path, change: dict[str, bytes], *, drop: str = "") -> Path:
    """The wheel with other bytes in it, but the RECORD it had."""
    files = read_files(path) | change
    files.pop(drop, None)
    with zipfile.ZipFile(path, "w") as archive:
        for name, raw in files.items():
            archive.writestr(name, raw)
    return path


def test_a_changed_file_is_seen(tmp_path: Path) -> None:
    path = rewrite(tiny_wheel(tmp_path), {"tiny_thing/__init__.py": b"evil = 1\n"})
    assert open_wheel(path).problems == (
        "tiny_thing/__init__.py is not the file that RECORD describes",
    )


def test_added_and_missing_files_are_seen(tmp_path: Path) -> None:
    path = rewrite(tiny_wheel(tmp_path), {"tiny_thing/more.py": b""}, drop="tiny_thing/__init__.py")
    assert set(open_wheel(path).problems) == {
        "RECORD lacks tiny_thing/more.py",
        "RECORD lists tiny_thing/__init__.py, which is not there",
    }


def test_rows_of_record_that_contradict_each_other_are_seen(tmp_path: Path) -> None:
    record = "tiny_thing-1.0.dist-info/RECORD"
    path = tiny_wheel(tmp_path)
    raw = read_files(path)[record]
    rewrite(path, {record: b"tiny_thing/__init__.py,sha256=AAAA,1\n" + raw})
    assert "RECORD lists tiny_thing/__init__.py twice" in open_wheel(path).problems
    rewrite(path, {record: raw.replace(b"RECORD,,", b"RECORD,sha256=AAAA,1")})
    assert f"RECORD describes {record}, which is made after it" in open_wheel(path).problems


def test_a_second_dist_info_folder_is_seen(tmp_path: Path) -> None:
    other = {"another-2.dist-info/METADATA": metadata("another", "2")}
    content = open_wheel(tiny_wheel(tmp_path, other))
    assert content.dist_info == "tiny_thing-1.0.dist-info"
    assert content.problems == ("another-2.dist-info is there beside tiny_thing-1.0.dist-info",)


def test_what_is_encrypted_is_refused(tmp_path: Path) -> None:
    path = tiny_wheel(tmp_path)
    raw, name = bytearray(path.read_bytes()), b"tiny_thing/__init__.py"
    raw[raw.index(name) - 24] |= 1
    raw[raw.rindex(name) - 38] |= 1
    path.write_bytes(bytes(raw))
    with fails("wheel-not-zip", "tiny_thing/__init__.py", "encrypted"):
        open_wheel(path)


def test_the_beginnings_of_all_files(tmp_path: Path) -> None:
    content = open_wheel(tiny_wheel(tmp_path, {"tiny_thing/a": b"0123456789", "tiny_thing/b": b""}))
    found = dict(content.beginnings(4))
    assert set(found) == set(content.files)
    assert (found["tiny_thing/a"], found["tiny_thing/b"]) == (b"0123", b"")


def test_names_of_files_and_folders() -> None:
    assert file_word("Tiny.Run-time") == "tiny_run_time"
    name = parse_name("tiny_thing-1.0-py3-none-any.whl")
    assert is_info_of("tiny_thing-1.0.0.dist-info", name)
    assert not is_info_of("tiny_thing-2.0.dist-info", name)
    assert not is_info_of("other-1.0.dist-info", name)


def test_without_record(tmp_path: Path) -> None:
    path = rewrite(tiny_wheel(tmp_path), {}, drop="tiny_thing-1.0.dist-info/RECORD")
    assert open_wheel(path).problems == ("tiny_thing-1.0.dist-info/RECORD is missing",)


@pytest.mark.parametrize("name", ["../evil.py", "/etc/evil", "a/../../evil", "a\\..\\evil"])
def test_paths_that_escape(tmp_path: Path, name: str) -> None:
    path = rewrite(tiny_wheel(tmp_path), {name: b""})
    assert any("outside the site folder" in problem for problem in open_wheel(path).problems)


def test_links_are_seen(tmp_path: Path) -> None:
    path = tiny_wheel(tmp_path)
    entry = zipfile.ZipInfo("tiny_thing/link.py")
    entry.external_attr = 0o120777 << 16
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(entry, "/etc/passwd")
    assert any("is a link" in problem for problem in open_wheel(path).problems)


def test_a_damaged_entry_is_seen(tmp_path: Path) -> None:
    path = tiny_wheel(tmp_path, {"tiny_thing/data.bin": bytes(range(256)) * 40})
    raw = bytearray(path.read_bytes())
    at = raw.index(b"tiny_thing/data.bin") + len("tiny_thing/data.bin") + 30
    raw[at] ^= 0xFF
    path.write_bytes(bytes(raw))
    with fails("wheel-not-zip", "tiny_thing/data.bin"):
        open_wheel(path)


def test_main_package_and_requirements(tmp_path: Path) -> None:
    more = {"zzz/__init__.py": b"", "zzz/a.py": b"", "zzz/b.py": b""}
    requires = ("numpy>=1.23", "nvidia-cublas>=13; extra == 'cuda13'")
    path = tiny_wheel(tmp_path, more, requires=requires)
    assert main_package(open_wheel(path)) == "tiny_thing"
    assert plain_requirements(path) == ("numpy>=1.23",)
    other = open_wheel(tiny_wheel(tmp_path / "o", more, name="other_name"))
    assert main_package(other) == "other_name"


def test_for_the_requirements_no_other_file_is_unpacked(tmp_path: Path) -> None:
    path = tiny_wheel(tmp_path, {"tiny_thing/data.bin": bytes(range(256)) * 40}, requires=("a",))
    raw = bytearray(path.read_bytes())
    raw[raw.index(b"tiny_thing/data.bin") + len("tiny_thing/data.bin") + 30] ^= 0xFF
    path.write_bytes(bytes(raw))
    assert plain_requirements(path) == ("a",)
    path.write_bytes(raw[:-30])
    with fails("wheel-not-zip"):
        plain_requirements(path)


def test_the_package_of_the_distribution_may_be_spelled_otherwise(tmp_path: Path) -> None:
    files = {"t-1.dist-info/METADATA": metadata("Big.Thing", "1"), "big_thing/__init__.py": b""}
    files |= {f"zzz/{name}.py": b"" for name in ("__init__", "a", "b")}
    path = write_wheel(tmp_path / "Big.Thing-1-py3-none-any.whl", files)
    assert main_package(open_wheel(path)) == "big_thing"


@pytest.mark.parametrize(
    ("tags", "fitting"),
    [
        ("cp312-cp312-linux_x86_64", {"cp312"}),
        ("cp313-cp313-linux_x86_64", {"cp313"}),
        ("cp313-cp313t-linux_x86_64", {"cp313t"}),
        ("cp39-abi3-manylinux_2_17_x86_64", {"cp312", "cp313"}),
        ("cp311.cp312-none-any", {"cp312"}),
        ("py2.py3-none-any", {"cp312", "cp313", "cp313t"}),
        ("py2-none-any", set()),
        ("pp312-pypy312_pp73-linux_x86_64", set()),
    ],
)
def test_a_wheel_fits_the_pythons_that_pip_installs_it_into(tags: str, fitting: set[str]) -> None:
    versions = {"cp312": "3.12.1", "cp313": "3.13.0", "cp313t": "3.13.0"}
    pythons = [Interpreter(path="", version=v, tag=tag) for tag, v in versions.items()]
    name = parse_name(f"a-1-{tags}.whl")
    assert {python.tag for python in pythons if is_for_python(name, python)} == fitting


@pytest.mark.parametrize(
    ("name", "size"), [("METADATA", 2_000_001), ("WHEEL", 100_001), ("RECORD", 10_000_001)]
)
def test_a_description_larger_than_any_is_refused(tmp_path: Path, name: str, size: int) -> None:
    file = f"tiny_thing-1.0.dist-info/{name}"
    noise = {"tiny_thing/noise": os.urandom(200_000)}  # a small wheel may not grow so much
    path = rewrite(tiny_wheel(tmp_path, noise), {file: b"A: b\n" + b"\n" * size})
    with fails("wheel-text-too-large", name):
        open_wheel(path)
    if name == "METADATA":
        with fails("wheel-text-too-large", name):
            plain_requirements(path)


def test_a_record_that_lists_more_than_is_there_is_read_to_an_end(tmp_path: Path) -> None:
    record = "tiny_thing-1.0.dist-info/RECORD"
    path = rewrite(tiny_wheel(tmp_path), {record: b"a,,\n" * 100_000})
    problems = open_wheel(path).problems
    assert problems == (f"{record} has more than 8 lines for 4 files",)

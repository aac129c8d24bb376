"""Lists of paths as Python reads them, and which files of a wheel they lead to."""

import pytest

from tfbuild.wheels.installation import SITE, Installed
from tfbuild.wheels.path_lists import Leads, PathList, parse_path_list


def at(below: str, scheme: str = SITE) -> Installed:
    return Installed(name=below, scheme=scheme, below=below)


def leads(*paths: str) -> Leads:
    return Leads([PathList(name="a.pth", runs=False, paths=paths)])


def test_lines_are_code_or_paths() -> None:
    found = parse_path_list(
        "a.pth", b"\xef\xbb\xbf# x\n\n  \none/two  \r\nimporter\rthree\x0cfour\n"
    )
    assert not found.runs
    assert {"one/two", "importer", "three", "four"} <= set(found.paths)
    for raw in (b"import\tsys\n", b"a\x0bimport sys", b"\xff\nimport sys\n"):
        assert parse_path_list("a.pth", raw).runs


@pytest.mark.parametrize(
    "path", ["foo/data.bin", "./foo//data.bin/", "foo/x/../data.bin", "FOO/data.bin"]
)
def test_a_line_that_names_a_file_leads_to_it(path: str) -> None:
    assert leads(path).to_file(at("foo/data.bin")) == "a.pth"
    assert leads(path).to_file(at("foo/data.bin2")) == ""
    assert leads(path).to_file(at("x/foo/data.bin")) == ""


@pytest.mark.parametrize(
    "path",
    [
        *("../site-packages/foo/data.bin", "/usr/lib/python3/dist-packages/foo/data.bin"),
        "../../../lib/python3.11/site-packages/foo/data.bin",
    ],
)
def test_a_line_that_comes_back_from_outside_leads_to_it(path: str) -> None:
    assert leads(path).to_file(at("foo/data.bin")) == "a.pth"
    assert leads(path).to_file(at("bar/data.bin")) == ""


def test_a_file_of_another_scheme_is_led_to_by_its_ending() -> None:
    assert leads("../../../share/foo/x.zip").to_file(at("share/foo/x.zip", "data")) == "a.pth"
    assert leads("../../../bin/x").to_file(at("x", "scripts")) == "a.pth"
    assert leads("x.zip").to_file(at("lib/python3.11/site-packages/x.zip", "data")) == "a.pth"


def test_what_lies_below_a_listed_folder_is_found_by_its_rest() -> None:
    assert [*leads("foo/sub").below(at("foo/sub/six.py"))] == ["six.py"]
    assert [*leads("../x/foo/sub").below(at("foo/sub/yaml/a.py"))] == ["yaml/a.py"]
    assert [*leads("foo/sub", ".").below(at("foo/other/six.py"))] == []
    assert [*Leads([]).below(at("foo/six.py"))] == []


def test_very_long_lines_are_no_paths() -> None:
    assert parse_path_list("a.pth", b"a/" * 100_000).paths == ()
    Leads([PathList(name="a.pth", runs=False, paths=("/a" * 2000,) * 100)])

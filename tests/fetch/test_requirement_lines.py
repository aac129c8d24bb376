"""What is written for pip and uv is a name with versions, wherever it came from."""

from dataclasses import replace

import pytest

from tests.failing import fails
from tests.source_files import PACKAGE, module_files
from tfbuild.core.records import Artifact
from tfbuild.fetch.requirement_lines import barred_line, hashed_line, pinned_line, wanted_line

FILE = Artifact(
    distribution="Tiny_Thing", version="1.0-rc1", filename="", sha256="0f" * 32, kind="smoke"
)
HOSTILE = (
    "tiny @ http://h/tiny-1-py3-none-any.whl --hash=sha256:0 #", "tiny\n--index-url=http://h",
    "--index-url=http://h", "-r other.txt", "./tiny", "tiny.whl ./tiny", "${HOME}", "tiny #", "",
    "tiny\\", "file:///tiny", "tiny\r\nother", "tiny\u2028other",
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("numpy", "numpy"),
        (" NumPy>=1.26,<3 ", "numpy>=1.26,<3"),
        ("numpy==1.*", "numpy==1.*"),
        ("numpy==1.0+cu12", "numpy==1.0+cu12"),
        ("numpy (>=1)", "numpy (>=1)"),
        ("a[b,c]~=1.2 ; python_version < '3.9'", "a[b,c]~=1.2 ; python_version < '3.9'"),
        ('a; extra == "b" and sys_platform != "x"', 'a; extra == "b" and sys_platform != "x"'),
        # A file of that name in the current folder is none of an index.
        ("evil.zip", "evil-zip"),
        ("evil.tar.gz; python_version > '3'", "evil-tar-gz; python_version > '3'"),
    ],
)
def test_a_requirement_is_passed_on(text: str, line: str) -> None:
    assert wanted_line(text) == line


@pytest.mark.parametrize(
    ("text", "code"),
    [
        *((text, "requirement-invalid") for text in HOSTILE),
        ("a @ http://h/a.zip", "requirement-from-address"),
        ("a @ file:///tmp/a", "requirement-from-address"),
        ("a@git+https://h/a", "requirement-from-address"),
        ("a; sys_platform == 'x --index-url=http://h'", "requirement-not-plain"),
        ("a; sys_platform == '\n-e .'", "requirement-invalid"),
        ("a; sys_platform == 'b #c'", "requirement-not-plain"),
        ("a; sys_platform == '${HOME}'", "requirement-not-plain"),
        ("a===b.zip", "requirement-not-plain"),
        ("a===1.0,===../b", "requirement-not-plain"),
    ],
)
def test_what_is_more_is_refused(text: str, code: str) -> None:
    with fails(code) as caught:
        wanted_line(text)
    assert caught.value.hint


def test_a_pin_says_which_file() -> None:
    assert pinned_line(FILE) == "tiny-thing==1.0rc1"
    assert barred_line(FILE) == "tiny-thing!=1.0rc1"
    assert hashed_line(FILE) == "tiny-thing==1.0rc1 --hash=sha256:" + "0f" * 32


@pytest.mark.parametrize("words", HOSTILE)
@pytest.mark.parametrize(
    ("field", "code"),
    [
        ("distribution", "pin-malformed"),
        ("version", "pin-malformed"),
        ("sha256", "pin-without-hash"),
    ],
)
def test_no_field_of_a_file_adds_to_its_line(field: str, code: str, words: str) -> None:
    with fails(code):
        hashed_line(replace(FILE, **{field: words}))  # type: ignore[arg-type]


def test_no_other_module_writes_such_lines() -> None:
    """One that joins a name and a version would have to check both."""
    may = {
        "containers/dockerfile.py",  # an expression that finds such lines in a file of ours
        "fetch/requirement_lines.py",
        "resolver/export.py",  # out of the matrices, for the user to read
    }
    found = [
        str(path.relative_to(PACKAGE))
        for path in module_files()
        for line in path.read_text().splitlines()
        if "distribution}==" in line or "distribution}!=" in line or "--hash=" in line
    ]
    assert set(found) == may

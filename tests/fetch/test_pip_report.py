"""Files out of pip's installation report."""

import json

import pytest

from tests.failing import fails
from tfbuild.fetch.pip_report import read_pip_report

SHA = "ab" * 32
RIGHT = {"hashes": {"sha256": SHA}}


def report(archive: object, file: str = "a_b-1.0%2Bc-py3-none-any.whl", **more: object) -> str:
    download = {"url": f"https://host/{file}", "archive_info": archive}
    named = {"metadata": {"name": "A.b", "version": "1.0+c"}, "download_info": download}
    return json.dumps({"install": [named | more]})


@pytest.mark.parametrize("archive", [RIGHT, {"hash": f"sha256={SHA}"}])
def test_a_file_has_its_name_and_hash(archive: object) -> None:
    (file,) = read_pip_report(report(archive), "smoke")
    assert (file.distribution, file.version, file.kind) == ("a-b", "1.0+c", "smoke")
    assert (file.filename, file.sha256) == ("a_b-1.0+c-py3-none-any.whl", SHA)


@pytest.mark.parametrize(
    "text",
    [
        "", "{}", "[]", report({"hash": "md5=ab"}), report({}),
        report({"hashes": {"sha256": "../ab"}}),
        report(RIGHT, "..%2F..%2Fa_b-1.0%2Bc-py3-none-any.whl"),
        report(RIGHT, "a_b-1.0.tar.gz"),
        report(RIGHT, "other-1.0%2Bc-py3-none-any.whl"),
        report(RIGHT, metadata={"name": "a b", "version": "1"}),
        report(RIGHT, is_direct=True),
    ],
)  # fmt: skip
def test_what_is_no_report_is_said(text: str) -> None:
    with fails("pip-report-malformed"):
        read_pip_report(text, "smoke")

"""Files out of pip's installation report."""

import json

import pytest

from tfbuild.core.errors import FetchFailed
from tfbuild.fetch.pip_report import read_pip_report


def report(archive: object) -> str:
    download = {"url": "https://host/a%2Bb-1.0-py3-none-any.whl", "archive_info": archive}
    return json.dumps(
        {"install": [{"metadata": {"name": "A.b", "version": "1.0"}, "download_info": download}]}
    )


@pytest.mark.parametrize("archive", [{"hashes": {"sha256": "ab"}}, {"hash": "sha256=ab"}])
def test_a_file_has_its_name_and_hash(archive: object) -> None:
    (file,) = read_pip_report(report(archive), "smoke")
    assert (file.distribution, file.version, file.kind) == ("a-b", "1.0", "smoke")
    assert (file.filename, file.sha256) == ("a+b-1.0-py3-none-any.whl", "ab")


@pytest.mark.parametrize("text", ["", "{}", "[]", report({"hash": "md5=ab"}), report({})])
def test_what_is_no_report_is_said(text: str) -> None:
    with pytest.raises(FetchFailed, match="not understood"):
        read_pip_report(text, "smoke")

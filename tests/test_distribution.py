"""The project as it would be published: it can be built, and an index takes it."""

import subprocess
import sys
import zipfile
from email.parser import BytesParser
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.slow
def test_the_project_is_built_and_an_index_takes_it(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(tmp_path), str(ROOT)]
    subprocess.run(words, check=True, capture_output=True)
    files = sorted(tmp_path.iterdir())
    assert [file.name.partition("-0")[0] for file in files] == ["tfbuild_chain"] * 2
    words = [sys.executable, "-m", "twine", "check", "--strict", *map(str, files)]
    subprocess.run(words, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (info,) = {name.split("/")[0] for name in names if ".dist-info/" in name}
        metadata = BytesParser().parsebytes(archive.read(f"{info}/METADATA"))
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata.get_all("License-File") == ["LICENSE"]
    assert f"{info}/licenses/LICENSE" in names
    assert {name.split("/")[0] for name in names} == {"tfbuild", info}

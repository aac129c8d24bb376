"""Things in the cache are called what people call them."""

from pathlib import Path

import pytest

from tfbuild.core.cache_mark import make_cache
from tfbuild.core.kept_json import write_kept
from tfbuild.core.layout import ARTIFACTS, BAZEL_OUTPUTS, RESOLUTIONS, SOURCES, TOOLKITS, UNPACKED
from tfbuild.fetch.cache import list_cache
from tfbuild.fetch.cache_titles import title_of

AA, BB = "a" * 64, "b" * 64


def put(path: Path, text: str = "") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_each_kind_has_its_words(tmp_path: Path) -> None:
    make_cache(tmp_path)
    put(tmp_path / f"artifacts/sha256/{AA}/numpy-2.4.6-cp311.whl")
    put(tmp_path / f"artifacts/sha256/{AA}/.tfbuild-seal.json")
    put(tmp_path / f"sources/{AA}/libpng_1.6.39.orig.tar.gz")
    put(tmp_path / f"unpacked/{AA}/numpy/x")
    put(tmp_path / f"unpacked/{BB}/scipy-1.2.dist-info/METADATA")
    put(tmp_path / f"bazel/{AA[:32]}/DO_NOT_BUILD_HERE", "/home/me/src\n")
    header = tmp_path / "toolkits" / AA[:24] / "include" / "cuda_runtime_api.h"
    put(header, "\n#define CUDART_VERSION  12060\n")
    question = '[["numpy", "h5py"], "3.11", "smoke", "x86_64"]'
    write_kept(tmp_path / f"resolutions/{AA[:24]}.json", question, {})
    write_kept(tmp_path / f"resolutions/{BB[:24]}.json", f"sha256:{'7' * 99}", {})
    assert {(entry.kind, entry.title) for entry in list_cache(tmp_path)} == {
        (ARTIFACTS.name, "numpy-2.4.6-cp311.whl"),
        (SOURCES.name, "libpng_1.6.39.orig.tar.gz"),
        (UNPACKED.name, "numpy-2.4.6-cp311.whl"),
        (UNPACKED.name, "scipy-1.2"),
        (BAZEL_OUTPUTS.name, "/home/me/src"),
        (TOOLKITS.name, "CUDA 12.6"),
        (RESOLUTIONS.name, "numpy, h5py for Python 3.11"),
        (RESOLUTIONS.name, f"sha256:{'7' * 29}...{'7' * 36}"),
    }


@pytest.mark.parametrize(
    ("kind", "name", "text"),
    [
        ("bazel", "DO_NOT_BUILD_HERE", "\x1b[31m/evil"),
        ("bazel", "DO_NOT_BUILD_HERE", "\n"),
        ("toolkits", "include/cuda_runtime_api.h", "no version"),
        ("unknown", "x", "y"),
    ],
)
def test_what_says_nothing_keeps_its_name(tmp_path: Path, kind: str, name: str, text: str) -> None:
    put(tmp_path / kind / "entry" / name, text)
    assert title_of(kind, tmp_path / kind / "entry", tmp_path) == "entry"


@pytest.mark.parametrize("text", ["", "[", "[]", "{}", '{"subject": 7}'])
def test_an_answer_that_is_damaged_is_no_error(tmp_path: Path, text: str) -> None:
    put(tmp_path / "cc.json", text)
    assert title_of(RESOLUTIONS.name, tmp_path / "cc.json", tmp_path) in {"cc.json", "7"}

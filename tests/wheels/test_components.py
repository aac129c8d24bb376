"""What the files of a wheel and of its packages say of each other."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.built_wheels import a_built_wheel, a_package
from tests.shared_libraries import tiny_wheel
from tfbuild.wheels.components import first_name, read_binaries, read_parts, sbom_name
from tfbuild.wheels.wheel_file import open_wheel


def test_libraries_have_their_first_names_and_what_they_need(tmp_path: Path) -> None:
    own, fast, gomp = read_binaries(open_wheel(a_built_wheel(tmp_path).wheel))[::-1]
    assert (own.name, own.is_own) == ("libtiny_thing.so", True)
    assert "libblas_gpu.so.13" in own.needed
    assert (gomp.name, gomp.is_own) == ("libfast.so.3", False)
    assert fast.name == "libgomp.so.1.0.0"
    assert len(own.sha256) == 64


def test_machine_code_is_a_library_whatever_its_name(tmp_path: Path) -> None:
    raw = b"\x7fELF and no more"
    found = read_binaries(open_wheel(tiny_wheel(tmp_path, {"tiny_thing/data.bin": raw})))
    assert [(one.name, one.needed) for one in found] == [("data.bin", ())]


def test_each_package_is_known_by_its_files(tmp_path: Path) -> None:
    built = a_built_wheel(tmp_path)
    parts = read_parts(
        built.artifacts[:-1], tmp_path / "artifacts", read_binaries(open_wheel(built.wheel))
    )
    assert {part.artifact.distribution: part.linkage for part in parts} == {
        "glue": "static",
        "fast-devel": "headers",
        "fast": "shared",
        "blas": "beside",
        "driver-tools": "tool",
    }
    assert next(p for p in parts if p.linkage == "shared").libraries == ("libfast.so.3",)


def test_the_licence_of_a_package_that_states_none_is_known(tmp_path: Path) -> None:
    artifact = replace(a_package(tmp_path, "glue"), distribution="nanobind")
    (part,) = read_parts([artifact], tmp_path, ())
    assert part.licence == "BSD-3-Clause AND MIT"


def test_first_names() -> None:
    assert first_name("libgomp-4567abcd.so.1.0.0") == "libgomp.so.1.0.0"
    assert first_name("libgomp.so.1") == "libgomp.so.1"


def test_a_package_that_is_no_longer_in_the_cache_is_unknown(tmp_path: Path) -> None:
    artifact = a_package(tmp_path, "glue")
    (part,) = read_parts([artifact], tmp_path, ())
    assert part.linkage == "static"
    (cut,) = read_parts([replace(artifact, filename="other.whl")], tmp_path, ())
    assert cut.linkage == "unknown"
    shutil.rmtree(tmp_path / "sha256")
    (part,) = read_parts([artifact], tmp_path, ())
    assert part.linkage == "unknown"


@pytest.mark.parametrize("name", ["a-1.0-cp311-cp311-manylinux_2_35_x86_64.whl"])
def test_the_sbom_has_the_name_of_its_wheel(name: str) -> None:
    assert sbom_name(Path(name)) == "a-1.0-cp311-cp311-manylinux_2_35_x86_64.cdx.json"

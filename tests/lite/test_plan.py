"""A tree to a plan: packages, options, commands."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes import a_host
from tests.lite_trees import CMAKE, lite_tree
from tfbuild.core.errors import BadRequest, NoSolution
from tfbuild.facts.tables import Tables
from tfbuild.lite.plan import plan_lite, stand_in_text
from tfbuild.lite.records import LitePlan, LiteRequest


@pytest.fixture
def request_(tmp_path: Path) -> LiteRequest:
    return LiteRequest(source=lite_tree(tmp_path / "tree"), output=tmp_path / "dist")


def planned(request: LiteRequest, tables: Tables) -> LitePlan:
    return plan_lite(request, tables, a_host())


def test_each_dependency_comes_from_a_package(request_: LiteRequest, tables: Tables) -> None:
    plan = planned(request_, tables)
    assert dict(plan.from_packages) == {
        "absl": "libabsl-dev",
        "NEON_2_SSE": "libneon-2-sse-dev",
        "ruy": "libruy-dev",
        "pthreadpool": "libpthreadpool-dev",
    }
    assert plan.stand_ins == ("ml_dtypes",)
    assert "opencl_headers" not in dict(plan.from_packages)
    assert plan.archive == "tensorflow-lite-2.14.1-debian-forky-x86_64.tar.gz"


def test_nothing_is_ever_downloaded(request_: LiteRequest, tables: Tables) -> None:
    configure, build = planned(request_, tables).commands
    assert "FETCHCONTENT_FULLY_DISCONNECTED=ON" in configure.argv
    assert "SYSTEM_PTHREADPOOL=ON" in configure.argv
    assert "TFLITE_ENABLE_XNNPACK=OFF" in configure.argv
    assert not any("NNAPI" in word for word in configure.argv)  # the tree has no such option
    assert build.argv[-1] == "2"


def test_a_dependency_without_a_package_is_named(request_: LiteRequest, tables: Tables) -> None:
    lite_tree(request_.source, cmake=CMAKE + "find_package(kleidiai REQUIRED)\n")
    with pytest.raises(NoSolution, match="kleidiai"):
        planned(request_, tables)


def test_a_stand_in_is_refused_where_its_headers_are_used(
    request_: LiteRequest, tables: Tables
) -> None:
    used = request_.source / "tensorflow/lite/kernels/cast.cc"
    used.parent.mkdir()
    used.write_text('#include "ml_dtypes/include/float8.h"\n')
    with pytest.raises(NoSolution, match="ml_dtypes"):
        planned(request_, tables)


def test_the_plan_is_known_by_what_it_decides(request_: LiteRequest, tables: Tables) -> None:
    one = planned(request_, tables)
    assert planned(replace(request_, jobs=7, output=Path("/elsewhere")), tables).id == one.id
    lite_tree(request_.source, suffix="-rc1")
    assert planned(request_, tables).id != one.id


def test_wrong_wishes(request_: LiteRequest, tables: Tables, tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match="no model"):
        planned(replace(request_, models=(tmp_path / "none.tflite",)), tables)
    with pytest.raises(BadRequest, match="Debian's packages"):
        planned(replace(request_, system="ubuntu:noble"), tables)


def test_little_memory_means_fewer_jobs(request_: LiteRequest, tables: Tables) -> None:
    assert plan_lite(request_, tables, a_host(cpus=8, memory_mb=5000)).jobs == 3
    assert planned(replace(request_, jobs=5), tables).jobs == 5


def test_stand_ins_are_targets_without_files() -> None:
    assert "add_library(ml_dtypes INTERFACE)" in stand_in_text(("ml_dtypes",))

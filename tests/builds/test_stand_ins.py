"""Which folders stand in for which rule sets, by the release of Bazel."""

from pathlib import Path

import pytest

from tests.failing import fails
from tfbuild.builds.stand_ins import stand_in_flags, stand_in_names, stand_ins_for


def test_before_bazel_7_they_are_our_own() -> None:
    found = stand_ins_for("4.2.3", "/usr/bin/bazel")
    assert tuple(override.name for override in found) == stand_in_names()
    assert {"rules_cc", "bazel_skylib", "platforms"} <= set(stand_in_names())
    for override in found:
        assert (override.path / "WORKSPACE").is_file()
        assert (override.path / "BUILD").is_file()


def test_a_bazel_7_of_a_distribution_has_them_beside_it(tmp_path: Path) -> None:
    for name in ("rules/cc", "tools/platforms", "tools/skylib"):
        (tmp_path / "usr/share/bazel" / name).mkdir(parents=True)
    for program in ("usr/bin/bazel", "bin/bazel"):  # installed, and unpacked
        flags = stand_in_flags("7.7.1", str(tmp_path / program))
        assert flags[:2] == ("--noenable_bzlmod", "--enable_workspace")
        names = {flag.split("=")[1] for flag in flags[2:]}
        assert names == {"rules_cc", "platforms", "bazel_skylib", "remote_coverage_tools"}


def test_what_is_beside_a_bazel_is_asked_where_it_is() -> None:
    there = {Path("/usr/share/bazel", name) for name in ("rules", "rules/cc")}
    flags = stand_in_flags("7.7.1", "/usr/bin/bazel", there.__contains__)
    assert "--override_repository=rules_cc=/usr/share/bazel/rules/cc" in flags


@pytest.mark.parametrize("version", ["7.7.1", "8.0.0"])
def test_there_are_none_for_others(tmp_path: Path, version: str) -> None:
    with fails("stand-ins-missing", version):
        stand_ins_for(version, str(tmp_path / "bin" / "bazel"))

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.shared_libraries import compile_c, needs, tiny_wheel
from tfbuild.facts.targets import find_target
from tfbuild.wheels.manylinux import (
    analyse,
    is_as_good,
    loadable_platforms,
    platform_glibc,
    repair_command,
)


@pytest.mark.parametrize(
    ("claimed", "found", "honest"),
    [
        ("manylinux_2_34_x86_64", "manylinux_2_28_x86_64", True),
        ("manylinux_2_28_x86_64", "manylinux_2_28_x86_64", True),
        ("manylinux_2_17_x86_64", "manylinux_2_28_x86_64", False),
        ("manylinux2014_x86_64", "manylinux_2_17_x86_64", True),
        ("manylinux1_x86_64", "manylinux_2_17_x86_64", False),
        ("manylinux_2_28_x86_64", "linux_x86_64", False),
        ("linux_x86_64", "linux_x86_64", True),
    ],
)
def test_honest_tags(claimed: str, found: str, honest: bool) -> None:
    assert is_as_good(claimed, found) is honest


def test_glibc_of_a_platform() -> None:
    assert platform_glibc("manylinux_2_28_x86_64") == "2.28"
    assert platform_glibc("manylinux2014_x86_64") == "2.17"
    assert platform_glibc("linux_x86_64") == ""


def test_analysis_of_a_small_library(tmp_path: Path) -> None:
    raw = compile_c(tmp_path).read_bytes()
    wheel = tiny_wheel(tmp_path, {"tiny_thing/libtiny.so": raw})
    found = analyse(wheel, ())
    assert found.platform.startswith("manylinux")
    assert found.external == ()


def test_analysis_names_foreign_libraries(tmp_path: Path) -> None:
    foreign = compile_c(tmp_path, name="libforeign.so")
    user = compile_c(tmp_path, "int x;", "-Wl,--no-as-needed", str(foreign), name="libuser.so")
    wheel = tiny_wheel(tmp_path, {"tiny_thing/libuser.so": user.read_bytes()})
    needed = analyse(wheel, ()).external
    assert len(needed) == 1
    assert needed[0].endswith("libforeign.so")
    assert analyse(wheel, needed).external == ()


def test_analysis_of_a_wheel_without_machine_code(tmp_path: Path) -> None:
    found = analyse(tiny_wheel(tmp_path, tags="py3-none-any"), ())
    assert (found.platform, found.reason) == ("", "no machine code in it")


@pytest.mark.parametrize("name", ["METADATA", "WHEEL", "RECORD"])
def test_analysis_of_a_wheel_that_auditwheel_cannot_read(tmp_path: Path, name: str) -> None:
    raw = compile_c(tmp_path).read_bytes()
    wheel = tiny_wheel(tmp_path, {"tiny_thing/libtiny.so": raw})
    with zipfile.ZipFile(wheel) as archive:
        files = {one: archive.read(one) for one in archive.namelist()}
    with zipfile.ZipFile(wheel, "w") as archive:
        for one, content in files.items():
            if not one.endswith(name):  # RECORD lists what is not there
                archive.writestr(one, content)
            elif name == "RECORD":
                archive.writestr(one, b"\xcd" + content)
    found = analyse(wheel, ())
    assert found.platform == ""
    assert "auditwheel cannot read it" in found.reason


def test_repair_copies_foreign_libraries(tmp_path: Path) -> None:
    needs("gcc")
    place = tmp_path / "lib"
    place.mkdir()
    foreign = compile_c(place, "int f(void) { return 1; }", "-Wl,-soname,libforeign.so",
                        name="libforeign.so")  # fmt: skip
    user = compile_c(tmp_path, "int f(void); int g(void) { return f(); }", str(foreign))
    wheel = tiny_wheel(tmp_path, {"tiny_thing/libtiny.so": user.read_bytes()})
    command = repair_command(wheel, tmp_path / "out", excluded=(), libraries=place)
    environment = dict(command.env)
    ended = subprocess.run(
        command.argv, env=environment, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    (made,) = (tmp_path / "out").iterdir()
    assert "manylinux" in made.name
    assert command.argv[0] == sys.executable


def test_the_platforms_that_a_system_loads_stand_closest_first() -> None:
    found = loadable_platforms("2.18", find_target("linux-x86_64"))
    assert found[:3] == (
        "manylinux_2_18_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64",
    )  # fmt: skip
    assert found[-3:] == ("manylinux_2_5_x86_64", "manylinux1_x86_64", "linux_x86_64")
    assert loadable_platforms("2.17", find_target("linux-aarch64")) == (
        "manylinux_2_17_aarch64", "manylinux2014_aarch64", "linux_aarch64",
    )  # fmt: skip
    assert loadable_platforms("2.12", find_target("linux-aarch64")) == ("linux_aarch64",)

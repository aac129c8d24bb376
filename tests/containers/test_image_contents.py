"""What an image has: the script on this machine, and its answers from others."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes import RUNNING, a_host
from tfbuild.containers.image_contents import look_inside, read_inside
from tfbuild.core.environments import Package
from tfbuild.core.process import ProcessRunner
from tfbuild.core.records import Interpreter, Program

TRIXIE = """\
id=debian
version=13
machine=x86_64
glibc=glibc 2.41
compiler=g++ /usr/bin/g++ 14.2.0
compiler=g++-14 /usr/bin/g++-14 14.2.0
python=/usr/bin/python3.13 3.13.5 cp313 /usr/bin/python3.13 /usr/include/python3.13
python=/usr/bin/python3 3.13.5 cp313 /usr/bin/python3.13 /usr/include/python3.13
bazel=/usr/bin/bazel bazel no_version
package=4.2.3+ds-11
rules=/usr/share/bazel
pip=3.13 numpy 2.2.4
pip=3.13 pip 25.1
pip=3.13 NumPy 1.26.4
pip=3.13 Typing_Extensions 4.12
dpkg=libc6 2.41-12 amd64
dpkg=g++-14 14.2.0-19 amd64
dpkg=libc6 2.41-12 i386
"""


def test_the_answers_of_an_image() -> None:
    inside = read_inside(TRIXIE, a_host(cpus=7))
    host = inside.host
    assert (host.distribution, host.distribution_version, host.glibc) == ("debian", "13", "2.41")
    assert [p.path for p in host.compilers] == ["/usr/bin/g++", "/usr/bin/g++-14"]
    assert host.pythons == (
        Interpreter(
            path="/usr/bin/python3.13",
            version="3.13.5",
            tag="cp313",
            headers="/usr/include/python3.13",
        ),
    )
    assert host.bazels == (Program(name="bazel", path="/usr/bin/bazel", version="4.2.3"),)
    assert (host.cpus, inside.rules) == (7, "/usr/share/bazel")


def test_packages_of_dpkg_and_of_pip() -> None:
    packages = read_inside(TRIXIE, a_host()).packages
    assert [f"{p.manager} {p.name} {p.version} {p.architecture}".strip() for p in packages] == [
        "dpkg g++-14 14.2.0-19 amd64",
        "dpkg libc6 2.41-12 amd64",
        "dpkg libc6 2.41-12 i386",
        "pip3.13 numpy 2.2.4",
        "pip3.13 pip 25.1",
        "pip3.13 typing-extensions 4.12",
    ], "of two NumPys the first is imported"


def test_a_package_with_odd_metadata_is_left_out() -> None:
    text = "pip=3.11 two words 1.0\npip=3.11 \npip=3.11 numpy 2.2.4\ndpkg=libc6\ndpkg=a b c d\n"
    assert [p.name for p in read_inside(text, a_host()).packages] == ["numpy"]


def test_a_bare_image_has_nothing() -> None:
    inside = read_inside("id=alpine\nversion=3\nglibc=\n", a_host())
    host = inside.host
    assert inside.packages == ()
    assert (host.compilers, host.pythons, host.bazels, host.glibc) == ((), (), (), "")


def test_lines_without_answers_are_left_out() -> None:
    text = "compiler=g++ /usr/bin/g++\npython=/usr/bin/python3 \nbazel=/usr/bin/bazel \npackage=\n"
    host = read_inside(text, a_host()).host
    assert (host.compilers, host.pythons, host.bazels) == ((), (), ())


def test_the_script_runs_here(monkeypatch: pytest.MonkeyPatch) -> None:
    own = Path(sys.executable).parent
    monkeypatch.setenv("PATH", f"{own}:{os.environ['PATH']}")
    inside = read_inside(look_inside(ProcessRunner()), a_host(distribution="none"))
    host = inside.host
    of_pytest = Package(manager=f"pip{RUNNING}", name="pytest", version=pytest.__version__)
    assert of_pytest in inside.packages
    if shutil.which("dpkg-query"):
        said = subprocess.check_output(["dpkg-query", "--show", "dpkg"], text=True).split()
        (dpkg,) = [p for p in inside.packages if (p.manager, p.name) == ("dpkg", "dpkg")]
        assert (dpkg.version, bool(dpkg.architecture)) == (said[1], True)
    assert host.distribution != "none"
    assert any(p.version.startswith("3.") and p.tag.startswith("cp3") for p in host.pythons)

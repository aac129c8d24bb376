"""What an image has: the script on this machine, and its answers from others."""

from tests.fakes import a_host
from tfbuild.inside import look_inside, read_inside
from tfbuild.process import ProcessRunner
from tfbuild.records import Interpreter, Program

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


def test_a_bare_image_has_nothing() -> None:
    host = read_inside("id=alpine\nversion=3\nglibc=\n", a_host()).host
    assert (host.compilers, host.pythons, host.bazels, host.glibc) == ((), (), (), "")


def test_lines_without_answers_are_left_out() -> None:
    text = "compiler=g++ /usr/bin/g++\npython=/usr/bin/python3 \nbazel=/usr/bin/bazel \npackage=\n"
    host = read_inside(text, a_host()).host
    assert (host.compilers, host.pythons, host.bazels) == ((), (), ())


def test_the_script_runs_here() -> None:
    host = read_inside(look_inside(ProcessRunner()), a_host(distribution="none")).host
    assert host.distribution != "none"
    assert any(p.version.startswith("3.") and p.tag.startswith("cp3") for p in host.pythons)

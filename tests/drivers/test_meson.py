"""A real Meson on a tiny project."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.failing import fails
from tests.fakes import FakeRunner, says
from tests.places.places import a_site
from tests.shared_libraries import elf_of, needs, real_tools
from tfbuild.drivers.meson import MesonDriver
from tfbuild.drivers.site import Site
from tfbuild.recipes.records import MesonBuild

FILES = {
    "meson.build": """\
project('toy', 'c', version: '1.0')
lib = library('toy', 'toy.c', install: true)
executable('hi', 'hi.c', link_with: lib, install: true)
""",
    "meson_options.txt": "option('loud', type: 'boolean', value: false)\n",
    "toy.c": "int toy(void) { return 0; }\n",
    "hi.c": "int toy(void);\nint main(void) { return toy(); }\n",
}
STEP = MesonBuild(
    folder="", arguments=("-Dloud=true",), targets=(), environment=(),
    expect=(("loud", "yes"), ("default_library", "shared")),
)  # fmt: skip


@pytest.fixture
def site(tmp_path: Path) -> Site:
    needs("meson", "ninja", "cc")
    return a_site(real_tools(tmp_path), FILES)


@pytest.mark.slow
def test_it_is_configured_read_back_built_and_installed(site: Site) -> None:
    found = MesonDriver().build(STEP, site)
    assert found == (("loud", "true"), ("default_library", "shared"))
    stage = site.folders.stage / "opt/toy"
    assert (stage / "lib/libtoy.so").is_file()
    assert elf_of(stage / "bin/hi").search == ("$ORIGIN/../lib",)


def test_a_meson_that_does_not_list_its_options_is_reported(tmp_path: Path) -> None:
    here = a_site(real_tools(tmp_path), FILES)
    runner = FakeRunner(dict.fromkeys(("meson", "ninja", "cc", "c++", "sh"), says("no JSON")))
    place = replace(here.place, runner=runner)
    with fails("meson-options-not-listed") as caught:
        MesonDriver().build(STEP, replace(here, place=place))
    assert caught.value.why


@pytest.mark.slow
def test_differences_and_errors_are_reported(site: Site) -> None:
    with fails("build-option-differs") as caught:
        MesonDriver().build(replace(STEP, expect=(("loud", "no"), ("quiet", "3"))), site)
    loud, quiet = caught.value.why.splitlines()
    assert loud.startswith("loud: ") and " no, " in loud and loud.endswith(" true")
    assert quiet.startswith("quiet: ") and " 3, " in quiet
    with fails("configure-command-failed", 'ERROR: Unknown options: "frob"'):
        MesonDriver().build(replace(STEP, arguments=("-Dfrob=1",)), site)
    (site.folders.source / "toy.c").write_text("int toy(void) { return frob; }\n")
    with fails("build-command-failed", "toy.c:1:24: error:"):
        MesonDriver().build(STEP, site)

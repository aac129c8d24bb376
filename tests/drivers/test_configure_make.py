"""A real make, and configure scripts that write what real ones write."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.failing import fails
from tests.fakes import RecordingReporter
from tests.places.places import a_site
from tests.shared_libraries import needs, real_tools
from tfbuild.core.foreign_tree import ForeignTree
from tfbuild.drivers.configure_make import ConfigureMakeDriver, written_values
from tfbuild.drivers.site import Site
from tfbuild.recipes.records import ConfigureMake

CONFIGURE = """\
#!/bin/sh
for word; do case $word in
  --prefix=*) prefix=${word#--prefix=};;
  --libdir=*) libdir=${word#--libdir=};;
  --enable-loud) loud=;;
  --frob) echo 'configure: error: no frob here'; exit 1;;
  --enable-lout) echo 'configure: WARNING: unrecognized options: --enable-lout, --with-x';;
esac; done
printf 'prefix=%s\\nlibdir=%s\\n%sCONFIG_LOUD=yes\\n' "$prefix" "$libdir" "${loud-!}" > config.mak
printf '#define HAVE_ZLIB 1\\n/* #undef HAVE_FROB */\\n' > config.h
touch config.status
"""
MAKEFILE = """\
include config.mak
CFLAGS ?= -O0
all: libtoy.so
libtoy.so: toy.o more.o
\t$(CC) $(LDFLAGS) -shared -o $@ $^
%.o: %.c
\t$(CC) $(CFLAGS) -fPIC -c -o $@ $<
install: all
\tmkdir -p $(DESTDIR)$(libdir)
\tcp libtoy.so $(DESTDIR)$(libdir)
distclean:
\trm -f *.o *.so config.status config.mak config.h
\techo tidied > tidied
"""
FILES = {
    "configure": CONFIGURE, "Makefile": MAKEFILE,
    "toy.c": "const char *toy(void) { return __FILE__; }\n", "more.c": "int more;\n",
}  # fmt: skip
STEP = ConfigureMake(
    folder="", arguments=("--enable-loud",), targets=(), environment=(),
    expect=(("CONFIG_LOUD", "yes"), ("HAVE_ZLIB", "1"), ("HAVE_FROB", "no")),
)  # fmt: skip
DRIVER = ConfigureMakeDriver()


@pytest.fixture
def site(tmp_path: Path) -> Site:
    needs("make", "cc")
    return a_site(real_tools(tmp_path), FILES)


def test_it_is_configured_read_back_built_and_installed(site: Site) -> None:
    assert DRIVER.build(STEP, site) == STEP.expect
    library = site.folders.stage / "opt/toy/lib/libtoy.so"
    assert str(site.folders.root).encode() not in library.read_bytes()
    assert sorted(path.name for path in site.folders.source.iterdir()) == sorted(FILES)
    reporter = site.tools.reporter
    assert isinstance(reporter, RecordingReporter)
    names = [said[1] for said in reporter.said]
    assert (names[0], {*names[1:3]}, names[3]) == ("configuring", {"more", "toy"}, "installing")
    assert reporter.said[2][2:] == ("2", "2")


def test_options_that_autoconf_only_warns_of_are_mistakes(site: Site) -> None:
    step = replace(STEP, arguments=("--enable-loud", "--enable-lout"))
    with fails("build-argument-unknown", "--enable-lout: ", "--with-x: "):
        DRIVER.build(step, site)


def test_it_is_not_configured_twice(site: Site) -> None:
    DRIVER.build(STEP, site)
    made = (site.folders.build / "config.mak").stat().st_mtime_ns
    DRIVER.build(STEP, site)
    assert (site.folders.build / "config.mak").stat().st_mtime_ns == made


def test_other_source_code_is_built_anew(site: Site) -> None:
    """The build folder has a copy of its own, which would stay as it was."""
    DRIVER.build(STEP, replace(site, source_sha256="one"))
    (site.folders.source / "more.c").write_text('const char more[] = "the new one";\n')
    DRIVER.build(STEP, replace(site, source_sha256="two"))
    library = site.folders.stage / "opt/toy/lib/libtoy.so"
    assert b"the new one" in library.read_bytes()


def test_what_the_owner_of_the_tree_has_built_is_not_taken(site: Site) -> None:
    for name in ("config.status", "config.mak", "toy.o"):
        (site.folders.source / name).write_text("OLD = of another configuration\n")
    DRIVER.build(STEP, site)
    assert (site.folders.build / "tidied").is_file()
    assert (site.folders.source / "toy.o").is_file()


def test_differences_are_reported_before_anything_is_compiled(site: Site) -> None:
    with fails("build-option-differs") as caught:
        DRIVER.build(replace(STEP, arguments=(), expect=(*STEP.expect, ("X", "1"))), site)
    loud, other = caught.value.why.splitlines()
    assert loud.startswith("CONFIG_LOUD: ") and " yes, " in loud and loud.endswith(" no")
    assert other.startswith("X: ") and " 1, " in other
    assert not list(site.folders.build.glob("*.o"))


def test_errors_are_reported(site: Site) -> None:
    with fails("configure-command-failed") as refused:
        DRIVER.build(replace(STEP, arguments=("--frob",)), site)
    assert refused.value.why == "configure: error: no frob here"
    (site.folders.source / "toy.c").write_text("int toy(void) { return frob(; }\n")
    with fails("build-command-failed") as caught:
        DRIVER.build(STEP, site)
    assert caught.value.why.startswith("toy.c:1:29: error: expected expression")


def test_a_tree_without_a_script(tmp_path: Path) -> None:
    with fails("configure-script-missing"):
        DRIVER.build(STEP, a_site(real_tools(tmp_path), {"configure.ac": ""}))


def test_a_script_in_a_folder(site: Site) -> None:
    inner = a_site(site.tools, {f"unix/{name}": text for name, text in FILES.items()}, "two")
    DRIVER.build(replace(STEP, folder="unix"), inner)
    assert (inner.folders.stage / "opt/toy/lib/libtoy.so").is_file()


def test_what_scripts_write_down(tmp_path: Path) -> None:
    for name, text in {
        "Makefile": "prefix = /opt/toy\nall: x\nCC ?= cc\nA := 1 2 \n",
        "config.status": 'S["LIBS"]="-lz -lm "\nS["prefix"]="/opt/toy"\n',
        "toy_config.h": '#define NAME "toy"\n#define EMPTY\n#undef GONE\n# define IN 3\n',
        "ffbuild/config.mak": "CONFIG_GPL=yes\n!CONFIG_NONFREE=yes\n",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert dict(written_values(ForeignTree(tmp_path), ".")) == {
        "prefix": "/opt/toy", "CC": "cc", "A": "1 2", "LIBS": "-lz -lm ", "NAME": "toy",
        "EMPTY": "1", "GONE": "no", "IN": "3", "CONFIG_GPL": "yes", "CONFIG_NONFREE": "no",
    }  # fmt: skip

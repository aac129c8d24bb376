"""The folder of a product: what is taken of a build, and what is refused."""

import os
import shutil
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.failing import fails
from tests.products.products import a_plan, a_source, folders_in, installed
from tests.shared_libraries import elf_of
from tfbuild.core.errors import BuildFailed
from tfbuild.core.foreign_tree import ForeignTree
from tfbuild.core.interfaces import Watch
from tfbuild.core.process import ProcessRunner
from tfbuild.core.records import Command, Completed
from tfbuild.products import layout
from tfbuild.products.layout import lay_out
from tfbuild.recipes.recipe import Product
from tfbuild.recipes.records import ProductFile, ProductPlan


class Site:
    """The folders of one build."""

    def __init__(self, folder: Path) -> None:
        self.source = a_source(folder / "source")
        self.folders = folders_in(folder)
        self.stage, self.build = self.folders.stage, self.folders.build
        self.target = self.folders.product
        self.installed = installed(self.stage, self.source)
        self.build.mkdir()
        self.folders.exchange.mkdir()

    def lay_out(self, plan: ProductPlan | None = None) -> dict[str, ProductFile]:
        found = lay_out(plan or a_plan(), self.folders, ProcessRunner())
        return {file.name: file for file in found}


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def with_product(**changes: object) -> ProductPlan:
    return a_plan(product=replace(a_plan().product, **changes))  # type: ignore[arg-type]


def test_what_was_installed_becomes_the_product(site: Site) -> None:
    files = site.lay_out()
    assert list(files) == [
        "bin/tiny",
        "include/tiny.h",
        "lib/cmake/tiny/tinyConfig.cmake",
        "lib/cmake/tiny/tinyConfigVersion.cmake",
        "lib/libtiny.so",
        "lib/libtiny.so.1",
        "lib/libtiny.so.1.2.3",
        "lib/pkgconfig/tiny.pc",
        "share/licenses/tiny/LICENSE",
    ]
    assert files["lib/libtiny.so"].target == "libtiny.so.1", "it led to the prefix"
    elf = elf_of(site.target / "lib/libtiny.so.1.2.3")
    assert not elf.has_symbol_table
    assert not elf.has_debug
    assert elf_of(site.target / "bin/tiny").search == ("$ORIGIN/../lib",)
    assert (site.target / "bin/tiny").stat().st_mode & 0o777 == 0o755
    assert len(files["bin/tiny"].sha256) == 64


def test_it_is_made_anew_each_time(site: Site) -> None:
    first = site.lay_out()
    (site.target / "left").touch()
    assert site.lay_out() == first


def test_a_static_library_is_there_where_it_is_named(site: Site) -> None:
    shutil.copy(site.installed / "lib/libtiny.so.1.2.3", site.build / "x.o")
    (site.installed / "lib" / "libother.a").symlink_to("libtiny.a")
    names = ("lib/libtiny.so.1", "lib/libtiny.a")
    assert "lib/libtiny.a" in site.lay_out(with_product(libraries=names))


def test_files_of_the_build_and_of_the_source_code_are_taken_by_name(site: Site) -> None:
    (site.build / "out").mkdir()
    shutil.copy(site.installed / "bin/tiny", site.build / "out" / "tool")
    (site.build / "out" / "include").mkdir()
    (site.build / "out" / "include" / "made.h").write_text("int made;\n")
    files = (("bin/tool", "out/tool"), ("include/out", "out/include"), ("include/t.h", "tiny.h"))
    found = site.lay_out(with_product(files=files))
    assert {"bin/tool", "include/out/made.h", "include/t.h"} <= found.keys()
    shutil.rmtree(site.stage)
    plan = a_plan(product=Product(files=files, programs=("bin/tool",)))
    assert list(site.lay_out(plan)) == ["bin/tool", "include/out/made.h", "include/t.h"]


def test_files_of_a_pattern_are_taken_from_build_and_source(site: Site) -> None:
    """Headers of a folder in which the build has put libraries, too."""
    (site.build / "more").mkdir()
    (site.build / "more" / "made.h").write_text("int made;\n")
    (site.build / "more" / "libx.a").write_text("no header")
    (site.source / "more" / "deep").mkdir(parents=True)
    (site.source / "more" / "deep" / "a.h").write_text("int a;\n")
    found = site.lay_out(with_product(files=(("include/more", "more/**/*.h"),)))
    named = {name for name in found if name.startswith("include/more")}
    assert named == {"include/more/made.h", "include/more/deep/a.h"}
    with fails("product-pattern-empty", "more/*.hpp"):
        site.lay_out(with_product(files=(("include", "more/*.hpp"),)))


@pytest.mark.parametrize("file", ["../secret", "/etc/passwd", "out/../../secret", ""])
def test_no_recipe_takes_files_from_elsewhere(site: Site, file: str) -> None:
    with fails("recipe-path-leads-out", "product.files", f"'{file}'"):
        site.lay_out(with_product(files=(("bin/x", file),)))


def test_no_build_delivers_what_its_links_lead_to(site: Site, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (site.build / "out").symlink_to(tmp_path / "secret")
    with fails("built-file-leads-out", "out"):
        site.lay_out(with_product(files=(("bin/x", "out"),)))
    (site.source / "LICENSE").unlink()
    (site.source / "LICENSE").symlink_to(tmp_path / "secret")
    with fails("license-file-missing", "LICENSE"):
        site.lay_out()


def test_no_build_puts_a_link_in_the_place_of_its_prefix(site: Site, tmp_path: Path) -> None:
    site.installed.rename(tmp_path / "elsewhere")
    site.installed.symlink_to(tmp_path / "elsewhere")
    with fails("installed-folder-is-link", "/opt/tiny"):
        site.lay_out()


@pytest.mark.parametrize("target", ["/etc/passwd", "../../../secret"])
def test_a_link_that_leads_out_is_refused(site: Site, target: str) -> None:
    (site.installed / "lib" / "evil").symlink_to(target)
    with fails("product-link-leads-out", "lib/evil", str(target), "product.leave_out"):
        site.lay_out()
    assert not site.target.exists()


def test_a_name_that_is_not_utf_8_is_refused(site: Site) -> None:
    Path(os.fsdecode(os.fsencode(site.installed) + b"/lib/\xff.h")).touch()
    with fails("installed-name-not-utf8"):
        site.lay_out()


def test_a_pipe_is_not_waited_for(site: Site) -> None:
    os.mkfifo(site.installed / "lib" / "pipe")
    with fails("installed-file-special", "lib/pipe"):
        site.lay_out()


def test_a_path_of_this_machine_is_named_with_its_file(site: Site) -> None:
    (site.installed / "include" / "config.h").write_text(f'#define HERE "{site.build}/x"\n')
    with fails(
        "product-holds-build-paths", "include/config.h", str(site.build), "product.leave_out"
    ):
        site.lay_out()
    site.lay_out(with_product(leave_out=("share/man/**", "include/config.h")))


def test_what_is_promised_must_be_there(site: Site) -> None:
    with fails("promised-file-missing", "lib/libtini.so", "'lib/libtiny.so'"):
        site.lay_out(with_product(libraries=("lib/libtini.so",)))


def test_a_build_without_an_install_step_is_reported(site: Site) -> None:
    shutil.rmtree(site.stage)
    with fails("nothing-installed", "/opt/tiny"):
        site.lay_out()


def test_what_was_installed_and_cannot_be_read_is_reported(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> tuple[str, ...]:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(ForeignTree, "files", refuse)
    with fails("installed-files-unreadable", "/opt/tiny", "Input/output error"):
        site.lay_out()


def test_a_library_that_cannot_be_stripped_is_reported(site: Site) -> None:
    begin = b"\x7fELF\2\1\1" + bytes(9) + b"\3\0"
    (site.installed / "lib" / "libbroken.so").write_bytes(begin)
    with fails("product-not-stripped"):
        site.lay_out()


@pytest.mark.parametrize("name", ["stage", "build", "source"])
def test_a_link_in_the_place_of_a_whole_folder_is_not_followed(
    site: Site, tmp_path: Path, name: str
) -> None:
    secret = tmp_path / "secret"
    shutil.copytree(tmp_path / name, secret, symlinks=True)
    (secret / "key").write_text("of the user")
    (tmp_path / name).rename(tmp_path / "away")
    (tmp_path / name).symlink_to(secret)
    with fails("product-file-not-made", "share/key"):
        site.lay_out(with_product(files=(("share/key", "key"),)))
    assert not site.target.exists()


@pytest.mark.parametrize("link", ["share", "share/licenses", "share/licenses/tiny/LICENSE"])
def test_nothing_is_written_through_a_link_that_was_installed(
    site: Site, tmp_path: Path, link: str
) -> None:
    """The licence and the files that the recipe names come into places that the build has made."""
    outside = tmp_path / "outside"
    outside.mkdir()
    victim = outside / "victim"
    victim.write_text("of the user")
    shutil.rmtree(site.installed / "share")
    place = site.installed / link
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(victim if link.endswith("LICENSE") else outside)
    (site.build / "made").write_text("evil")
    names = (("share/made", "made"), ("share/licenses/made", "made"))
    with suppress(BuildFailed):
        site.lay_out(with_product(files=names))
        assert (site.target / "share/licenses/tiny/LICENSE").read_text() == "Do what you like.\n"
    assert [path.name for path in outside.iterdir()] == ["victim"]
    assert victim.read_text() == "of the user"


def test_a_file_in_the_place_of_a_folder_is_named(site: Site) -> None:
    (site.build / "made").write_text("made")
    with fails("product-file-undeliverable", "made", "bin/tiny/made"):
        site.lay_out(with_product(files=(("bin/tiny/made", "made"),)))


@dataclass(frozen=True)
class Swapping:
    """A place in which something exchanges the libraries that are stripped for other things."""

    text: str

    def run(self, command: Command, watch: Watch | None = None) -> Completed:
        for path in map(Path, command.argv[2:]):
            path.unlink()
            path.symlink_to(self.text)
        return Completed(code=0)


def test_a_place_that_strips_puts_no_file_of_this_machine_into_the_product(
    site: Site, tmp_path: Path
) -> None:
    (tmp_path / "key").write_text("of the user")
    with fails("product-not-stripped"):
        lay_out(a_plan(), site.folders, Swapping(str(tmp_path / "key")))
    assert not site.target.exists()
    assert list(site.folders.exchange.iterdir()) == [], "what was stripped is removed"


def test_a_product_is_only_so_large_as_its_recipe_allows(site: Site) -> None:
    """A file of holes takes no room before it is copied, and minutes and gigabytes then."""
    with (site.installed / "lib" / "holes").open("wb") as stream:
        stream.truncate(4 << 30)
    with fails("product-too-large", "2,000 MB", "lib/holes", "product.max_size_mb"):
        site.lay_out()
    os.truncate(site.installed / "lib" / "holes", 3_000_000)
    (site.installed / "lib" / "more").write_bytes(bytes(3_000_000))
    with fails("product-too-large", "5 MB", "lib/more"):
        site.lay_out(with_product(max_size_mb=5))
    assert {"lib/holes", "lib/more"} <= site.lay_out(with_product(max_size_mb=7)).keys()


def test_a_product_has_only_so_many_files(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "MOST_MEMBERS", 8)
    with fails("product-too-large", "8 files"):
        site.lay_out()


@dataclass(frozen=True)
class Blowing:
    """A place in which what is to be stripped becomes as large as it likes."""

    def run(self, command: Command, watch: Watch | None = None) -> Completed:
        for path in map(Path, command.argv[2:]):
            os.truncate(path, 4 << 30)
        return Completed(code=0)


def test_what_is_stripped_is_no_larger_afterwards(site: Site) -> None:
    with fails("product-not-stripped", "larger than"):
        lay_out(a_plan(), site.folders, Blowing())
    assert list(site.folders.exchange.iterdir()) == []

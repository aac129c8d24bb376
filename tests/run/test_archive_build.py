"""What is packed, audited, tried and delivered goes one way, whatever built it."""

from tfbuild.run.archive_build import ArchiveBuild
from tfbuild.run.library_build import LibraryBuild
from tfbuild.run.product_build import ProductBuild

_STAGES = ("decide", "build", "made", "deliver", "write")


def test_no_kind_packs_or_delivers_by_itself() -> None:
    for kind in (LibraryBuild, ProductBuild):
        assert issubclass(kind, ArchiveBuild)
        assert not {name for name in _STAGES if name in vars(kind)}


def test_a_kind_that_does_not_say_how_it_is_built_is_none() -> None:
    assert ArchiveBuild.__abstractmethods__ == {"planned", "installed"}
    for kind in (LibraryBuild, ProductBuild):
        assert kind.__abstractmethods__ == frozenset()

"""A site holds what a step gets."""

from pathlib import Path

from tests.places.places import a_site
from tests.shared_libraries import real_tools


def test_the_places_words_are_its_folders(tmp_path: Path) -> None:
    site = a_site(real_tools(tmp_path), {"a/b.c": ""})
    assert site.place.words["build"] == str(site.folders.build)
    assert (site.folders.source / "a/b.c").is_file()

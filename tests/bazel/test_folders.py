"""Folders that Bazel can work in."""

from pathlib import Path

import pytest

from tfbuild.bazel.folders import require_usable
from tfbuild.core.errors import EnvironmentFailed
from tfbuild.core.paths import Folders

PLAIN = Path("/var/tmp/plain")
UNFIT = ("Prüfung", "☃", "日本", 'a"b', "a\\b", "a=b", "a\tb", "a\nb", "a\x7f", "\udcff")
ODD = ("it's", "s'r#c%41&;(x),@+~[y]{z}^!$HOME", "`ls`", "<a>|b?*", "a:b", "{work}", "long" * 200)


def check(role: str, path: Path) -> None:
    places = {"source": PLAIN, "cache": PLAIN, "work": PLAIN, role: path}
    folders = Folders(cache=places["cache"], work=places["work"], run=PLAIN)
    require_usable(places["source"], folders)


@pytest.mark.parametrize("role", ["source", "cache", "work"])
@pytest.mark.parametrize("name", UNFIT)
def test_what_bazel_would_fail_on_is_told_with_a_remedy(role: str, name: str) -> None:
    with pytest.raises(EnvironmentFailed, match="Bazel cannot work in the") as caught:
        check(role, PLAIN / name / "deeper")
    assert caught.value.exit_code == 4
    assert caught.value.message.count("/plain/") == 1
    named = {"source": "move the source tree", "cache": "CACHE_DIR", "work": "WORK_DIR"}[role]
    assert named in caught.value.hint


@pytest.mark.parametrize("role", ["source", "cache", "work"])
@pytest.mark.parametrize("name", ODD)
def test_other_marks_are_no_matter(role: str, name: str) -> None:
    check(role, PLAIN / name)


def test_the_work_folder_alone_may_have_blanks() -> None:
    check("work", PLAIN / "two words")
    for role in ("source", "cache"):
        with pytest.raises(EnvironmentFailed):
            check(role, PLAIN / "two words")


def test_all_that_is_wrong_is_told_at_once() -> None:
    odd = PLAIN / "ü"
    with pytest.raises(EnvironmentFailed) as caught:
        require_usable(odd / "tree", Folders(cache=odd / "cache", work=odd / "work", run=odd))
    assert all(str(odd / name) in caught.value.message for name in ("tree", "cache", "work"))
    assert {"TFBUILD_CACHE_DIR", "TFBUILD_WORK_DIR"} <= set(caught.value.hint.split())

"""Folders that Bazel can work in."""

import re
from pathlib import Path

import pytest

from tests.failing import fails
from tfbuild.bazel.folders import require_usable
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
def test_what_bazel_would_fail_on_is_reported_with_a_remedy(role: str, name: str) -> None:
    with fails("path-unfit-for-bazel", str(PLAIN / name / "deeper")) as caught:
        check(role, PLAIN / name / "deeper")
    assert caught.value.message.count("/plain/") == 1
    named = {"source": [], "cache": ["TFBUILD_CACHE_DIR"], "work": ["TFBUILD_WORK_DIR"]}[role]
    assert re.findall(r"TFBUILD_\w+", caught.value.hint) == named


@pytest.mark.parametrize("role", ["source", "cache", "work"])
@pytest.mark.parametrize("name", ODD)
def test_other_marks_are_no_matter(role: str, name: str) -> None:
    check(role, PLAIN / name)


def test_the_work_folder_alone_may_have_blanks() -> None:
    check("work", PLAIN / "two words")
    for role in ("source", "cache"):
        with fails("path-unfit-for-bazel", str(PLAIN / "two words")):
            check(role, PLAIN / "two words")


def test_all_that_is_wrong_is_reported_at_once() -> None:
    odd = PLAIN / "ü"
    with fails("path-unfit-for-bazel") as caught:
        require_usable(odd / "tree", Folders(cache=odd / "cache", work=odd / "work", run=odd))
    assert all(str(odd / name) in caught.value.message for name in ("tree", "cache", "work"))
    assert {"TFBUILD_CACHE_DIR", "TFBUILD_WORK_DIR"} <= set(caught.value.hint.split())

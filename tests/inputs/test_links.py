"""Where links lead to, as the system itself would say, and in time for each once."""

import os
import random
import time
from pathlib import Path

import pytest

from tfbuild.inputs.links import LONGEST_TARGET, MOST_IN_A_ROW, Links


@pytest.mark.parametrize(
    ("targets", "place"),
    [
        ({"l": "a"}, "a"),
        ({"d/l": "../a//./b"}, "a/b"),
        ({"d/l": ".."}, ""),
        ({"l": "m/x", "m": "d/e"}, "d/e/x"),
        ({"d/l": "m/../x", "d/m": "../e/f"}, "e/x"),
    ],
)
def test_an_end_has_a_place(targets: dict[str, str], place: str) -> None:
    end = Links(targets).end(next(iter(targets)))
    assert (end.place, end.fault) == (place, "")


@pytest.mark.parametrize(
    ("targets", "fault"),
    [
        ({"l": "/etc"}, "leads out"),
        ({"l": "../a"}, "leads out"),
        ({"l": "../" + "a"}, "leads out"),
        ({"d/l": "m/../../x", "d/m": ".."}, "leads out"),
        ({"l": "l"}, "in a circle"),
        ({"l": "m/x", "m": "d/../l"}, "in a circle"),
        ({"l": "a" * (LONGEST_TARGET + 1)}, "leads out"),
        ({**{f"l{n}": f"l{n + 1}" for n in range(60)}, "l60": "/etc"}, "leads out"),
        ({f"l{n}": f"l{n + 1}" for n in range(MOST_IN_A_ROW + 1)}, "by more than 40"),
        ({f"l{n}": f"l{n + 1}/../l{n + 1}" for n in range(10)}, "by more than 40"),
    ],
)
def test_what_has_no_end_within_says_so(targets: dict[str, str], fault: str) -> None:
    assert fault in Links(targets).end(next(iter(targets))).fault


def test_many_links_to_one_row_take_no_longer_than_one() -> None:
    row = {f"row{n}": f"row{n + 1}" for n in range(MOST_IN_A_ROW - 2)}
    links = Links(row | {f"l{n}": "row0" for n in range(50_000)})
    started = time.process_time()
    assert {links.end(f"l{n}").place for n in range(50_000)} == {f"row{MOST_IN_A_ROW - 2}"}
    assert time.process_time() - started < 5


@pytest.mark.parametrize("seed", range(200))
def test_the_system_says_the_same(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    root = tmp_path / "root"
    folders = ["", "a/", "a/b/", "c/"]
    for folder in folders:
        (root / folder).mkdir(parents=True, exist_ok=True)
        (root / folder / "file").write_text("")
    words = ("..", ".", "a", "b", "c", "file", "l0", "l1", "l2", "l3")
    targets = {
        f"{rng.choice(folders)}l{n}": "/".join(rng.choices(words, k=rng.randint(1, 4)))
        for n in range(4)
    }
    for name, target in targets.items():
        (root / name).symlink_to(target)
    links = Links(targets)
    for name, target in targets.items():
        end, path = links.end(name), root / name
        if path.exists():
            real = Path(os.path.realpath(path))
            assert end.fault or real == Path(os.path.realpath(root / end.place)), (name, target)
            assert end.fault or real.is_relative_to(root), (name, target)
        if not end.fault:
            assert not path.is_symlink() or os.path.realpath(path).startswith(str(root))

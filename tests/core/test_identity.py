"""What a plan's id is made of, and what it is not."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tfbuild.core.identity import BESIDE_ID, key_parts, options_without_places, plan_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Patch:
    name: str
    path: Path = field(metadata=BESIDE_ID)

    def with_path(self, path: str) -> "Patch":
        return Patch(name=self.name, path=Path(path))


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    path: str
    sha256: str

    def key_parts(self) -> str:
        return self.sha256


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    patches: tuple[Patch, ...] = ()
    baseline: Baseline = Baseline(path="/a.whl", sha256="12")
    jobs: int = field(default=1, metadata=BESIDE_ID)


PATCH = Patch(name="a.diff", path=Path("/here/a.diff"))


def test_places_and_what_is_marked_do_not_count() -> None:
    there = Plan(
        patches=(PATCH.with_path("/there"),), baseline=Baseline(path="/b.whl", sha256="12"), jobs=7
    )
    assert plan_id(there) == plan_id(Plan(patches=(PATCH,)))
    assert key_parts(there) == {"patches": [{"name": "a.diff"}], "baseline": "12"}


def test_everything_else_counts() -> None:
    ids = {
        plan_id(plan)
        for plan in (
            Plan(),
            Plan(patches=(PATCH,)),
            Plan(patches=(PATCH, PATCH)),
            Plan(baseline=Baseline(path="/a.whl", sha256="13")),
        )
    }
    assert len(ids) == 4
    assert all(len(name) == 16 for name in ids)


def test_a_path_that_nobody_marked_is_refused() -> None:
    with pytest.raises(TypeError, match="no place in an id"):
        plan_id({"source": Path("/here")})


def test_options_lose_the_places_of_this_machine() -> None:
    assert options_without_places(
        ("--config=opt", "--override_repository=x=/home/me/x", "--distdir=/home/me/archives")
    ) == ("--config=opt", "--override_repository=x")

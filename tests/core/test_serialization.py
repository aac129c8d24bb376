"""Records to JSON and back."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest

from tests.sample_report import a_report
from tfbuild.core.records import Artifact, Pin
from tfbuild.core.reports import Report, SmokeCheck
from tfbuild.core.serialization import from_plain, to_plain
from tfbuild.recipes.records import (
    BazelBuild,
    CMakeBuild,
    ConfigureMake,
    MesonBuild,
    Patch,
    Step,
)


def test_a_whole_report_survives(tmp_path: Path) -> None:
    report = a_report(tmp_path)
    assert from_plain(Report, json.loads(json.dumps(to_plain(report)))) == report


@pytest.mark.parametrize(
    "data",
    [
        {"axis": "python"},
        {"axis": "python", "spec": 3},
        {"axis": "python", "spec": "3", "more": "x"},
        ["python"],
        None,
    ],
)
def test_what_does_not_fit_is_refused(data: object) -> None:
    with pytest.raises(ValueError, match="Pin"):
        from_plain(Pin, data)


def test_a_record_of_a_union_is_known_by_what_it_says() -> None:
    common: dict[str, Any] = {
        "folder": "",
        "arguments": (),
        "targets": (),
        "environment": (),
        "expect": (),
    }
    steps: tuple[Step, ...] = (
        Patch(name="a", path=Path("/a.patch"), sha256="0"), CMakeBuild(**common),
        ConfigureMake(**common), MesonBuild(**common), BazelBuild(**common),
    )  # fmt: skip
    plain = json.loads(json.dumps(to_plain(steps)))
    assert from_plain(tuple[Step, ...], plain, name="steps") == steps
    with pytest.raises(ValueError, match=r"steps\[0\]: it is none of"):
        from_plain(tuple[Step, ...], [{"system": "scons"}], name="steps")


CHECK = {"name": "import", "state": "passed"}
ARTIFACT = dict.fromkeys(("distribution", "version", "filename", "sha256", "kind"), "x")


@pytest.mark.parametrize(
    ("kind", "data", "where"),
    [
        (SmokeCheck, CHECK | {"state": "lost"}, r"SmokeCheck\.state: unexpected 'lost'"),
        (SmokeCheck, CHECK | {"seconds": True}, r"SmokeCheck\.seconds: unexpected True"),
        (SmokeCheck, CHECK | {"seconds": "1"}, r"SmokeCheck\.seconds: unexpected '1'"),
        (
            SmokeCheck,
            CHECK | {"detail": [["a", "b"], ["a"]]},
            r"SmokeCheck\.detail\[1\]: unexpected \['a'\]",
        ),
        (SmokeCheck, CHECK | {"detail": [["a", 3]]}, r"SmokeCheck\.detail\[0\]\[1\]: unexpected 3"),
        (Artifact, ARTIFACT | {"size": True}, r"Artifact\.size: unexpected True"),
        (Artifact, ARTIFACT | {"size": 1.0}, r"Artifact\.size: unexpected 1\.0"),
    ],
)
def test_the_place_of_what_does_not_fit_is_named(
    kind: type[object], data: object, where: str
) -> None:
    with pytest.raises(ValueError, match=f"^{where}$"):
        from_plain(kind, data)


def test_a_whole_number_is_read_as_a_time() -> None:
    check = from_plain(SmokeCheck, CHECK | {"seconds": 2})
    assert (check.seconds, type(check.seconds)) == (2.0, float)


def test_a_dictionary_has_values_of_one_kind() -> None:
    assert from_plain(dict[str, tuple[int, ...]], {"a": [1, 2]}) == {"a": (1, 2)}
    others: tuple[object, ...] = ([], {"a": 1}, {"a": ["x"]})
    for data in others:
        with pytest.raises(ValueError, match="unexpected"):
            from_plain(dict[str, tuple[int, ...]], data)


def test_a_flag_is_no_number() -> None:
    with pytest.raises(ValueError, match=r"sizes\[1\]: unexpected True"):
        from_plain(tuple[int, ...], [1, True], name="sizes")


@dataclass(frozen=True)
class Cut:
    length: int
    kind: Literal["cut"] = "cut"


@dataclass(frozen=True)
class Glued:
    length: int
    kind: Literal["glued"] = "glued"


@dataclass(frozen=True)
class Work:
    steps: tuple[Cut | Glued, ...]


def test_of_several_kinds_that_of_the_shape_is_read() -> None:
    work = Work(steps=(Glued(2), Cut(1)))
    assert from_plain(Work, to_plain(work)) == work
    with pytest.raises(ValueError, match=r"Work\.steps\[0\]: it is none of Cut, Glued"):
        from_plain(Work, {"steps": [{"length": 1, "kind": "sewn"}]})

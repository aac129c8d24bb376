"""The nearest without a known conflict."""

from pathlib import Path

import pytest

from tests.matrix_files import ask, small_facts
from tfbuild.core.records import PinKind
from tfbuild.facts.ranges import NONE
from tfbuild.facts.rules import Facts
from tfbuild.resolver.alternatives import cost
from tfbuild.resolver.resolution import Alternative, Constraint

GROUPS = {"platform": "linux", "device": "cuda", "python": "3.8", "bazel": "3.7.2"}


@pytest.fixture
def facts(tmp_path: Path) -> Facts:
    return small_facts(
        tmp_path / "small",
        tensorflow=[
            {"version": "2.2.0", "requires": {"numpy": ">=1.23", "bazel": ">=5"}},
            {"version": "2.1.0", "requires": {"numpy": "<1.24", "bazel": ">=3,<6"}},
            {"version": "2.0.0", "requires": {"numpy": "<1.20", "bazel": ">=3,<4"}},
        ],
        python=[{"version": v} for v in ("3.12", "3.10", "3.8")],
        numpy=[
            {"version": "1.26.4", "requires": {"python": ">=3.9"}},
            {"version": "1.23.5", "requires": {"python": ">=3.8,<3.12"}},
            {"version": "1.19.5", "requires": {"python": "<3.10"}},
        ],
        bazel=[{"version": v} for v in ("6.5.0", "5.4.0", "5.0.0", "3.7.2")],
        cuda=[{"version": "11.8", "architectures": ["sm_80", "sm_90"]},
              {"version": "11.2", "architectures": ["sm_80"]},
              {"version": "11.0", "architectures": ["sm_70"]}],
        cuda_absent=[{"version": "11.9", "says": "CUDA 11.9 never was."}],
        gpus=[{"name": n, "capability": n} for n in ("7.0", "8.0", "9.0")],
        rules=[{"id": "gpu-needs-cuda", "when": {"gpu": "any"}, "requires": {"cuda": "any"},
                "effect": "conflict", "says": "a GPU needs CUDA"}],
        tested=[{"tensorflow": "2.0.0", "cuda": "11.2", "gcc": "7.3", "cudnn": "8.1", **GROUPS}],
    )  # fmt: skip


def changes(found: tuple[Alternative, ...]) -> list[dict[str, str]]:
    return [dict(alternative.change) for alternative in found]


def test_the_cheapest_change_comes_first(facts: Facts) -> None:
    answer = ask(facts, tensorflow="2.0.0", bazel="5.0.0")
    assert changes(answer.alternatives) == [{"bazel": "3.7.2"}, {"tensorflow": "2.1.0"}]


def test_a_changed_constraint_moves_as_little_as_it_can(facts: Facts) -> None:
    first, second = changes(ask(facts, tensorflow="2.2.0", bazel="3.7.2").alternatives)
    assert first == {"bazel": "5.0.0"}
    assert second == {"tensorflow": "2.1.0"}


def test_what_was_tested_is_nearer_than_what_is_close(facts: Facts) -> None:
    answer = ask(facts, tensorflow="2.0.0", gpu="8.0", cuda="11.0")
    assert changes(answer.alternatives)[0] == {"cuda": "11.2"}


def test_the_rest_of_the_constraints_is_kept(facts: Facts) -> None:
    answer = ask(facts, "numpy>=1.20", tensorflow="2.0.0", python="3.8")
    for alternative in answer.alternatives:
        versions, change = dict(alternative.versions), dict(alternative.change)
        assert versions["python"] == "3.8"
        assert change.items() <= versions.items()
        assert ("numpy" in change) != ("tensorflow" in change)


def test_versions_are_complete_and_name_nothing_that_is_not_there(facts: Facts) -> None:
    alternative = ask(facts, tensorflow="2.0.0", bazel="5.0.0").alternatives[0]
    versions = dict(alternative.versions)
    assert versions["numpy"] == "1.19.5"
    assert NONE not in versions.values()
    assert "cuda" not in versions


def test_two_constraints_where_one_is_not_enough(facts: Facts) -> None:
    answer = ask(facts, tensorflow="2.0.0", bazel="5.0.0", numpy="1.26.4")
    assert {frozenset(change) for change in changes(answer.alternatives)} == {
        frozenset(("tensorflow",)),
    }
    pair = ask(facts, tensorflow="2.0.0", bazel="6.5.0", numpy="1.19.5")
    assert {frozenset(change) for change in changes(pair.alternatives)} == {frozenset(("bazel",))}
    both = ask(facts, "tensorflow<2.1", bazel="5.0.0", python="3.12", platform="linux-x86_64")
    assert {frozenset(change) for change in changes(both.alternatives)} >= {
        frozenset(("tensorflow",)),
    }


def test_two_independent_conflicts_need_two_changes(facts: Facts) -> None:
    answer = ask(facts, tensorflow="2.0.0", bazel="5.0.0", gpu="9.0", cuda="11.2")
    found = {frozenset(change) for change in changes(answer.alternatives)}
    assert frozenset(("bazel", "cuda")) in found
    assert all(len(axes) == 2 for axes in found)
    assert changes(answer.alternatives)[0] == {"bazel": "3.7.2", "cuda": "11.8"}


def test_doing_without_is_the_last_way(facts: Facts) -> None:
    answer = ask(facts, tensorflow="2.0.0", gpu="9.0", cuda="11.0")
    assert {"cuda": "11.8"} in changes(answer.alternatives)
    assert {"cuda": NONE} not in changes(answer.alternatives)


def test_a_constraint_for_none_may_be_given_up(facts: Facts) -> None:
    answer = ask(facts, tensorflow="2.0.0", gpu="8.0", cuda=NONE)
    assert changes(answer.alternatives) == [{"cuda": "11.2"}]


def test_hardware_is_no_way_out(facts: Facts) -> None:
    answer = ask(facts, tensorflow="2.0.0", gpu="9.0", cuda="11.0")
    assert changes(answer.alternatives) == [{"cuda": "11.8"}]
    two = ask(facts, tensorflow="2.0.0", gpu="9.0,7.0", cuda="11.2")
    assert (two.status, two.alternatives) == ("conflict", ()), "no toolkit here compiles for both"


def test_more_than_three_changes_where_fewer_do_not_help(tmp_path: Path) -> None:
    pairs = [("bazel", "numpy"), ("nccl", "protobuf"), ("clang", "gcc"), ("cudnn", "python")]
    answer = ask(
        small_facts(
            tmp_path,
            rules=[{"id": f"{one}-{other}", "when": {one: "1", other: "1"}, "effect": "conflict",
                    "says": "not both"} for one, other in pairs],
            **{axis: [{"version": "2"}, {"version": "1"}] for pair in pairs for axis in pair},
        ),
        "tensorflow=2.0.0", *(f"{axis}=1" for pair in pairs for axis in pair),
    )  # fmt: skip
    (change,) = changes(answer.alternatives)
    assert len(change) == 4
    assert all(len({*pair} & change.keys()) == 1 for pair in pairs)
    assert "python" not in change, "what costs more is kept"


def test_an_unknown_version_is_changed_to_its_neighbour(facts: Facts) -> None:
    assert changes(ask(facts, tensorflow="2.1.7.1").alternatives) == [{"tensorflow": "2.1.0"}]
    assert changes(ask(facts, tensorflow="2.0.0", cuda="11.9").alternatives) == [{"cuda": "11.2"}]
    assert changes(ask(facts, tensorflow="2.1.0", cuda="11.9").alternatives) == [{"cuda": "11.8"}]


def test_at_most_five(tmp_path: Path) -> None:
    facts = small_facts(
        tmp_path,
        rules=[
            {"id": "all", "when": {"python": "3.11", "numpy": "1.26", "bazel": "5", "os": "any",
                                   "gcc": "12", "clang": "17", "nccl": "2", "protobuf": "4"},
             "effect": "conflict", "says": "not all of them"},
        ],
        **{axis: [{"version": v} for v in versions] for axis, versions in (
            ("python", ("3.11", "3.10")), ("numpy", ("1.26", "1.25")), ("bazel", ("5", "4")),
            ("gcc", ("12", "11")), ("clang", ("17", "16")), ("nccl", ("2", "1")),
            ("protobuf", ("4", "3")),
        )},
    )  # fmt: skip
    answer = ask(
        facts, tensorflow="2.0.0", python="3.11", numpy="1.26", bazel="5", gcc="12", clang="17",
        nccl="2", protobuf="4",
    )  # fmt: skip
    assert answer.status == "conflict"
    found = changes(answer.alternatives)
    assert len(found) == 5
    assert all(len(change) == 1 for change in found)
    assert (
        "bazel" in found[0] or "numpy" in found[0] or "protobuf" in found[0] or "nccl" in found[0]
    )


def test_no_way_out_is_an_empty_answer(tmp_path: Path) -> None:
    facts = small_facts(
        tmp_path,
        tensorflow=[{"version": "2.0.0", "requires": {"bazel": ">=9"}}],
        rules=[{"id": "no", "when": {"bazel": "any"}, "effect": "conflict", "says": "no Bazel"}],
    )
    answer = ask(facts, tensorflow="2.0.0")
    assert answer.status == "conflict"
    assert answer.alternatives == ()


def test_what_the_machine_is_costs_more_than_what_was_requested() -> None:
    def constraint(axis: str, kind: PinKind = "request") -> Constraint:
        values = frozenset(("1",))
        return Constraint(axis=axis, spec="1", origin="a file", kind=kind, values=values)

    assert cost(constraint("gcc", "machine")) > cost(constraint("gcc"))
    assert cost(constraint("gpu#2")) == cost(constraint("gpu"))
    assert cost(constraint("bazel")) < cost(constraint("python"))
    assert cost(constraint("tensorflow")) < cost(constraint("os"))
    assert cost(constraint("platform")) > cost(constraint("glibc", "machine"))

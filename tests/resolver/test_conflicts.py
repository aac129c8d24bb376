"""The smallest sets of constraints and facts that collide."""

from pathlib import Path

import pytest

from tests.matrix_files import ask, pins, small_facts
from tfbuild.facts.rules import Facts, load_facts
from tfbuild.facts.tables import Tables
from tfbuild.resolver.conflicts import absent_conflict, find_conflicts
from tfbuild.resolver.patience import Patience
from tfbuild.resolver.question import Question, compile_question
from tfbuild.resolver.resolution import Conflict, Constraint
from tfbuild.resolver.resolver import resolve


@pytest.fixture
def facts(tmp_path: Path) -> Facts:
    return small_facts(
        tmp_path / "small",
        tensorflow=[
            {"version": "2.1.0"},
            {"version": "2.0.0", "requires": {"numpy": "<1.20", "bazel": ">=3,<4"}},
        ],
        python=[{"version": v} for v in ("3.12", "3.10", "3.8")],
        numpy=[
            {"version": "1.26.4", "requires": {"python": ">=3.9"}},
            {"version": "1.19.5", "requires": {"python": "<3.10"}},
            {"version": "1.19.0", "requires": {"python": "<3.9"}},
        ],
        bazel=[{"version": "5.0.0"}, {"version": "3.7.2"}],
        cuda=[{"version": "11.2", "architectures": ["sm_80"]},
              {"version": "11.0", "architectures": ["sm_70"]}],
        cuda_absent=[{"version": "11.9", "says": "CUDA 11.9 never was: 12.0 followed 11.8."}],
        gpus=[{"name": "A100", "capability": "8.0"}, {"name": "V100", "capability": "7.0"}],
        rules=[{"id": "gpu-needs-cuda", "when": {"gpu": "any"}, "requires": {"cuda": "any"},
                "effect": "conflict", "says": "A GPU needs CUDA.", "fix": "Take CUDA."}],
    )  # fmt: skip


def conflicts(facts: Facts, *words: str, **specs: str) -> tuple[Conflict, ...]:
    compiled = compile_question(Question(pins=pins(*words, **specs)), facts)
    assert not compiled.unknown
    return find_conflicts(compiled.problem, compiled.constraints, Patience())


def ids(conflict: Conflict) -> list[str]:
    return [fact.id for fact in conflict.facts]


def test_constraints_that_go_together_have_none(facts: Facts) -> None:
    assert conflicts(facts, tensorflow="2.0.0", python="3.8") == ()


def test_one_fact_between_two_constraints(facts: Facts) -> None:
    (conflict,) = conflicts(facts, tensorflow="2.0.0", bazel="5.0.0", python="3.8")
    assert conflict.axes == ("tensorflow", "bazel")
    assert ids(conflict) == ["tensorflow-2.0.0-bazel"]
    assert conflict.message == (
        "tensorflow=2.0.0 (command line) and bazel=5.0.0 (command line) cannot go together: "
        "TensorFlow 2.0.0 needs Bazel >=3,<4"
    )
    assert conflict.constraints == ("tensorflow=2.0.0 (command line)", "bazel=5.0.0 (command line)")


def test_a_chain_of_facts_names_all_of_them_and_nothing_else(facts: Facts) -> None:
    (conflict,) = conflicts(facts, tensorflow="2.0.0", python="3.12", bazel="3.7.2")
    assert conflict.axes == ("tensorflow", "python")
    assert sorted(ids(conflict)) == [
        "numpy-1.19.0-python", "numpy-1.19.5-python", "tensorflow-2.0.0-numpy",
    ]  # fmt: skip


def test_conflicts_that_share_no_fact_are_all_reported(facts: Facts) -> None:
    found = conflicts(facts, tensorflow="2.0.0", bazel="5.0.0", gpu="A100", cuda="11.0")
    assert {conflict.axes for conflict in found} == {("tensorflow", "bazel"), ("gpu", "cuda")}
    assert not set(ids(found[0])) & set(ids(found[1]))


def test_what_else_is_wrong_with_the_release_is_reported_first(facts: Facts) -> None:
    found = conflicts(facts, tensorflow="2.0.0", numpy="1.26.4", bazel="5.0.0", python="3.8")
    assert [set(conflict.axes) for conflict in found] == [
        {"tensorflow", "numpy"},
        {"tensorflow", "bazel"},
        {"numpy", "python"},
    ]


def test_a_rule_brings_its_remedy(facts: Facts) -> None:
    (conflict,) = conflicts(facts, tensorflow="2.0.0", gpu="A100", cuda="none")
    assert conflict.axes == ("gpu", "cuda")
    assert [fact.fix for fact in conflict.facts] == ["Take CUDA."]


def test_constraints_may_contradict_each_other_without_any_fact(facts: Facts) -> None:
    compiled = compile_question(Question(pins=pins(tensorflow="2.1.0", python="3.8")), facts)
    other = Constraint(
        axis="python", spec="3.10", origin="this machine", values=frozenset(("3.10",))
    )
    (conflict,) = find_conflicts(compiled.problem, [*compiled.constraints, other], Patience())
    assert conflict.axes == ("python",)
    assert conflict.facts == ()
    assert conflict.message.endswith("the constraints contradict each other")


def test_one_of_several_gpus_is_enough(facts: Facts) -> None:
    found = conflicts(facts, tensorflow="2.0.0", gpu="A100, V100", cuda="11.2")
    (with_cuda,) = (conflict for conflict in found if conflict.axes == ("gpu", "cuda"))
    assert len(with_cuda.constraints) == 2
    assert "V100" in " ".join(with_cuda.constraints)
    assert "A100" not in " ".join(with_cuda.constraints)


def test_two_gpus_may_collide_with_each_other(facts: Facts) -> None:
    (conflict,) = conflicts(facts, tensorflow="2.0.0", gpu="A100, V100")
    assert conflict.axes == ("gpu",)
    assert len(conflict.constraints) == 2
    assert ids(conflict) == ["cuda-11.2-gpu", "cuda-11.0-gpu", "gpu-needs-cuda"]


@pytest.mark.parametrize("spec", ["11.9", "==11.9"])
def test_a_version_that_never_was_has_its_own_sentence(facts: Facts, spec: str) -> None:
    compiled = compile_question(Question(pins=pins(tensorflow="2.0.0", cuda=spec)), facts)
    (constraint,) = compiled.unknown
    conflict = absent_conflict(constraint, facts)
    assert conflict is not None
    assert conflict.axes == ("cuda",)
    assert "CUDA 11.9 never was: 12.0 followed 11.8" in conflict.message
    assert "cannot be" in conflict.message
    assert conflict.facts[0].source == "a paper"


def test_a_version_that_is_only_unknown_is_no_conflict(facts: Facts) -> None:
    compiled = compile_question(Question(pins=pins(tensorflow="2.0.0", cuda="13.9")), facts)
    assert absent_conflict(compiled.unknown[0], facts) is None


@pytest.mark.slow
def test_the_same_question_is_answered_with_the_same_conflicts(tables: Tables) -> None:
    facts = load_facts(tables)
    asked = [
        ("tensorflow=1.13.1", "driver=530.30", "cuda>=11.0", "bazel=0.18", "protobuf=3.15"),
        ("tensorflow=2.18.0", "gpu=RTX 5090", "cuda=12.5", "numpy=1.19", "python=3.8"),
        ("tensorflow=2.6.5", "python=3.10"),
        ("tensorflow=2.6.5", "python=3.11", "numpy=1.23", "bazel=6.0", "gpu=sm_90"),
        ("tensorflow=1.15.5", "python=3.8", "cuda=11.0", "gcc=11"),
    ]
    first = {words: ask(facts, *words, strict=True).conflicts for words in asked}
    for _ in range(4):
        for words in asked:
            assert ask(facts, *words, strict=True).conflicts == first[words]


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("tensorboard=2.20 setuptools=82", {"tensorboard", "setuptools"}),
        ("tensorboard=2.20 setuptools=81", set()),
        ("tensorboard=2.21 setuptools=82", set()),
        ("tensorflow=2.3 rocm=3.7", {"tensorflow", "rocm"}),
        ("tensorflow=2.13 rocm=5.7", set()),
        ("rocm=5.7 cuda=11.8", {"rocm", "cuda"}),
        ("tensorflow=2.15 tf_keras=2.16", {"tensorflow", "tf_keras"}),
        ("tensorflow=2.14 xcode=15.2 macos=11", {"xcode", "macos"}),
        ("tensorflow=1.14 gast=0.3", {"tensorflow", "gast"}),
    ],
)
def test_what_counts_only_where_it_is_named_collides_with_what_it_is_known_to(
    tables: Tables, words: str, wanted: set[str]
) -> None:
    asked = words.split() if "tensorflow=" in words else ["tensorflow=any", *words.split()]
    answer = ask(load_facts(tables), *asked)
    assert [set(one.axes) for one in answer.conflicts] == ([wanted] if wanted else [])


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("tensorflow=2.16.1 os=macos_10.14 platform=macos-x86_64", {"tensorflow", "macos"}),
        ("tensorflow=2.16.1 os=macos_10.15 platform=macos-x86_64", set()),
        ("tensorflow=1.14 python=3.7 libstdcxx=3.4.19", {"tensorflow", "python", "libstdcxx"}),
        ("tensorflow=1.14 python=3.6 libstdcxx=3.4.19", set()),
        (
            "tensorflow=1.13.1 numpy=1.15 platform=windows-x86_64",
            {"tensorflow", "numpy", "platform"},
        ),
        ("tensorflow=1.13.1 numpy=1.16 platform=windows-x86_64", set()),
        ("tensorflow=1.4 pip=1.5 platform=linux-x86_64", {"tensorflow", "pip", "platform"}),
    ],
)
def test_a_published_wheel_wants_its_system(tables: Tables, words: str, wanted: set[str]) -> None:
    asked = pins(*(word.replace("_", " ") for word in words.split()))
    answer = resolve(Question(pins=asked, published=True), load_facts(tables))
    assert (answer.status == "conflict") == bool(wanted)
    assert not wanted or wanted in [set(one.axes) for one in answer.conflicts]


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("tensorflow=1.3 bazel=0.6", {"tensorflow", "bazel"}),
        ("tensorflow=1.4 bazel=0.6", set()),
        ("tensorflow=1.6 bazel=0.12", {"tensorflow", "bazel"}),
        ("tensorflow=1.4 cudnn=5.1", {"tensorflow", "cudnn"}),
        ("tensorflow=1.3 cudnn=7.0", {"tensorflow", "cudnn"}),
        ("tensorflow=1.7 cuda=8.0 platform=linux-x86_64", {"tensorflow", "cuda", "platform"}),
        ("tensorflow=1.5 cuda=8.0 glibc=2.26", {"cuda", "glibc"}),
        ("tensorflow=1.5 cuda=8.0 gcc=5.5", {"cuda", "gcc"}),
        ("tensorflow=1.8 platform=linux-aarch64", {"tensorflow", "platform"}),
        ("tensorflow=2.0 xcode=11.3", {"tensorflow", "xcode"}),
        ("tensorflow=2.1 xcode=11.4", set()),
    ],
)
def test_old_sources_collide_with_what_came_after_them(
    tables: Tables, words: str, wanted: set[str]
) -> None:
    answer = ask(load_facts(tables), *words.split())
    assert [set(one.axes) for one in answer.conflicts] == ([wanted] if wanted else [])


def test_cuda_stands_on_glibc_whatever_is_built(tables: Tables) -> None:
    words = "tensorflow=2.12 cuda=11.8 platform=linux-x86_64 glibc=none"
    answer = ask(load_facts(tables), *words.split())
    assert {"cuda", "glibc", "platform"} in [set(one.axes) for one in answer.conflicts]

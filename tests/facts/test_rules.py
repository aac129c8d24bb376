"""Matrices as one set of rules."""

from collections import defaultdict
from pathlib import Path

from tests.failing import fails
from tests.matrix_files import can_be, small_facts, small_tables
from tfbuild.core.axes import axes, is_word, label
from tfbuild.facts import rows as records
from tfbuild.facts import rules as facts_module
from tfbuild.facts.rules import Rule, load_facts
from tfbuild.facts.tables import Tables

ROW = {"tensorflow": "2.0.0", "platform": "linux", "device": "cpu", "python": "3.10 3.11",
       "bazel": "5.0.0", "gcc": "9.3.1"}  # fmt: skip
WHEELS = {"linux-x86_64": "3.10 3.11"}


def rules_about(rules: tuple[Rule, ...], axis: str, other: str) -> list[Rule]:
    return [rule for rule in rules if rule.when[0][0] == axis and rule.needs[:1] == (other,)]


def needed(rule: Rule) -> str:
    _, spec = rule.needs or ("", "")
    return spec


def test_rows_of_one_mind_are_one_rule(tmp_path: Path) -> None:
    facts = small_facts(
        tmp_path,
        numpy=[
            {"version": "2.0.0", "requires": {"python": ">=3.9"}},
            {"version": "1.26.4", "requires": {"python": ">=3.9"}},
            {"version": "1.25.0", "requires": {"python": ">=3.9"}},
            {"version": "1.24.0", "requires": {"python": ">=3.8"}},
        ],
    )
    newer, older = rules_about(facts.rules, "numpy", "python")
    assert newer.level == older.level == "hard"
    assert newer.fact.text == "NumPy 1.25.0 to 2.0.0 need Python >=3.9"
    assert older.fact.text == "NumPy 1.24.0 needs Python >=3.8"
    for version in ("2.0.0", "1.26.4", "1.25.0"):
        assert can_be(newer.when[0][1], version)
    assert not can_be(newer.when[0][1], "1.24.0")
    assert newer.fact.source == "a paper"


def test_what_is_usual_only_warns(tmp_path: Path) -> None:
    facts = small_facts(tmp_path, bazel=[{"version": "5.0.0", "expects": {"gcc": "<13"}}])
    (rule,) = rules_about(facts.rules, "bazel", "gcc")
    assert rule.level == "soft"
    assert rule.fact.text == "Bazel 5.0.0 is known with GCC <13"
    assert rule.fact.id.endswith("-usual")


def test_evidence_of_two_kinds_makes_two_facts(tmp_path: Path) -> None:
    facts = small_facts(
        tmp_path,
        numpy=[
            {"version": "2.0.0", "requires": {"python": ">=3.9"}, "evidence": "measured"},
            {"version": "1.26.4", "requires": {"python": ">=3.9"}, "checked": "2020-01-01"},
        ],
    )
    rules = rules_about(facts.rules, "numpy", "python")
    assert [rule.fact.evidence for rule in rules] == ["measured", "documented"]
    assert [rule.fact.checked for rule in rules] == ["2099-01-01", "2020-01-01"]


def test_architectures_are_a_rule_on_the_gpu(tmp_path: Path) -> None:
    facts = small_facts(
        tmp_path, cuda=[{"version": "11.0", "architectures": ["sm_80", "sm_75", "sm_120"]}]
    )
    rule, libraries = rules_about(facts.rules, "cuda", "gpu")
    assert (rule.level, rule.only) == ("hard", "build")
    assert (libraries.level, libraries.needs) == ("wheel", ("gpu", ">=7.5,<13"))
    assert rule.fact.text == "CUDA 11.0 compiles for sm_80, sm_75, sm_120"
    spec = needed(rule)
    assert [can_be(spec, value) for value in ("8.0", "7.5", "12.0", "8.6", "1.2")] == [
        True, True, True, False, False,
    ]  # fmt: skip


def test_words_of_requirements(tmp_path: Path) -> None:
    facts = small_facts(
        tmp_path,
        cuda=[{"version": "11.0", "requires": {"cudnn": "any", "gcc": "7 | >=8,<9"}}],
        os=[{"version": "macos", "requires": {"glibc": "none", "platform": "macos-arm64"}}],
    )
    texts = {rule.fact.text for rule in facts.rules}
    assert {
        "CUDA 11.0 needs cuDNN",
        "CUDA 11.0 needs GCC 7 or >=8,<9",
        "macos goes without glibc",
        "macos needs platform macos-arm64",
    } <= texts


def test_a_written_rule_keeps_its_sentence_and_remedy(tmp_path: Path) -> None:
    facts = small_facts(
        tmp_path,
        rules=[
            {
                "id": "both", "when": {"gcc": ">=13"}, "effect": "conflict",
                "requires": {"tensorflow": ">=2", "bazel": "5"},
                "says": "GCC 13 breaks it.", "fix": "Take GCC 12.",
            },
            {"id": "never", "when": {"gcc": "4", "bazel": "5"}, "effect": "warning", "says": "No"},
        ],
    )  # fmt: skip
    first, second, third = (r for r in facts.rules if not r.fact.id.startswith("tested-"))
    assert [rule.needs for rule in (first, second, third)] == [
        ("tensorflow", ">=2"), ("bazel", "5"), (),
    ]  # fmt: skip
    assert (first.fact.id, second.fact.id, third.fact.id) == ("both", "both", "never")
    assert (first.fact.text, first.fact.fix) == ("GCC 13 breaks it", "Take GCC 12.")
    assert (first.level, third.level) == ("hard", "soft")


def test_a_tested_row_speaks_for_patch_releases_without_one(tmp_path: Path) -> None:
    facts = small_facts(
        tmp_path,
        tensorflow=[
            *({"version": v, "wheels": WHEELS} for v in ("2.1.0", "2.0.2", "2.0.1", "2.0.0")),
            {"version": "2.0.3"},  # a tag without wheels was never released
        ],
        tested=[ROW, {**ROW, "tensorflow": "2.0.2", "gcc": "10.1.0"}],
    )
    found = defaultdict(set)
    for rule in rules_about(facts.rules, "tensorflow", "gcc"):
        assert rule.level == "tested"
        assert ("platform", "linux-x86_64") in rule.when
        assert ("cuda", "none") in rule.when
        for version in facts.versions("tensorflow"):
            if can_be(rule.when[0][1], version):
                found[version].add((needed(rule), rule.fact.evidence))
    assert found["2.0.0"] == {("9.3", "documented")}
    assert found["2.0.2"] == {("10.1", "documented")}
    assert {evidence for _, evidence in found["2.0.1"]} == {"derived"}
    assert not found.keys() & {"2.1.0", "2.0.3"}


def test_several_rows_of_one_release_hold_for_their_own_toolkit(tmp_path: Path) -> None:
    gpu = {**ROW, "device": "cuda"}
    facts = small_facts(
        tmp_path,
        tested=[{**gpu, "cuda": "11.2", "cudnn": "8.1"}, {**gpu, "cuda": "12.0", "cudnn": "8.8"}],
    )
    toolkits = rules_about(facts.rules, "tensorflow", "cuda")
    assert {spec for rule in toolkits for spec in needed(rule).split(" | ")} == {"11.2", "12.0"}
    assert all(dict(rule.when)["cuda"] == "any" for rule in toolkits)
    libraries = {dict(r.when)["cuda"]: needed(r) for r in facts.rules if r.needs[:1] == ("cudnn",)}
    assert libraries == {"11.2": "8.1", "12.0": "8.8"}


def test_a_row_that_was_only_concluded_makes_no_toolkit_tested(tmp_path: Path) -> None:
    gpu = {**ROW, "device": "cuda", "cudnn": "8.1"}
    derived = {**gpu, "cuda": "12.0", "evidence": "derived"}
    facts = small_facts(tmp_path, tested=[{**gpu, "cuda": "11.2"}, derived])
    specs = [needed(rule) for rule in rules_about(facts.rules, "tensorflow", "cuda")]
    assert specs == ["11.2"]


def test_rows_of_one_release_hold_each_as_a_whole(tmp_path: Path) -> None:
    proven = {**ROW, "python": "3.10", "evidence": "proven", "checked": "2098-01-01"}
    old = {**proven, "python": "3.9", "bazel": "4.2.0", "gcc": "10.2.1"}
    facts = small_facts(tmp_path, tested=[ROW, old, proven])
    rules = [rule for rule in facts.rules if dict(rule.when).get("tensorflow") == "==2.0.0"]
    said = {rule.fact.text.partition("linux ")[2]: rule.fact.evidence for rule in rules}
    assert said == {
        "(cpu) was tested with Python 3.10, 3.11, 3.9": "documented",
        "(cpu, Python 3.10) was tested with Bazel 5.0.0": "documented",
        "(cpu, Python 3.10) was tested with GCC 9.3": "documented",
        "(cpu, Python 3.11) was tested with Bazel 5.0.0": "documented",
        "(cpu, Python 3.11) was tested with GCC 9.3": "documented",
        "(cpu, Python 3.9) was tested with Bazel 4.2.0": "proven",
        "(cpu, Python 3.9) was tested with GCC 10.2": "proven",
    }
    assert len({rule.fact.id for rule in rules}) == len(rules)
    assert {dict(r.when).get("python") for r in rules} == {None, "3.10", "3.11", "3.9"}
    assert {rule.fact.checked for rule in rules} == {"2098-01-01", "2099-01-01"}


def test_another_compiler_is_tested_beside_its_own_row_only(tmp_path: Path) -> None:
    clang = {**{key: value for key, value in ROW.items() if key != "gcc"}, "clang": "18.1"}
    facts = small_facts(tmp_path, tested=[ROW, clang])
    (which,) = rules_about(facts.rules, "tensorflow", "clang")
    assert set(needed(which).split(" | ")) == {"none", "18"}
    (gcc,) = rules_about(facts.rules, "tensorflow", "gcc")
    assert (dict(gcc.when)["clang"], needed(gcc)) == ("none", "9.3")


def test_values_of_a_tested_row() -> None:
    row = records.TestedRow(
        platform="linux", device="cuda", python="3.9 3.10", bazel="6.1.0", source=("x",),
        checked="2026-01-01", evidence="documented", clang="16.0.0", cuda="12.2", cudnn="8.9",
    )  # fmt: skip
    assert dict(facts_module.tested_values(row)) == {
        "python": "3.9 | 3.10", "clang": "16", "bazel": "6.1.0", "cuda": "12.2", "cudnn": "8.9",
    }  # fmt: skip


def test_versions_of_the_gpu_axis_are_capabilities(tmp_path: Path) -> None:
    products = [("A100", "8.0"), ("A30", "8.0"), ("H100", "9.0")]
    facts = small_facts(tmp_path, gpus=[{"name": n, "capability": c} for n, c in products])
    assert facts.versions("gpu") == ("8.0", "9.0")
    assert facts.versions("clang") == ()


def test_versions_that_never_were(tmp_path: Path) -> None:
    facts = small_facts(tmp_path, cuda_absent=[{"version": "12.7", "says": "Never."}])
    assert [row.version for row in facts.absent["cuda"]] == ["12.7"]


def test_facts_are_loaded_once(tmp_path: Path) -> None:
    tables = small_tables(tmp_path)
    assert load_facts(tables) is load_facts(tables)


def test_an_error_points_at_file_entry_and_field(tmp_path: Path) -> None:
    with fails("entry-field-unknown", "bazel.yaml, entry 1 (5.0.0)", "'requiers'"):
        small_facts(tmp_path, bazel=[{"version": "5.0.0", "requiers": {}}])


def test_label() -> None:
    assert label("cudnn") == "cuDNN"
    assert label("driver") == "driver"


# --- the project's own tables -------------------------------------------------------------------


def test_every_fact_has_one_sentence_one_source_and_a_date(tables: Tables) -> None:
    texts = defaultdict(set)
    for rule in load_facts(tables).rules:
        assert rule.fact.text
        assert rule.fact.source
        assert rule.fact.checked
        texts[rule.fact.id].add(rule.fact.text)
    assert {name: found for name, found in texts.items() if len(found) > 1} == {}


def test_every_range_can_be_read_and_names_an_axis(tables: Tables) -> None:
    facts = load_facts(tables)
    for rule in facts.rules:
        for axis, spec in (*rule.when, *([rule.needs] if rule.needs else [])):
            assert axis in axes(), rule.fact.id
            known = facts.versions(axis)
            can_be(spec, known[0], words=is_word(axis))
            if is_word(axis):
                assert set(spec.split(" | ")) <= {*known, "any", "none"}, (rule.fact.id, spec)

"""Answers for each era: what the tree reads, and nothing that it does not."""

from pathlib import Path

import pytest

from tests.tensorflow_trees import ERAS, make_tree
from tfbuild.facts.tables import Tables
from tfbuild.sources.answers import make_answers, written_options
from tfbuild.sources.tensorflow_tree import read_tree

WORDS = {
    "python": "/python", "python_library": "/library", "cuda": "/cuda", "c_compiler": "/gcc",
    "cuda_version": "11.2", "cudnn_version": "8.1", "capabilities": "sm_86",
    "hermetic_cuda": "12.5.1", "hermetic_cudnn": "9.3.0",
}  # fmt: skip
GOLDEN = Path(__file__).parents[1] / "golden" / "configure_answers.txt"


def test_answers_of_every_era_are_those_of_the_golden_file(
    tables: Tables, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    text = ""
    for release in ERAS:
        tree = read_tree(make_tree(tmp_path / release, release))
        for device in ("cpu", "cuda"):
            answers = make_answers(tree, tables.variables(), device, WORDS)
            assert answers.warnings == ()
            lines = [f"{name}={value}" for name, value in answers.variables]
            options = written_options(answers.rows, dict(answers.variables))
            text += f"{release} {device}\n" + "".join(f"  {line}\n" for line in (*lines, *options))
    if pytestconfig.getoption("--rewrite-golden"):
        GOLDEN.write_text(text)
    assert text == GOLDEN.read_text(), "rewrite with: pytest --rewrite-golden"


@pytest.mark.parametrize("release", ERAS)
@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_only_what_the_tree_reads_is_answered(
    tables: Tables, tmp_path: Path, release: str, device: str
) -> None:
    tree = read_tree(make_tree(tmp_path, release))
    answers = make_answers(tree, tables.variables(), device, WORDS)
    assert set(dict(answers.variables)) <= tree.configure.reads
    named = {row.name for row in answers.rows}
    wanted = {name for name in tree.configure.yes_no if name in named}
    assert wanted <= set(dict(answers.variables)), "a question is left open"


def test_what_is_said_goes_before_what_is_usual(tables: Tables, tmp_path: Path) -> None:
    tree = read_tree(make_tree(tmp_path, "2.6.5"))
    said = (("CC_OPT_FLAGS", "-O3"), ("TF_ENABLE_XLA", "1"), ("TF_NEED_CLANGG", "0"))
    answers = make_answers(tree, tables.variables(), "cpu", WORDS, said)
    assert dict(answers.variables)["CC_OPT_FLAGS"] == "-O3"
    said_of = [warning.text for warning in answers.warnings]
    assert {warning.code for warning in answers.warnings} == {"variable-not-read"}
    unknown = next(text for text in said_of if "TF_NEED_CLANGG" in text)
    assert "did you mean" in unknown
    xla = next(text for text in said_of if "TF_ENABLE_XLA" in text)
    assert "does not read it" in xla


def test_a_question_that_nobody_knows_is_reported(tables: Tables, tmp_path: Path) -> None:
    tree = read_tree(make_tree(tmp_path, "2.21.0", asks=("TF_NEED_CLANG", "TF_NEED_NEWEST")))
    (warning,) = make_answers(tree, tables.variables(), "cpu", WORDS).warnings
    assert warning.code == "question-unknown"
    assert "TF_NEED_NEWEST" in warning.text


def test_options_follow_the_answers(tables: Tables, tmp_path: Path) -> None:
    tree = read_tree(make_tree(tmp_path, "2.6.5"))
    answers = make_answers(tree, tables.variables(), "cuda", WORDS)
    variables = dict(answers.variables) | {
        "TF_CUDA_CLANG": "y",
        "TF_CUDA_COMPUTE_CAPABILITIES": "sm_80, sm_86",
        "TF_ENABLE_XLA": "0",
    }
    options = written_options(answers.rows, variables)
    assert "--config=cuda_clang" in options
    assert "--config=cuda" not in options
    assert "--action_env=TF_CUDA_COMPUTE_CAPABILITIES=sm_80,sm_86" in options
    assert "--define=with_xla_support=false" in options
    assert "--config=rocm" not in options

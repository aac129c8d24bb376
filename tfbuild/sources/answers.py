"""The answers to a tree's configure.py, and the options that they become."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tfbuild.core.records import Pairs
from tfbuild.core.reporter import CodedWarning
from tfbuild.core.versions import did_you_mean
from tfbuild.facts.build_rows import VariableRow
from tfbuild.facts.ranges import select
from tfbuild.sources.tensorflow_tree import TensorFlowTree

TRUE = ("1", "t", "true", "y", "yes")
FALSE = ("0", "f", "false", "n", "no")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """What configure.py gets to see, in a fixed order, and what looks odd about it.

    Values may hold the placeholders of an environment: {python}, {cuda}.
    """

    variables: Pairs
    rows: tuple[VariableRow, ...]  # of the release, whether answered or not
    warnings: tuple[CodedWarning, ...] = ()


def make_answers(
    tree: TensorFlowTree,
    rows: Iterable[VariableRow],
    device: str,
    words: Mapping[str, str],
    said: Pairs = (),
) -> Answers:
    """The answers for a device, so that nothing is asked; what was said goes before what is usual.

    words are what the plan decided: capabilities, cuda_version and the like. Only variables that
    the tree's own configure.py reads are answered.
    """
    known = tuple(row for row in rows if row.kind != "config" and _holds(row, tree))
    of_device = tuple(row for row in known if row.device in {"", device})
    given = dict(said)
    variables = {}
    for row in of_device:
        value = given.pop(row.name, None)
        if value is None:
            value = _usual(row, words)
            if not value and not row.always:
                continue
        if row.name in tree.configure.reads:
            variables[row.name] = value
    unread = [name for name in dict(said) if name not in tree.configure.reads]
    warnings = [
        CodedWarning(code="variable-not-read", text=_unread(name, tree, rows)) for name in unread
    ]
    names = {row.name for row in rows}
    warnings += [
        CodedWarning(
            code="question-unknown",
            text=f"configure.py of this tree asks for {name}, which tfbuild does not know; "
            "its own default is taken",
        )
        for name in sorted(tree.configure.asks - names)
        if name not in given and not _is_foreign(name)
    ]
    variables |= {name: value for name, value in given.items() if name not in variables}
    return Answers(variables=tuple(variables.items()), rows=of_device, warnings=tuple(warnings))


def written_options(rows: Iterable[VariableRow], variables: Mapping[str, str]) -> tuple[str, ...]:
    """The options that configure.py must write for these answers, in one spelling."""
    words = {"cuda_config": "cuda_clang" if is_true(variables.get("TF_CUDA_CLANG", "")) else "cuda"}
    found: list[str] = []
    for row in rows:
        if row.name not in variables or not row.writes:
            continue
        value = variables[row.name]
        if _says_nothing(row, value):
            continue
        text = row.writes.replace("{true_or_false}", "true" if is_true(value) else "false")
        for option in text.split(" --"):
            whole = option if option.startswith("--") else f"--{option}"
            filled = whole.replace("{cuda_config}", words["cuda_config"])
            found.append(filled.replace("{value}", _as_written(row, value)))
    return tuple(found)


def is_true(value: str) -> bool:
    """Whether configure.py takes a value for yes."""
    return value.strip().lower() in TRUE


def _says_nothing(row: VariableRow, value: str) -> bool:
    """Whether configure.py writes no line for this answer."""
    if row.kind == "yes-no":
        return not is_true(value)
    if row.kind == "flag" and "{true_or_false}" not in row.writes:
        return value != "1"
    # Old variables are written even when they are empty, new ones only when they are not.
    return not value


def _as_written(row: VariableRow, value: str) -> str:
    if row.kind == "capabilities":
        return "".join(value.split())
    if row.kind == "names":
        return ",".join(sorted(value.replace(",", " ").split()))
    return value


def _usual(row: VariableRow, words: Mapping[str, str]) -> str:
    value = row.answer
    for name, text in words.items():
        value = value.replace(f"{{{name}}}", text)
    return value


def _holds(row: VariableRow, tree: TensorFlowTree) -> bool:
    return bool(select(row.releases, (tree.version.base_version,)))  # 2.17.0 for 2.17.0rc1


def _is_foreign(name: str) -> bool:
    """Asked for on other systems or for phones alone, or after a question that tfbuild denies."""
    after = ("ANDROID_", "HOST_C", "COMPUTECPP_", "TRISYCL_", "MPI_HOME", "ROCM")
    return name.startswith(after)


def _unread(name: str, tree: TensorFlowTree, rows: Iterable[VariableRow]) -> str:
    known = [f"{row.says.rstrip('.')} ({row.releases})" for row in rows if row.name == name]
    why = f": {known[0]}" if known else f"; {did_you_mean(name, tree.configure.reads)}"
    return f"{name} is said, but configure.py of TensorFlow {tree.release} does not read it{why}"

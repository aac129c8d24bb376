"""JSON Schemas of what `tfbuild facts` prints."""

from typing import get_type_hints

from tests.schema_forms import (
    CASE_ENDED,
    TEXT,
    TEXTS,
    WHOLE,
    Schema,
    as_texts_by_name,
    by_name_said,
    document,
    list_said,
    object_of,
    said,
    schema_of,
)
from tfbuild.curation.cases import CaseScore
from tfbuild.curation.consistency import AxisSummary, Inconsistency
from tfbuild.curation.evidence import Refusal
from tfbuild.facts.rows import GpuRow, Target, TestedRow


def fact_schemas() -> dict[str, Schema]:
    """The facts: a summary, the rows of an axis, what is wrong with them, what is new."""
    summary = {
        "axes": list_said("each axis that has facts", schema_of(AxisSummary)),
        "rules": said("how many rules follow from all facts", WHOLE),
    }
    rows = {
        "axis": said("the axis that was asked for; tested: all tested builds", TEXT),
        "rows": list_said("its versions; none of the axes tested and gpu", _row()),
        "tested": list_said("tested builds of what is asked for", _tested_row()),
        "gpus": list_said("products, for the axis gpu", _gpu()),
    }
    source = {
        "name": said("short name of the source", TEXT),
        "source": said("the document, in words", TEXT),
        "rows": said("axis and version of each row that rests on it", TEXTS),
        "rules": said("ids of the rules of rules.yaml that rest on it", TEXTS),
    }
    return {
        "facts": document("facts", object_of(summary)),
        "facts.rows": document("facts.rows", object_of(rows)),
        "facts.source": document("facts.source", object_of(source)),
        "facts.verify": document("facts.verify", _verify()),
        "facts.check": document("facts.check", _facts_check()),
        "facts.refresh": document("facts.refresh", _refresh()),
    }


def _refresh() -> Schema:
    """What the package index knows beyond the facts."""
    return object_of(
        {
            "added": by_name_said("file of matrices/ -> versions that are new", TEXTS),
            "changed": by_name_said("file of matrices/ -> versions whose row changes", TEXTS),
            **_written(),
        }
    )


def _facts_check() -> Schema:
    """What does not agree, and how real cases are judged."""
    case = {
        "name": said("name of its file in matrices/cases/", TEXT),
        "thread": said("address of the thread", TEXT),
        "status": said("what the resolver answers; refused: it could not be asked", TEXT),
        "message": said("the conflict or warning that comes first, in words", TEXT),
        "outcome": CASE_ENDED,
        "cause": said("axes that made it fail; none: it worked", TEXTS),
        "conflicts": list_said("the axes of each conflict that the resolver finds", TEXTS),
        "is_right": said("whether it is judged as it ended", {"type": "boolean"}),
    }
    score = schema_of(CaseScore)
    return object_of(
        {
            "findings": list_said("what does not agree", schema_of(Inconsistency)),
            "cases": list_said(
                "real cases that versions decided; without --cases none", object_of(case)
            ),
            "held_out": said("counts of the cases that no rule may come from", score),
            "rest": said("counts of the other cases", score),
        }
    )


def _row() -> Schema:
    """A row as it is printed: only the fields that are filled, pairs as mappings."""
    schema = schema_of(Target)  # a row of the axis platform, which has more fields than the others
    hints = get_type_hints(Target)
    pairs = {name for name, hint in hints.items() if hint == tuple[tuple[str, str], ...]}
    as_texts_by_name(schema, *sorted(pairs))
    schema["required"] = ["version", "source", "checked", "evidence"]
    return schema


def _tested_row() -> Schema:
    """A tested build as it is printed: only the fields that are filled."""
    required = ["platform", "device", "source", "checked", "evidence"]
    return {**schema_of(TestedRow), "required": required}


def _gpu() -> Schema:
    """A GPU as it is printed: the fields that are filled, and what it is called besides."""
    schema = schema_of(GpuRow)
    schema["properties"] |= {
        "architecture": said("as compilers call it: sm_86", TEXT),
        "aliases": said("other names that people have for it", TEXTS),
    }
    required = [name for name in schema["properties"] if name not in {"category", "note"}]
    return {**schema, "required": required}


def _verify() -> Schema:
    """What finished builds prove, and which of them are not believed."""
    news = said(
        "new: a row is added; renewed: one says more now; known: one says as much",
        {"enum": ["new", "renewed", "known"]},
    )
    report = said("its path", TEXT)
    row = said("the row of tested.yaml that it proves", _tested_row())
    proven = object_of({"report": report, "news": news, "row": row})
    return object_of(
        {
            "proven": list_said("reports that hold", proven),
            "refused": list_said("reports that are not believed", schema_of(Refusal)),
            **_written(),
        }
    )


def _written() -> dict[str, Schema]:
    """What a command changes in the facts."""
    return {
        "diff": said("the change of the files, as a unified diff; empty: nothing is new", TEXT),
        "written": said("files of matrices/ that were changed; without --write none", TEXTS),
    }

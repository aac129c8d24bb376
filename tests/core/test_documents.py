"""Documents of the release before are read; all others stay as they are."""

from typing import Any

import pytest

from tfbuild.core.documents import VERSIONS, as_current

OLD_PLAN = {"id": "a", "rivals": [{"name": "torch"}], "options": {"rivals": "kept"}}
NEW_PLAN = {"id": "a", "baselines": [{"name": "torch"}], "options": {"rivals": "kept"}}


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("plan", OLD_PLAN, NEW_PLAN),
        (
            "report",
            {"plan": OLD_PLAN, "smoke": {"rungs": []}},
            {"plan": NEW_PLAN, "smoke": {"checks": []}},
        ),
        ("report", {"smoke": None}, {"smoke": None}),
        (
            "product-plan",
            {"steps": [{"plan": OLD_PLAN}, {"rivals": 1}, 3]},
            {"steps": [{"plan": NEW_PLAN}, {"rivals": 1}, 3]},
        ),
        ("product-plan", {"steps": None}, {"steps": None}),
        (
            "product",
            {"plan": {"steps": [{"plan": OLD_PLAN}]}, "smoke": {"rungs": []}},
            {"plan": {"steps": [{"plan": NEW_PLAN}]}, "smoke": {"checks": []}},
        ),
        ("product", {"plan": 3}, {"plan": 3}),
        ("lock", {"wishes": ["python=3.11"]}, {"constraints": ["python=3.11"]}),
        ("doctor", {"host": {}}, {"host": {}}),
    ],
)
def test_documents_of_the_release_before_are_read(
    name: str, old: dict[str, Any], new: dict[str, Any]
) -> None:
    read = as_current({"schema": f"tfbuild.{name}/1", **old})
    assert read == {"schema": f"tfbuild.{name}/{VERSIONS[name]}", **new}


@pytest.mark.parametrize("schema", ["tfbuild.plan/2", "tfbuild.plan/3", "tfbuild.cells/1", None, 3])
def test_any_other_stays_as_it_is(schema: object) -> None:
    document = {"schema": schema, "rivals": [], "rungs": [], "wishes": []}
    assert as_current(document) is document

"""Versions of the documents that tfbuild writes, and how it reads those of the release before.

A document names its schema, as in `tfbuild.report/2`. A key that gets another name gives the schema
another version. For one release tfbuild reads both.
"""

from collections.abc import Mapping
from typing import Any

VERSIONS: Mapping[str, int] = {  # of every other schema there is only version 1
    "diagnosis": 2, "doctor": 2, "lock": 2, "plan": 2, "product": 2, "product-plan": 2,
    "report": 2, "resolution": 2, "smoke": 2,
}  # fmt: skip

_PLAN = (("rivals", "baselines"),)
_SMOKE = (("rungs", "checks"),)
_LOCK = (("wishes", "constraints"),)


def as_current(document: dict[str, Any]) -> dict[str, Any]:
    """The document with schema and keys of this release where 0.1 wrote it; any other as it is."""
    found = document.get("schema")
    match found:
        case "tfbuild.plan/1":
            document = _renamed(document, _PLAN)
        case "tfbuild.report/1":
            document = _of_report(document)
        case "tfbuild.product-plan/1":
            document = _of_product_plan(document)
        case "tfbuild.product/1":
            document = _of_report(document)
            document = {**document, "plan": _of_product_plan(document.get("plan"))}
        case "tfbuild.lock/1":
            document = _renamed(document, _LOCK)
        case "tfbuild.doctor/1":
            pass  # what is read of it, the machine, is the same
        case _:
            return document
    return {**document, "schema": found.removesuffix("1") + "2"}


def _of_report(document: dict[str, Any]) -> dict[str, Any]:
    parts = {"plan": _PLAN, "smoke": _SMOKE}
    return {key: _renamed(value, parts.get(key, ())) for key, value in document.items()}


def _of_product_plan(plan: Any) -> Any:  # noqa: ANN401  (any JSON value)
    """A step that builds a TensorFlow tree holds a plan of its own."""
    if not isinstance(plan, dict) or not isinstance(plan.get("steps"), list):
        return plan
    steps = [
        {**step, "plan": _renamed(step["plan"], _PLAN)}
        if isinstance(step, dict) and "plan" in step
        else step
        for step in plan["steps"]
    ]
    return {**plan, "steps": steps}


def _renamed(document: Any, names: tuple[tuple[str, str], ...]) -> Any:  # noqa: ANN401
    """The mapping with other names of keys, in its order; what is no mapping as it is."""
    if not isinstance(document, dict):
        return document
    new = dict(names)
    return {new.get(key, key): value for key, value in document.items()}

"""The axes: what a request can name, and which versions are known of each."""

from docs.reference.markdown import code, codes, heading, page, prose, table
from docs.reference.settings import variable
from tfbuild.core.axes import Axis, axes
from tfbuild.core.paths import data_folder
from tfbuild.facts.tables import Tables

_FEW = 12  # values that are shown without a click
_ROLES = {
    "required": "Every build of {} has it.",
    "optional": "Builds of {} may do without it: `none`.",
    "beside": "Nothing in builds of {} needs it, so it counts only where it is named.",
}
_TARGETS = {"tensorflow": "TensorFlow", "runtime": "the bundled runtime"}
_SPECS = """\
A request names an axis as `AXIS=SPEC`:

| Specification | Means |
| --- | --- |
| `python=3.13` | a version; its patch releases count as well |
| `"cuda>=12.2,<13"` | a range, as in pip (PEP 440) |
| `cuda=any`, `cuda=none` | some version; none at all |
| `"gpu=RTX 3090"`, `gpu=sm_86` | a GPU by its name or its compute capability |

`tfbuild facts show AXIS` prints what is known of an axis, with the sources.
"""


def axis_pages() -> dict[str, str]:
    """The page of all axes."""
    tables = Tables(matrices=data_folder("matrices"), recipes=data_folder("recipes"))
    parts = [
        _SPECS,
        "## Overview\n",
        table(("Axis", "What it is", "Values"), map(_line, axes().values())),
    ]
    for row in axes().values():
        parts += [heading(2, _title(row), row.axis), _about(row), _values(_known(row.axis, tables))]
    return {
        "reference/axes.md": page(
            "Axes",
            "An axis is one thing that has versions: Python, CUDA, a compiler, an operating system."
            " A request says what is wanted of some axes, and tfbuild chooses the others.",
            *parts,
            summary="What a request can name as AXIS=SPEC, and the versions that are known.",
        )
    }


# --- inside ------------------------------------------------------------------------------------


def _line(row: Axis) -> tuple[str, ...]:
    return f"[`{row.axis}`](#{row.axis})", prose(_title(row)), f"{row.kind}s"


def _title(row: Axis) -> str:
    """Its name, as at the begin of a sentence; the name of a product stays as it is."""
    name = row.label or row.axis
    return name[0].upper() + name[1:] if " " in name else name


def _about(row: Axis) -> str:
    also = f" Other names: {codes(row.names)}." if row.names else ""
    role = _ROLES[row.role].format(" and of ".join(_TARGETS[target] for target in row.of))
    said = f"{code(f'{row.axis}=SPEC')}, or the variable {code(variable(row.axis))}."
    return f"{said}{also} {role}\n"


def _known(axis: str, tables: Tables) -> list[str]:
    if axis == "gpu":
        return [row.name for row in tables.gpus()]
    return [row.version for row in tables.axis(axis)]


def _values(values: list[str]) -> str:
    text = codes(values)
    if len(values) <= _FEW:
        return f"Known: {text}.\n"
    return f'??? note "{len(values)} known values"\n\n    {text}\n'

"""What a pipeline of wheels builds, and the axes of its matrix."""

import re
from collections.abc import Sequence

from tfbuild.ci.pipeline import OWN_PYTHON, Axes, Subject, is_plain, split_word
from tfbuild.core.axes import axes
from tfbuild.core.errors import BadRequest
from tfbuild.core.layout import CARRIED, SOURCES
from tfbuild.core.settings import axis_name
from tfbuild.core.versions import did_you_mean

_PYTHON = re.compile(r"3\.(\d+)(\.\d+)?")

# tfbuild takes the constraints of a cell from variables. One wheel of each Python is published: an
# index takes each file name once; and where one has a wheel with CUDA beside one without, pip takes
# the former for everybody.
WHEELS = Subject(
    name="wheels",
    noun="wheel",
    files=("*.whl",),
    plan="tfbuild plan",
    build="tfbuild build --skip-perf",
    prefix="TFBUILD_",
    destination="index",
    distinct=frozenset({"python"}),
    kept=tuple(place for place in CARRIED if place != SOURCES),
    late="what was compiled is kept: run the job again",
    checks=("tfbuild audit dist/*.whl --plan dist/plan.json", "tfbuild smoke dist/*.whl"),
    python="python",
)


def wheel_axes(words: Sequence[str]) -> Axes:
    """The axes of `python=3.11,3.13 cuda=none,13.0`; BadRequest where a word is none.

    Only plain versions: a pipeline must build tomorrow what it builds today.
    """
    found: dict[str, tuple[str, ...]] = {}
    for word in words:
        head, values = split_word(word)
        name = axis_name(head)
        if not values or not all(map(is_plain, values)):
            raise BadRequest(
                f"'{word}' is not AXIS=VALUE,VALUE",
                code="not-axis-values",
                why="each value is one version, or none",
                hint="write for example python=3.11,3.13 cuda=none,13.0",
            )
        if name not in axes():
            raise BadRequest(
                f"there is no axis '{name}'", code="axis-unknown", hint=did_you_mean(name, axes())
            )
        if name in found or len(set(values)) < len(values):
            raise BadRequest(
                f"'{word}' says something twice",
                code="matrix-value-twice",
                hint="say each value once",
            )
        found[name] = values
    found.setdefault("python", (OWN_PYTHON,))
    for version in found["python"]:
        if not _PYTHON.fullmatch(version):
            raise BadRequest(
                f"'{version}' is no Python version",
                code="not-a-python-version",
                hint="write python=3.11,3.13",
            )
    return tuple(found.items())

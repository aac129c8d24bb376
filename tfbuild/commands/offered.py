"""What can be typed at a place of the command line: shells offer it while a word is written.

It is read from the files themselves, without the modules that judge them: an answer takes as long
as a key may. What cannot be read offers nothing.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from tfbuild.commands.choices import PREFERENCES
from tfbuild.core.build_kinds import OWN_RECIPES
from tfbuild.core.error_catalogue import error_meanings
from tfbuild.core.errors import TfbuildError
from tfbuild.core.layout import FAILED_ACTIONS, RUNS
from tfbuild.core.paths import PACKAGE, data_folder, work_folder
from tfbuild.core.safe_files import read_yaml

# A word that is split where it is asked of several values: python>=3.9,<3.12 and gpu=sm_80,sm_90.
_SPEC = re.compile(r"([A-Za-z0-9_+.-]+)((?:[=<>!~]=|[=<>])(?:.*,)?(?:[=<>!~]=|[=<>])?)(.*)")
_SUFFIXES = (".yaml", ".yml")
_LOCKS = ("*.lock.yaml", "dist/*.lock.yaml")
_NO_GROUPS = {"__init__", "model", "toolkits", "folders"}  # of the modules of doctor's checks


def axis_words(begun: str) -> list[str]:
    """AXIS=SPEC: the axes while a name is written, then the values of the one that it names."""
    return _completed(begun, axis_names(), axis_values)


def build_words(begun: str, earlier: Sequence[str]) -> list[str]:
    """RECIPE and AXIS=SPEC: of a recipe that was named before, its options and their values."""
    if not earlier:
        return [*recipe_names(begun), *axis_words(begun)]
    recipe = _recipe(earlier[0])
    if recipe is None:
        return axis_words(begun)
    options = _plain(recipe, "options")
    values = {
        name: [_typed(one) for one in _plain(row, "choices")] for name, row in options.items()
    }
    values |= {"version": [*_plain(_plain(recipe, "source"), "releases")]}
    given = {word.partition("=")[0] for word in earlier[1:]}
    names = [name for name in (*values, "os", "platform") if name not in given]
    return _completed(begun, names, lambda name: values.get(name) or axis_values(name))


def recipe_names(begun: str) -> list[str]:
    """What `tfbuild build` can build by name, and recipes of this folder."""
    if "/" in begun:
        return []  # a path: the shell knows more of it
    ours = (path.stem for path in data_folder("recipes").glob("*.yaml"))
    own = (path.name for path in Path.cwd().iterdir() if path.suffix in _SUFFIXES)
    return sorted({*ours, *(name for name, _ in OWN_RECIPES)}) + sorted(own)


def axis_names(_begun: str = "") -> list[str]:
    """The axes."""
    return [row["axis"] for row in _rows("axes.yaml")]


def axis_values(name: str) -> list[str]:
    """The values of an axis by one of its names; nothing for what is none."""
    known = (row for row in _rows("axes.yaml") if name in (row["axis"], *row.get("names", ())))
    return [value for row in known for value in _values(row)]


def gpu_names(begun: str) -> list[str]:
    """Architectures, and native; after a comma another one."""
    return _listed([*_values({"axis": "gpu"}), "native"], begun)


def platform_names(_begun: str = "") -> list[str]:
    """What something can be built for."""
    return axis_values("platform")


def preferences(begun: str) -> list[str]:
    """What --prefer puts in an order."""
    return _listed(PREFERENCES, begun)


def runner_names(_begun: str = "") -> list[str]:
    """The machines of GitHub on which pipelines run."""
    return [row["name"] for row in _rows("runners.yaml") if ":" not in row["name"]]


def error_codes(_begun: str = "") -> list[str]:
    """The codes of errors and warnings."""
    return list(error_meanings())


def check_groups(_begun: str = "") -> list[str]:
    """The groups of doctor's checks."""
    modules = (path.stem for path in (PACKAGE / "doctor" / "checks").glob("*.py"))
    return sorted(set(modules) - _NO_GROUPS)


def failed_runs(_begun: str = "") -> list[str]:
    """The runs of this folder's builds of which an action failed, the last one first."""
    with suppress(TfbuildError, OSError):
        runs = sorted(RUNS.path(work_folder()).glob(f"*/{FAILED_ACTIONS}"), reverse=True)
        return [path.parent.name for path in runs]
    return []


def lock_files(begun: str) -> list[str]:
    """Lock files here and in dist; nothing for another path, of which the shell knows more."""
    patterns = () if "/" in begun and not begun.startswith("dist/") else _LOCKS
    here = Path.cwd()
    return [str(path.relative_to(here)) for one in patterns for path in sorted(here.glob(one))]


# --- inside ------------------------------------------------------------------------------------


def _listed(known: Iterable[str], begun: str) -> list[str]:
    """The words of a list a,b,c of which each stands once."""
    before = begun[: begun.rfind(",") + 1]
    return [f"{before}{one}" for one in known if one not in before.split(",")]


def _rows(name: str) -> list[dict[str, Any]]:
    return list(read_yaml(data_folder("matrices") / name)["rows"])


def _plain(row: dict[str, Any], key: str) -> dict[str, Any]:
    found = row.get(key)
    return found if isinstance(found, dict) else {}


def _typed(choice: object) -> str:
    """A value of an option as one types it: YAML takes `on` for a truth."""
    return {True: "on", False: "off"}[choice] if isinstance(choice, bool) else str(choice)


def _values(axis: dict[str, Any]) -> list[str]:
    """The values of an axis as one types them, `none` for what a build may do without."""
    name = axis["axis"]
    if name == "gpu":
        found = [f"sm_{row['capability'].replace('.', '')}" for row in _rows("gpus.yaml")]
    else:
        # os=debian:12 needs no quotes.
        found = [str(row["version"]).replace(" ", ":") for row in _rows(f"{name}.yaml")]
    return [*dict.fromkeys(found), *(["none"] if axis.get("role") == "optional" else [])]


def _recipe(word: str) -> dict[str, Any] | None:
    """The content of a recipe's file; None for another word, and for a file that cannot be read."""
    is_path = word.endswith(_SUFFIXES)
    path = Path(word) if is_path else data_folder("recipes") / f"{word}.yaml"
    if not is_path and not re.fullmatch(r"[\w.+-]+", word):
        return None
    with suppress(OSError, ValueError):
        found = read_yaml(path)
        return found if isinstance(found, dict) else None
    return None


def _completed(begun: str, names: Sequence[str], values: Callable[[str], list[str]]) -> list[str]:
    """NAME=VALUE words that go on from what was begun, whole.

    Where one name alone is left its values follow at once: a shell puts a space behind the only
    word that it is offered.
    """
    if spec := _SPEC.fullmatch(begun):
        name, operator, _ = spec.groups()
        with suppress(KeyError):
            return [f"{name}{operator}{value}" for value in values(name)]
        return []
    left = [name for name in names if name.startswith(begun)]
    if len(left) == 1:
        return [f"{left[0]}={value}" for value in values(left[0])]
    return [f"{name}=" for name in left]

"""Where each setting comes from: flags beat the environment, which beats pyproject.toml."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tfbuild.core.axes import LONGEST_SPEC, axes
from tfbuild.core.build_kinds import OBEYED_BY, TYPED_ALONE
from tfbuild.core.counts import counted
from tfbuild.core.errors import BadRequest
from tfbuild.core.project_file import ProjectTable, read_project_table
from tfbuild.core.reporter import CodedWarning
from tfbuild.core.versions import did_you_mean

TRUST = "trust-project"
OPTIONS = tuple(name for name in OBEYED_BY if name not in TYPED_ALONE)
# Variables that are no settings: no option and no file says the same.
OTHER_VARIABLES = {
    "TFBUILD_CACHE_DIR": "The folder of the cache. Default: `tfbuild` in `XDG_CACHE_HOME`.",
    "TFBUILD_WORK_DIR": "The work folder of a build. Default: one for each project, in the folder"
    " of the state, `tfbuild` in `XDG_STATE_HOME`.",
    "TFBUILD_BAZEL_MIRROR": "An address from which releases of Bazel are downloaded instead of"
    " the usual one. Only releases whose SHA-256 tfbuild knows are taken from it.",
    "TFBUILD_DEBUG": "Any value: a bug of tfbuild itself is shown as a traceback.",
    "TFBUILD_VENV": "The folder in which `bootstrap.sh` makes its virtual environment.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One setting, as text, and who gave it."""

    name: str  # of an option without the hyphens before it, or of an axis
    value: str  # as text; true or false for an option without a value
    origin: str  # flag, command line, lock, environment with the variable, or the path of a file


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings, one of each name, and what looked odd while they were gathered."""

    values: tuple[Setting, ...]
    warnings: tuple[CodedWarning, ...] = ()
    project: str = ""  # the file whose keys count, as the origin of a setting names it

    def of_project(self) -> tuple[str, ...]:
        """The names of what a project file decides, because nobody else said anything of it."""
        return tuple(s.name for s in self.values if self.project and s.origin == self.project)

    def get(self, name: str) -> Setting | None:
        """The setting of that name, if there is one."""
        return next((setting for setting in self.values if setting.name == name), None)

    def text(self, name: str) -> str:
        """The value of that name, or an empty string."""
        setting = self.get(name)
        return setting.value if setting else ""


def gather(
    words: tuple[str, ...], flags: Mapping[str, str], folder: Path, environ: Mapping[str, str]
) -> Settings:
    """All settings from the AXIS=SPEC words, flags, TFBUILD_* variables and [tool.tfbuild].

    Raises BadRequest on an unknown axis or key, and on a pyproject.toml that is broken.
    """
    requested, warnings = _from_environment(environ)
    requested |= {
        name: Setting(name=name, value=value, origin="flag") for name, value in flags.items()
    }
    typed = _from_words(words)
    _check_said_once(requested, typed)
    requested |= typed
    table = read_project_table(folder, is_agreed=is_yes(requested.get(TRUST)))
    found = _from_file(table) | requested
    order = (*axes(), *OPTIONS)
    for name in axes():
        if name in found:
            _check_length(found[name])
    return Settings(
        values=tuple(found[n] for n in order if n in found),
        warnings=(*table.warnings, *warnings),
        project=str(table.path) if table.values else "",
    )


def part_words(words: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words that name an axis, and those that do not; several GPUs are one word."""
    known: list[str] = []
    strange: list[str] = []
    gpus: list[str] = []
    for word in words:
        try:
            name, value = _split(word)
            _check_axis(name, f"'{word}'")
        except BadRequest:
            strange.append(word)
            continue
        (gpus if name == "gpu" else known).append(value if name == "gpu" else word)
    return (*known, *([f"gpu={','.join(gpus)}"] if gpus else [])), tuple(strange)


def axis_name(word: str) -> str:
    """The axis that a person means by a word: `tf` is tensorflow; any other word as it is."""
    name = word.strip().lower()
    return _short_names().get(name, name)


@cache
def _short_names() -> Mapping[str, str]:
    return {name: axis for axis, row in axes().items() for name in row.names}


def is_yes(setting: Setting | None) -> bool:
    """Whether a yes-or-no setting is yes; BadRequest when it is neither."""
    if setting is None:
        return False
    word = setting.value.strip().lower()
    if word in {"1", "true", "yes", "on"}:
        return True
    if word in {"0", "false", "no", "off", ""}:
        return False
    raise BadRequest(
        f"{setting.name} is '{setting.value}' ({setting.origin})",
        code="not-true-or-false",
        hint="write true or false",
    )


def _from_words(words: tuple[str, ...]) -> dict[str, Setting]:
    found: dict[str, Setting] = {}
    for word in words:
        name, value = _split(word)
        _check_axis(name, f"'{word}'")
        _check_printable(value, name, "command line")
        _add(found, Setting(name=name, value=value, origin="command line"))
    return found


def _add(found: dict[str, Setting], setting: Setting) -> None:
    """Put a setting to those of the same place; BadRequest where its axis has one already."""
    if earlier := found.get(setting.name):
        raise BadRequest(
            f"the axis {setting.name} is given twice",
            code="axis-given-twice",
            why=f"as {earlier.value} ({earlier.origin}) and as {setting.value} ({setting.origin})",
            hint="give it once",
        )
    found[setting.name] = setting


def _check_said_once(requested: Mapping[str, Setting], typed: Mapping[str, Setting]) -> None:
    """BadRequest where an option and a word say different things of one axis.

    `--cuda` says any, which goes with each version of it.
    """
    for name, setting in typed.items():
        flag = requested.get(name)
        if flag is None or flag.origin != "flag":
            continue
        if flag.value != "any" or setting.value == "none":
            _add({name: flag}, setting)


def _split(word: str) -> tuple[str, str]:
    """The axis and the spec: python=3.11 -> 3.11, cuda>=12 -> >=12."""
    at = next((i for i, letter in enumerate(word) if letter in "=<>!~"), -1)
    if at < 1 or not word[at:].strip("=<>!~ "):
        raise BadRequest(
            f"'{word}' is not AXIS=SPEC",
            code="not-axis-spec",
            hint='write for example python=3.11, "cuda>=13.0,<13.3" or cuda=none',
        )
    name, rest = axis_name(word[:at]), word[at:].strip()
    if rest.startswith("=") and not rest.startswith("=="):
        rest = rest[1:].strip()
    return name, rest


def _check_axis(name: str, where: str) -> None:
    if name not in axes():
        raise BadRequest(
            f"{where}: there is no axis '{name}'",
            code="axis-unknown",
            hint=did_you_mean(name, axes()),
        )


def _check_printable(value: str, name: str, where: str) -> None:
    """BadRequest for control characters: no version holds one, and a terminal obeys them."""
    if not value.isprintable():
        raise BadRequest(
            f"{where}: {name} is {value!r}",
            code="setting-not-printable",
            hint="write it on one line, in letters that are seen",
        )


def _check_length(setting: Setting) -> None:
    """BadRequest for what is longer than any version, range or list of products."""
    if len(setting.value) > LONGEST_SPEC:
        raise BadRequest(
            f"{setting.name} has {counted(len(setting.value), 'letter')} ({setting.origin})",
            code="spec-too-long",
            why=f"it begins with '{setting.value[:30]}'; more than {LONGEST_SPEC:,} are not read",
            hint="write a version, a range or the names of products",
        )


def _from_environment(
    environ: Mapping[str, str],
) -> tuple[dict[str, Setting], tuple[CodedWarning, ...]]:
    found: dict[str, Setting] = {}
    warnings = []
    for variable, value in sorted(environ.items()):
        if not variable.startswith("TFBUILD_") or variable in OTHER_VARIABLES:
            continue
        name = _setting_name(variable.removeprefix("TFBUILD_").replace("_", "-"))
        if name not in (*axes(), *OPTIONS):
            text = f"{variable} is set, but means nothing to tfbuild"
            warnings.append(CodedWarning(code="variable-unknown", text=text))
        elif value:
            if name in axes():
                _check_printable(value, name, variable)
            _add(found, Setting(name=name, value=value, origin=f"environment, {variable}"))
    return found, tuple(warnings)


def _from_file(table: ProjectTable) -> dict[str, Setting]:
    found: dict[str, Setting] = {}
    for name, value in table.values:
        _add(found, _file_setting(_setting_name(name), value, table.path))
    return found


def _setting_name(word: str) -> str:
    """The option of that name, else the axis: on a command line `cc` can only mean an axis."""
    name = word.strip().lower()
    return name if name in OPTIONS else axis_name(name)


def _file_setting(name: str, text: str, path: Path) -> Setting:
    where = f"{path}, [tool.tfbuild]"
    if name not in OPTIONS:
        _check_axis_or_option(name, where)
    _check_printable(text, name, where)
    if name in {"source", "output", "lock", "build-file", "workspace"}:
        text = str(path.parent / text)
    return Setting(name=name, value=text, origin=str(path))


def _check_axis_or_option(name: str, where: str) -> None:
    if name not in axes():
        raise BadRequest(
            f"{where}: there is no key '{name}'",
            code="project-key-unknown",
            hint=did_you_mean(name, (*axes(), *OPTIONS)),
        )

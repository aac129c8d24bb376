"""Lock files, `*.lock.yaml`: what one holds, how it is written, and how it is read.

`tfbuild resolve --lock` writes versions and who asked for them; a build writes what its wheel was
made of. A lock file comes from anywhere, so that every entry is checked as it is read: names and
versions of it become requirements for pip, and paths.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, TypeVar

from tfbuild.core.artifact_checks import check_artifact, check_digest
from tfbuild.core.axes import LONGEST_SPEC, axes
from tfbuild.core.counts import counted
from tfbuild.core.documents import as_current
from tfbuild.core.environments import NO_ENVIRONMENT, EnvironmentLock
from tfbuild.core.errors import BadRequest
from tfbuild.core.records import Artifact, Pairs
from tfbuild.core.safe_files import NotRead, read_yaml
from tfbuild.core.serialization import from_plain, to_plain
from tfbuild.core.versions import did_you_mean
from tfbuild.core.yaml_file import to_yaml

LOCK_SCHEMA = "tfbuild.lock/2"
_KEYS = (
    "schema", "constraints", "wheel", "archive", "plan", "source", "target", "options", "versions",
    "tools", "artifacts", "environment",
)  # fmt: skip
_OF_ARCHIVE = (
    "# What the archive beside this file was made from. `tfbuild build --lock` holds to it.\n"
)
_OF_BUILD = "# What the wheel beside this file was made from.\n"
_OF_RESOLVE = "# `tfbuild build --lock` obeys it.\n"
_PLAN = re.compile(r"([0-9a-f]{8,64})?")
_NAME = re.compile(r"[0-9A-Za-z][0-9A-Za-z+._~-]{0,199}")  # of a tool, a recipe or a package
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]")
_REMEDY = "take the lock file as tfbuild has written it, or fix or leave out that entry"
_WRITE_ONE = "write one with `tfbuild resolve --lock FILE`; builds write one beside each wheel"

Part = TypeVar("Part")


@dataclass(frozen=True, slots=True, kw_only=True)
class LockedSource:
    """The source code of a recipe's product."""

    recipe: str
    version: str
    sha256: str  # of the archive, or over the files of a folder


@dataclass(frozen=True, slots=True, kw_only=True)
class LockFile:
    """A whole lock file; what was written before a build has no wheel and nothing of its making."""

    requested: tuple[str, ...] = ()  # each with who asked
    wheel: str = ""  # its filename
    wheel_sha256: str = ""
    archive: str = ""  # that of a recipe's product
    archive_sha256: str = ""
    source: LockedSource | None = None  # of a recipe's product
    target: str = ""  # its platform: linux-x86_64
    options: Pairs = ()  # its options, each with what was chosen
    plan: str = ""
    versions: Pairs = ()  # axis, version
    tools: Pairs = ()  # name, version
    artifacts: tuple[Artifact, ...] = ()
    environment: EnvironmentLock = NO_ENVIRONMENT


def lock_path(wheel: Path) -> Path:
    """Where the lock file of a wheel lies: beside it."""
    return wheel.with_suffix(".lock.yaml")


def archive_lock_path(archive: Path) -> Path:
    """Where the lock file of a recipe's archive lies: beside it."""
    return archive.with_name(f"{archive.name}.lock.yaml")


def lock_text(lock: LockFile) -> str:
    """The lock file as YAML, which `read_lock_file` reads back as the same record."""
    document: dict[str, Any]
    if lock.archive:
        head = _OF_ARCHIVE
        document = {
            "archive": {"filename": lock.archive, "sha256": lock.archive_sha256},
            "plan": lock.plan,
            "source": to_plain(lock.source),
            **({"target": lock.target} if lock.target else {}),
            "options": dict(lock.options),
            **({"versions": dict(lock.versions)} if lock.versions else {}),
            **_made_with(lock),
        }
    elif not lock.wheel:
        head = _OF_RESOLVE
        document = {"constraints": list(lock.requested), "versions": dict(lock.versions)}
    else:
        head = _OF_BUILD
        document = {
            "wheel": {"filename": lock.wheel, "sha256": lock.wheel_sha256},
            "plan": lock.plan,
            "versions": dict(lock.versions),
            **_made_with(lock),
        }
    if lock.environment != NO_ENVIRONMENT:
        document["environment"] = _environment_section(lock.environment)
    return head + to_yaml({"schema": LOCK_SCHEMA, **document})


def _made_with(lock: LockFile) -> dict[str, Any]:
    artifacts = [to_plain(artifact) for artifact in lock.artifacts]
    return {"tools": dict(lock.tools), "artifacts": artifacts}


def read_lock_file(path: Path) -> LockFile:
    """What a lock file holds; BadRequest names the file, the entry that is wrong and the remedy."""
    document = _document(path)

    def part(key: str, read: Callable[[Any], Part], missing: Part) -> Part:
        try:
            return read(document[key]) if key in document else missing
        except (ValueError, TypeError) as error:
            raise BadRequest(
                f"{path}: its entry '{key}' is not understood",
                code="lock-entry-wrong",
                why=str(error)[:500],
                hint=_REMEDY,
            ) from error

    wheel, sha256 = part("wheel", _file, ("", ""))
    archive, archive_sha256 = part("archive", _file, ("", ""))
    versions: Pairs = part("versions", _texts, ())
    for axis, value in versions:
        if axis not in axes():
            raise BadRequest(
                f"{path}: there is no axis '{axis}'",
                code="lock-axis-unknown",
                hint=did_you_mean(axis, axes()),
            )
        if len(value) > LONGEST_SPEC:
            raise BadRequest(
                f"{path}: {axis} has {counted(len(value), 'letter')}",
                code="lock-spec-too-long",
                why=f"more than {LONGEST_SPEC:,} are not read",
                hint=_REMEDY,
            )
    return LockFile(
        requested=part(
            "constraints", lambda raw: from_plain(tuple[str, ...], raw, name="constraints"), ()
        ),
        wheel=wheel,
        wheel_sha256=sha256,
        archive=archive,
        archive_sha256=archive_sha256,
        source=part("source", _source, None),
        target=part("target", _target, ""),
        options=part("options", lambda raw: _named_texts("options", raw), ()),
        plan=part("plan", _plan, ""),
        versions=versions,
        tools=part("tools", lambda raw: _named_texts("tools", raw), ()),
        artifacts=part("artifacts", _artifacts, ()),
        environment=part("environment", _environment, NO_ENVIRONMENT),
    )


# --- the file ----------------------------------------------------------------------------------


def _document(path: Path) -> dict[str, Any]:
    """The mapping in the file, of our schema and with known keys only."""
    try:
        content = read_yaml(path)
    except FileNotFoundError as error:
        raise BadRequest(
            f"there is no lock file {path}", code="lock-missing", hint=_WRITE_ONE
        ) from error
    except (OSError, NotRead) as error:
        why = getattr(error, "strerror", "") or str(error)
        raise BadRequest(
            f"cannot read the lock file {path}", code="file-unreadable", why=why, hint=_WRITE_ONE
        ) from error
    except ValueError as error:
        raise BadRequest(
            f"{path} is not valid YAML", code="not-yaml", why=str(error), hint=_WRITE_ONE
        ) from error
    content = as_current(content) if isinstance(content, dict) else content
    found = content.get("schema") if isinstance(content, dict) else None
    if found != LOCK_SCHEMA:
        why = f"its schema is {found}" if isinstance(found, str) else "it names no schema"
        raise BadRequest(
            f"{path} is not a lock file ({LOCK_SCHEMA})",
            code="not-a-lock",
            why=why,
            hint=_WRITE_ONE,
        )
    for key in map(str, content):
        if key not in _KEYS:
            raise BadRequest(
                f"{path}: unknown entry '{key}'",
                code="lock-entry-unknown",
                hint=did_you_mean(key, _KEYS),
            )
    needed = "source" if "archive" in content else "versions"
    if needed not in content:
        raise BadRequest(
            f"{path}: its entry '{needed}' is missing", code="lock-entry-missing", hint=_REMEDY
        )
    for place, text in _texts_of(content):
        if _CONTROL.search(text):
            raise BadRequest(
                f"{path}: its entry '{place}' holds control characters or line breaks",
                code="lock-control-character",
                hint=_REMEDY,
            )
    return dict(content)


def _texts_of(value: object, place: str = "") -> Iterator[tuple[str, str]]:
    """Every text in a document, keys included, with where it stands."""
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, Mapping):
        for key, below in value.items():
            yield place or "the whole", str(key)
            yield from _texts_of(below, f"{place}.{key}"[:200].lstrip("."))
    elif isinstance(value, list):
        for number, below in enumerate(value):
            yield from _texts_of(below, f"{place}[{number}]")


# --- its entries -------------------------------------------------------------------------------


def _source(raw: object) -> LockedSource:
    source = from_plain(LockedSource, raw, name="source")
    _named("source.recipe", source.recipe)
    _named("source.version", source.version)
    check_digest(source.sha256)
    return source


def _plan(raw: object) -> str:
    plan = from_plain(str, raw, name="plan")
    if not _PLAN.fullmatch(plan):
        raise ValueError(f"plan: unexpected {plan!r}")
    return plan


def _target(raw: object) -> str:
    target = from_plain(str, raw, name="target")
    _named("target", target)
    return target


def _named_texts(place: str, raw: object) -> Pairs:
    found = _texts(raw)
    for name, _ in found:
        _named(place, name)
    return found


def _file(raw: object) -> tuple[str, str]:
    if not isinstance(raw, dict) or set(raw) != {"filename", "sha256"}:
        raise ValueError("it must hold filename and sha256")
    return _filename(raw["filename"]), _digest(raw["sha256"])


def _artifacts(raw: object) -> tuple[Artifact, ...]:
    found = from_plain(tuple[Artifact, ...], raw, name="artifacts")
    for number, artifact in enumerate(found):
        try:
            check_artifact(artifact)
        except ValueError as error:
            raise ValueError(f"artifacts[{number}].{error}") from error
    return found


def _texts(raw: object) -> Pairs:
    """Names with a version each; 12 is as good as '12', for those who write by hand."""
    if not isinstance(raw, Mapping):
        raise TypeError("it must be a mapping")
    for name, value in raw.items():
        if isinstance(value, bool) or not isinstance(value, (str, int)) or value == "":
            raise ValueError(f"{name}: unexpected {value!r}")
    return tuple((str(name), str(value)) for name, value in raw.items())


def _filename(raw: object) -> str:
    """A name without a folder: it is looked for in the cache."""
    if not isinstance(raw, str) or PurePath(raw).name != raw or raw in {"", ".."}:
        raise ValueError(f"filename: unexpected {raw!r}")
    return raw


def _digest(raw: object) -> str:
    if not isinstance(raw, str):
        raise TypeError(f"sha256: unexpected {raw!r}")
    check_digest(raw)
    return raw


def _named(place: str, text: str) -> None:
    if not _NAME.fullmatch(text):
        raise ValueError(f"{place}: unexpected {text!r}")


# --- the environment: one line per package -----------------------------------------------------


def _environment_section(lock: EnvironmentLock) -> dict[str, Any]:
    """As plain data: packages by manager, `name:architecture` -> version."""
    packages: dict[str, dict[str, str]] = {}
    for package in lock.packages:
        name = f"{package.name}:{package.architecture}" if package.architecture else package.name
        packages.setdefault(package.manager, {})[name] = package.version
    return {**to_plain(lock), "packages": packages}


def _environment(section: object) -> EnvironmentLock:
    if section is None:  # its lines were taken out by hand
        return NO_ENVIRONMENT
    if not isinstance(section, dict) or not isinstance(section.get("packages"), dict):
        raise ValueError("its packages are missing")
    packages = []
    for manager, versions in section["packages"].items():
        if not isinstance(versions, dict):
            raise ValueError(f"{manager}: unexpected {versions!r}")
        for key, version in versions.items():
            name, _, architecture = str(key).partition(":")
            _named(f"packages.{manager}", name)
            package = {"manager": manager, "name": name, "architecture": architecture}
            packages.append({**package, "version": version})
    return from_plain(EnvironmentLock, {**section, "packages": packages}, name="environment")

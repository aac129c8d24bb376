"""What `tfbuild sbom` does: a wheel and its lock become a bill of materials."""

from pathlib import Path
from typing import Any

from tfbuild.commands.context import write_file
from tfbuild.core.environment_lock import read_environment
from tfbuild.core.errors import BadRequest
from tfbuild.core.paths import Folders, cache_folder, work_folder
from tfbuild.core.records import Artifact
from tfbuild.core.serialization import from_plain
from tfbuild.facts.tables import read_yaml
from tfbuild.reporting.console import ConsoleReporter, print_text
from tfbuild.wheels.components import Provenance

_SCHEMA = "tfbuild.lock/1"


def sbom(wheel: Path, lock: str, output: str) -> None:
    """Print the bill of a wheel, or write it; without a lock it holds what the wheel itself tells.

    Raises BadRequest where wheel or lock is none, or they do not belong together.
    """
    from tfbuild.wheels.sbom import sbom_text

    path = Path(lock) if lock else wheel.with_suffix(".lock.yaml")
    if lock or path.is_file():
        built = built_from(wheel, path)
    else:
        ConsoleReporter().warn(f"there is no {path.name}: what was linked in is not known")
        built = Provenance(wheel=wheel)
    work = work_folder()
    folders = Folders(cache=cache_folder(), work=work, run=work)
    text = sbom_text(built, folders.artifacts)
    if output:
        write_file(output, text)
    else:
        print_text(text)


def built_from(wheel: Path, lock: Path) -> Provenance:
    """What a lock says of the making of a wheel."""
    if not lock.is_file():
        raise BadRequest(f"there is no file {lock}", hint="builds write one beside each wheel")
    document = read_yaml(lock)
    try:
        if document["schema"] != _SCHEMA or document["wheel"]["filename"] != wheel.name:
            raise BadRequest(
                f"{lock} is not the lock of {wheel.name}", hint="name its lock with --lock"
            )
        return Provenance(
            wheel=wheel,
            plan_id=document["plan"],
            versions=_pairs(document["versions"]),
            tools=_tools(document["tools"], document["versions"]),
            artifacts=tuple(from_plain(Artifact, entry) for entry in document["artifacts"]),
            environment=read_environment(document.get("environment")),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BadRequest(f"{lock} is no lock of tfbuild", why=repr(error)) from error


def _tools(tools: dict[str, Any], versions: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    """The tools by their names; a lock says only that there was a compiler."""
    compiler = "clang" if versions.get("clang", "none") != "none" else "gcc"
    return tuple((compiler if n == "compiler" else n, v) for n, v in _pairs(tools))


def _pairs(mapping: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple((name, str(value)) for name, value in mapping.items())

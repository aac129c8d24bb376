"""What `tfbuild sbom` does: a wheel and its lock become a bill of materials."""

from pathlib import Path

from tfbuild.commands.context import own_folders, write_file
from tfbuild.core.errors import BadRequest
from tfbuild.core.lock_file import LockFile, lock_path, read_lock_file
from tfbuild.core.paths import Folders
from tfbuild.core.records import Pairs
from tfbuild.facts.ranges import NONE
from tfbuild.reporting.console import ConsoleReporter, print_file
from tfbuild.wheels.components import Provenance


def sbom(wheel: Path, lock: str, output: str) -> None:
    """Print the bill of a wheel, or write it; without a lock it holds what the wheel itself tells.

    Raises BadRequest where wheel or lock is none, or they do not belong together.
    """
    from tfbuild.wheels.sbom import sbom_text

    path = Path(lock) if lock else lock_path(wheel)
    if lock or path.is_file():
        built = built_from(wheel, path)
    else:
        ConsoleReporter().warn(f"there is no {path.name}: what was linked in is not known")
        built = Provenance(wheel=wheel)
    work, cache = own_folders()
    folders = Folders(cache=cache, work=work, run=work)
    text = sbom_text(built, folders.artifacts)
    if output:
        write_file(output, text)
    else:
        print_file(text)


def built_from(wheel: Path, path: Path) -> Provenance:
    """What a lock says of the making of a wheel; BadRequest where it is none or another wheel's."""
    lock = read_lock_file(path)
    if lock.wheel != wheel.name:
        raise BadRequest(
            f"{path} is not the lock of {wheel.name}",
            code="lock-of-another-wheel",
            why=f"it is that of {lock.wheel}" if lock.wheel else "it was written before a build",
            hint="name its lock with --lock",
        )
    return Provenance(
        wheel=wheel,
        plan_id=lock.plan,
        versions=lock.versions,
        tools=_tools(lock),
        artifacts=lock.artifacts,
        environment=lock.environment,
    )


def _tools(lock: LockFile) -> Pairs:
    """The tools by their names; a lock says only that there was a compiler."""
    compiler = "clang" if dict(lock.versions).get("clang", NONE) != NONE else "gcc"
    return tuple((compiler if name == "compiler" else name, v) for name, v in lock.tools)

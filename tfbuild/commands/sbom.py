"""What `tfbuild sbom` does: prints what a wheel or the archive of a recipe is made of."""

from pathlib import Path

from tfbuild.commands.context import own_folders, write_file
from tfbuild.commands.wheel import existing, is_archive
from tfbuild.core.errors import BadRequest
from tfbuild.core.lock_file import LockFile, lock_path, read_lock_file
from tfbuild.core.paths import Folders, file_digest
from tfbuild.core.records import Pairs
from tfbuild.facts.ranges import NONE
from tfbuild.reporting.console import ConsoleReporter, print_file
from tfbuild.wheels.components import Provenance


def sbom(wheel: Path, lock: str, output: str) -> None:
    """Print the SBOM of a wheel or an archive, or write it.

    That of a wheel is made with its lock, without one of what the wheel itself says; that of an
    archive from the report beside it. Raises BadRequest where one of them is none, or they do not
    belong together.
    """
    file = existing(wheel)
    text = _sbom_of_archive(file, lock) if is_archive(file) else _sbom_of_wheel(file, lock)
    if output:
        write_file(output, text)
    else:
        print_file(text)


def _sbom_of_archive(archive: Path, lock: str) -> str:
    from tfbuild.run.delivered import report_beside, sbom_of

    if lock:
        raise BadRequest(
            "--lock is for the SBOM of a wheel",
            code="option-of-wheels",
            why=f"that of {archive.name} comes from the report beside it",
            hint="leave it out",
        )
    text, is_own = sbom_of(archive)
    if not is_own:
        ConsoleReporter().warn(
            f"your tfbuild did not write {report_beside(archive).name}, and the SBOM "
            "says what stands in it",
            code="report-not-own",
        )
    return text


def _sbom_of_wheel(wheel: Path, lock: str) -> str:
    from tfbuild.wheels.sbom import sbom_text

    path = Path(lock) if lock else lock_path(wheel)
    if lock or path.is_file():
        built = built_from(wheel, path)
    else:
        ConsoleReporter().warn(
            f"there is no {path.name}: what was linked in is not known", code="linked-parts-unknown"
        )
        built = Provenance(wheel=wheel)
    work, cache = own_folders()
    folders = Folders(cache=cache, work=work, run=work)
    return sbom_text(built, folders.artifacts)


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
    if lock.wheel_sha256 and lock.wheel_sha256 != file_digest(wheel):
        raise BadRequest(
            f"{path} is of another wheel of that name",
            code="lock-of-another-wheel",
            why=f"its wheel has sha256 {lock.wheel_sha256}",
            hint="take both from the same build",
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

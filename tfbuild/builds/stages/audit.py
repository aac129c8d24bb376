"""Asked = built: holds what a finished wheel says about itself against what was asked for."""

from importlib.metadata import version
from pathlib import Path

from tfbuild.core.counts import counted
from tfbuild.core.interfaces import Tools
from tfbuild.core.paths import file_digest
from tfbuild.core.plans import AuditPolicy
from tfbuild.core.reports import AuditFinding, AuditReport, KernelCode
from tfbuild.wheels import code_checks as code
from tfbuild.wheels import file_checks as file
from tfbuild.wheels import kernel_checks as kernel
from tfbuild.wheels import link_checks as link
from tfbuild.wheels import metadata_checks as metadata
from tfbuild.wheels import packing_checks as packing
from tfbuild.wheels import place_checks as place
from tfbuild.wheels.archive import read_archive
from tfbuild.wheels.audit_subject import AuditSubject
from tfbuild.wheels.command_checks import check_commands
from tfbuild.wheels.libraries import read_libraries
from tfbuild.wheels.manylinux import NOT_ANALYSED, analyse
from tfbuild.wheels.wheel_file import open_wheel

_READERS = ("auditwheel", "iced-x86", "packaging", "pyelftools")


def audit_wheel(policy: AuditPolicy, wheel: Path, tools: Tools, cuobjdump: str = "") -> AuditReport:
    """The findings, failed ones among them; with an empty policy only what holds for all wheels.

    cuobjdump is the toolkit's own reader of device code: where it is given, both must agree, and
    it says what became of each kernel.
    Raises BadRequest when the file is no wheel.
    """
    archive = read_archive(wheel)
    if not archive.is_readable:
        sealed = (packing.check_zip(archive),)
        return AuditReport(wheel=wheel.name, sha256=file_digest(wheel), findings=sealed)
    content = open_wheel(wheel)
    libraries, unread = read_libraries(content)
    # What our own reader does not take for sure is not handed to another one.
    analysis = NOT_ANALYSED if unread else analyse(wheel, policy.excluded_libraries)
    subject = AuditSubject(
        archive=archive,
        content=content,
        libraries=libraries,
        policy=policy,
        analysis=analysis,
        planned=bool(policy.version),
        unread=unread,
    )
    tools.reporter.progress(f"{counted(len(libraries), 'library')} read")
    findings = [*_of_file(subject), *code.check_readable(subject)]
    kernels: tuple[KernelCode, ...] = ()
    if libraries:
        findings += _of_libraries(subject)
        findings += code.check_device_code(subject)
        findings += code.check_second_reader(subject, tools, cuobjdump)
        kernels, judged = kernel.check_kernels(subject, tools, cuobjdump)
        findings += judged
        findings += code.check_cpu_level(subject)
    return AuditReport(
        wheel=wheel.name, sha256=file_digest(wheel), findings=tuple(findings), kernels=kernels
    )


def readers() -> tuple[tuple[str, str], ...]:
    """The libraries that read a wheel for the audit, and their versions: others may see more."""
    return tuple((name, version(name)) for name in _READERS)


def _of_file(subject: AuditSubject) -> tuple[AuditFinding, ...]:
    return (
        packing.check_zip(subject.archive),
        file.check_packing(subject),
        packing.check_names(subject),
        packing.check_modes(subject),
        place.check_places(subject),
        place.check_start(subject),
        check_commands(subject),
        place.check_plugins(subject),
        place.check_machine_code(subject),
        file.check_identity(subject),
        metadata.check_metadata(subject),
        metadata.check_requirements(subject),
        file.check_python(subject),
        file.check_platform(subject),
        file.check_versions(subject),
        file.check_size(subject),
    )


def _of_libraries(subject: AuditSubject) -> tuple[AuditFinding, ...]:
    return (
        file.check_glibc(subject),
        file.check_libstdcxx(subject),
        file.check_numpy(subject),
        link.check_needed(subject),
        link.check_inside(subject),
        link.check_opened(subject),
        link.check_search_paths(subject),
        link.check_build_paths(subject),
        link.check_hardening(subject),
        link.check_symbols(subject),
    )

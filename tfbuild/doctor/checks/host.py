"""The machine itself: system, processor, memory, limits of processes, language, clock."""

import os
import resource
import sys
import time

from tfbuild.core.cgroups import memory_limits, process_limits
from tfbuild.core.paths import PACKAGE
from tfbuild.core.safe_files import size_text
from tfbuild.doctor.checks.model import (
    CheckContext,
    CheckResult,
    CheckSpec,
    accepts,
    failed,
    passed,
    warned,
)
from tfbuild.doctor.survey import cpu_flags
from tfbuild.facts.job_count import free_memory_mb
from tfbuild.facts.targets import target_of

_MB = 1 << 20
_FILES, _THREADS = 4096, 2048
_ADDRESS_MB, _FILE_MB = 16_000, 4_000
_SKEW_SECONDS = 1.0
_TICK_SECONDS = 0.05  # file systems take the time from a clock that ticks every few milliseconds
_ASK_LOCALE = """
import locale, sys
for name in sys.argv[1:]:
    try:
        locale.setlocale(locale.LC_ALL, name)
    except locale.Error:
        print(name or "the one of the variables")
"""


def system(context: CheckContext) -> CheckResult:
    """Processor family, distribution and glibc against what the build can be made on."""
    host, needs = context.tools.host, context.needs
    name = f"{host.distribution} {host.distribution_version}, {host.machine}, glibc {host.glibc}"
    platform = target_of(host).version
    if needs.platforms and platform not in needs.platforms:
        fix = f"use a machine of another kind: {needs.title} is built on {_or(needs.platforms)}"
        return failed(name, fix)
    if not accepts(needs.glibc, host.glibc):
        fix = "use a newer distribution (Debian 10, Ubuntu 20.04, RHEL 8 or later), or a container"
        return failed(f"{name}; {needs.title} takes glibc {needs.glibc}", fix)
    return passed(name)


def processor(context: CheckContext) -> CheckResult:
    """How many processors may be used, and which instructions they have."""
    host = context.tools.host
    present, usable = os.cpu_count() or host.cpus, host.cpus
    count = f"{usable} usable" + (f" of {present}" if usable < present else "")
    name = f"{host.cpu_model or host.machine}, {count}, {host.cpu_level}"
    flags = cpu_flags()
    if target_of(host).family != "x86" or not flags:
        return passed(name)
    found = [flag for flag in ("avx", "avx2", "avx512f", "amx_tile") if flag in flags]
    if "avx" not in found:
        fix = "build without -march=native for others, and take no ready-made TensorFlow for perf"
        return warned(f"{name}; no AVX, which ready-made TensorFlow needs", fix)
    return passed(f"{name}; {' '.join(found)}")


def memory(context: CheckContext) -> CheckResult:
    """Free memory, within the limits of containers, and how many jobs a build gets of it."""
    host, needs = context.tools.host, context.needs
    free = free_memory_mb(host)
    detail = f"{host.memory_free_mb} of {host.memory_mb} MB free{_limited_by(host.memory_mb)}"
    if needs.jobs_because:
        detail += f"; {needs.jobs_because}"
    if free < needs.memory_mb:  # one job alone is already too many
        missing = needs.memory_mb - free
        return failed(detail, f"free {missing} MB, or raise the container's limit by as much")
    if needs.jobs < host.cpus:
        return warned(detail, "close programs or raise the container's limit, for more jobs")
    return passed(detail)


def limits(context: CheckContext) -> list[CheckResult]:  # noqa: ARG001  (all looks are called alike)
    """What ulimit and control groups allow: files, processes, address space, size of a file."""
    found = []
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    threads = resource.getrlimit(resource.RLIMIT_NPROC)[0]
    address = resource.getrlimit(resource.RLIMIT_AS)[0]
    size = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
    if _below(files, _FILES):
        found.append(
            warned(f"{files} open files at most", f"ulimit -n {_FILES}, as root if need be")
        )
    if os.geteuid() and _below(threads, _THREADS):
        found.append(warned(f"{threads} processes at most", f"ulimit -u {_THREADS} or more"))
    if _below(address, _ADDRESS_MB * _MB):
        detail = f"{size_text(address)} of address space per program; Bazel's Java takes more"
        found.append(failed(detail, "ulimit -v unlimited"))
    if _below(size, _FILE_MB * _MB):
        detail = f"files of {size_text(size)} at most; libraries with device code are larger"
        found.append(warned(detail, "ulimit -f unlimited"))
    for limit in process_limits():
        if limit.free < _THREADS // 4:
            detail = f"room for {limit.free} more processes and threads ({limit.where})"
            found.append(warned(detail, "raise the container's limit: --pids-limit=4096"))
    many = "any number of" if files == resource.RLIM_INFINITY else str(files)
    return found or [
        passed(f"{many} open files, enough processes, no limit of memory or file size")
    ]


def language(context: CheckContext) -> CheckResult:
    """Whether the locale of the variables is installed, and file names are UTF-8."""
    variables = {name: os.environ.get(name, "") for name in ("LC_ALL", "LC_CTYPE", "LANG")}
    wanted = next((value for value in variables.values() if value), "")
    # Programs are started with C.UTF-8, whatever the user has.
    answer = context.ask(
        sys.executable, "-I", "-B", "-c", _ASK_LOCALE, "C.UTF-8", *([wanted] if wanted else [])
    )
    missing = answer.text.split() if answer.is_ok else []
    if "C.UTF-8" in missing:
        fix = "install the locale C.UTF-8 (package glibc-langpack-en or libc-bin)"
        return warned("the locale C.UTF-8 is missing; file names beyond ASCII may break", fix)
    if missing:
        return warned(f"the locale {wanted} is not installed", "export LC_ALL=C.UTF-8")
    encoding = sys.getfilesystemencoding()
    if encoding.lower() not in {"utf-8", "utf8"}:
        return warned(f"file names are {encoding}", "export LC_ALL=C.UTF-8")
    return passed(f"{wanted or 'no locale named'}, file names are {encoding}")


def clock(context: CheckContext) -> CheckResult:
    """Whether a file written now bears the time of now, and the clock is not in the past."""
    before = time.time()
    path = context.folder / "now"
    path.write_text("")
    written, after = path.stat().st_mtime, time.time()
    if written < before - _TICK_SECONDS or written > after + _SKEW_SECONDS:
        off = written - after
        fix = "let both machines take the time from one server (chrony, ntpd): make goes by it"
        return warned(f"a file written now is dated {off:+.1f} s: the disk's clock differs", fix)
    installed = (PACKAGE / "__init__.py").stat().st_mtime
    if after < installed - 86400:
        fix = "set the clock: certificates look invalid and files look new while it is wrong"
        return warned("the clock stands before the day on which tfbuild was installed", fix)
    return passed("files are dated as the clock says")


# --- inside ------------------------------------------------------------------------------------


def _limited_by(total_mb: int) -> str:
    """Which control group sets the total, if one does."""
    for limit in memory_limits():
        if limit.amount >> 20 == total_mb:
            return f" (limit of {limit.where})"
    return ""


def _below(value: int, wanted: int) -> bool:
    return value not in {resource.RLIM_INFINITY, -1} and value < wanted


def _or(words: tuple[str, ...]) -> str:
    return " or ".join(words)


CHECKS = (
    CheckSpec(
        group="host",
        name="system",
        looks_at="processor family, distribution, glibc",
        look=system,
    ),
    CheckSpec(
        group="host",
        name="processor",
        looks_at="processors that may be used, AVX and what comes after it",
        look=processor,
    ),
    CheckSpec(
        group="host",
        name="memory",
        looks_at="free memory, control groups included, against what the jobs take",
        look=memory,
    ),
    CheckSpec(
        group="host",
        name="limits",
        looks_at="ulimits and the process limit of control groups",
        look=limits,
    ),
    CheckSpec(
        group="host",
        name="locale",
        looks_at="the locale of the variables, encoding of file names",
        look=language,
        needs_folder=True,
    ),
    CheckSpec(
        group="host",
        name="clock",
        looks_at="whether a file written now is dated now",
        look=clock,
        needs_folder=True,
    ),
)

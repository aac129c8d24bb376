"""Checks of a wheel as a file: packing, names, tags, size, versions and symbol versions."""

import re
from collections.abc import Iterator, Sequence

from packaging.utils import canonicalize_name

from tfbuild.core.counts import counted
from tfbuild.core.errors import BadRequest
from tfbuild.core.reports import AuditFinding
from tfbuild.core.versions import is_same_version
from tfbuild.wheels.audit_subject import AuditSubject, finding, some, unplanned
from tfbuild.wheels.elf import version_key
from tfbuild.wheels.link_checks import judge_glibc, judge_libstdcxx
from tfbuild.wheels.manylinux import is_as_good, platform_glibc
from tfbuild.wheels.requirements import read_requirements
from tfbuild.wheels.wheel_file import WheelContent

_VERSION_LINE = re.compile(r"""^__version__(?::\s*\w+)?\s*=\s*["']([^"']+)["']""", re.MULTILINE)


def check_packing(subject: AuditSubject) -> AuditFinding:
    """Whether the zip file and RECORD are whole."""
    content = subject.content
    problems = some(content.problems)
    built = counted(len(content.files), "file") + (
        "" if problems else ", each as RECORD describes it"
    )
    return finding("zip and RECORD", "whole, nothing outside the site folder", built, problems)


def check_identity(subject: AuditSubject) -> AuditFinding:
    """Whether file name, METADATA and WHEEL say the same."""
    content = subject.content
    name, version = str(content.metadata["Name"]), str(content.metadata["Version"])
    tags = tuple(sorted(str(tag) for tag in content.wheel.get_all("Tag", [])))
    problems = []
    if canonicalize_name(name) != content.name.name:
        problems.append(f"METADATA names it {name}")
    if not is_same_version(version, content.name.version):
        problems.append(f"METADATA gives version {version}")
    if tags != tuple(sorted(map(str, content.name.tags))):
        problems.append(f"WHEEL has the tags {' '.join(tags)}")
    asked = "file name, METADATA and WHEEL agree"
    return finding("identity", asked, f"{name} {version}", problems)


def check_python(subject: AuditSubject) -> AuditFinding:
    """Whether tags and extension modules are for the Python that was asked for."""
    content, asked = subject.content, subject.policy.python_tag
    problems = []
    if asked and content.name.python != asked:
        problems.append(f"its tag is {content.name.python}")
    digits = {tag.removeprefix("cp") for tag in content.name.python.split(".")}
    modules = [m for lib in subject.libraries if (m := re.search(r"\.cpython-(\d+)", lib.path))]
    if "abi3" not in content.name.abi:
        problems += [
            f"{match.string} is for CPython {match[1]}"
            for match in modules
            if match[1] not in digits
        ]
    problems += [
        f"{library.path} needs {name}"
        for library in subject.libraries
        for name in library.needed
        if name.startswith("libpython")
    ]
    return finding(
        "Python ABI",
        asked or "what its tag says",
        f"{content.name.python}-{content.name.abi}, {counted(len(modules), 'extension module')}",
        problems,
    )


def check_platform(subject: AuditSubject) -> AuditFinding:
    """Whether the platform tag claims no more than auditwheel's analysis finds."""
    claimed, found = subject.content.name.platform, subject.analysis.platform
    names = claimed.split(".")
    if not subject.libraries:
        problems = [] if claimed == "any" else ["it has no machine code"]
        return finding("platform tag", "honest", claimed, problems)
    if claimed == "any":
        return finding("platform tag", "honest", claimed, ["it holds machine code"])
    problems = [f"auditwheel finds only {found}"] if not is_honest(names, found) else []
    if subject.packing_planned and all(name.startswith("linux_") for name in names):
        problems.append("it names no manylinux level")
    detail = subject.analysis.reason
    if not found:
        return finding("platform tag", "honest", claimed, [f"auditwheel gave no answer: {detail}"])
    return finding("platform tag", "honest", f"{claimed}; auditwheel: {found}", problems)


def is_honest(names: Sequence[str], found: str) -> bool:
    """Whether each of the claimed platforms is as demanding as the one found."""
    return all(is_as_good(name, found) for name in names)


def check_size(subject: AuditSubject) -> AuditFinding:
    """Whether the file is small enough."""
    size = subject.content.path.stat().st_size / 1e6
    built = f"{size:.1f} MB, installed {subject.content.installed_size / 1e6:.1f} MB"
    limit = subject.policy.max_size_mb
    if not limit:
        return unplanned("size", built)
    problems = [f"{size - limit:.1f} MB too much"] if size > limit else []
    return finding("size", f"at most {limit:g} MB", built, problems)


def check_versions(subject: AuditSubject) -> AuditFinding:
    """Whether every place that says a version says the right one."""
    content = subject.content
    version = subject.policy.version or content.name.version
    found = {"METADATA": str(content.metadata["Version"])}
    found |= {f"{package}.__version__": text for package, text in _python_versions(content)}
    if subject.packing_planned:
        found |= {library.name: text for library in subject.own for text in library.versions}
    problems = [
        f"{place} says {text}"
        for place, text in found.items()
        if not is_same_version(text, version)
    ]
    if subject.packing_planned and not any(library.versions for library in subject.own):
        problems.append("no library says its version")
    if subject.packing_planned and not any(place.endswith("__version__") for place in found):
        problems.append("the package has no __version__")
    return finding("version", version, f"said in {', '.join(found)}", problems)


def _python_versions(content: WheelContent) -> Iterator[tuple[str, str]]:
    """The packages with a literal __version__ in their first files, and what it is."""
    files = set(content.files)
    packages = sorted({path.split("/")[0] for path in files if path.count("/") == 1})
    names = ("__init__.py", "version.py", "_version.py")
    paths = [path for one in packages for name in names if (path := f"{one}/{name}") in files]
    last = ""
    for path, raw in content.read_all(paths):
        package = path.split("/")[0]
        match = _VERSION_LINE.search(raw.decode("utf-8", "replace"))
        if match and package != last:
            last = package
            yield package, match[1]


def check_numpy(subject: AuditSubject) -> AuditFinding:
    """Whether NumPy's C interface is used only where NumPy is required."""
    users = [library.name for library in subject.own if library.needs_numpy]
    if subject.content.name.name == "numpy":
        return finding(
            "NumPy interface", "it is NumPy", f"used by {counted(len(users), 'library')}"
        )
    built = f"C interface used by {' '.join(users)}" if users else "C interface not used"
    try:
        asked = read_requirements(subject.content.metadata)
    except BadRequest as error:
        return finding("NumPy interface", "none", built, [f"METADATA: {error.message}"])
    stated = [
        line for line, constraint in asked.items() if canonicalize_name(constraint.name) == "numpy"
    ]
    problems = [] if stated or not users else ["METADATA does not require numpy"]
    return finding("NumPy interface", " ".join(stated) or "none", built, problems)


def check_glibc(subject: AuditSubject) -> AuditFinding:
    """Whether the newest glibc symbol stays below what was asked for and what the tag promises."""
    promised = max(
        (platform_glibc(name) for name in subject.content.name.platform.split(".")),
        default="",
        key=version_key,
    )
    ceilings = [text for text in (subject.policy.glibc_ceiling, promised) if text]
    return judge_glibc(subject, min(ceilings, key=version_key, default=""))


def check_libstdcxx(subject: AuditSubject) -> AuditFinding:
    """Whether the newest libstdc++ symbols stay below the ceiling, or the tag is an honest one."""
    verdict = judge_libstdcxx(subject, subject.policy.libstdcxx_ceiling)
    if subject.policy.libstdcxx_ceiling:
        return verdict
    honest = is_honest(subject.content.name.platform.split("."), subject.analysis.platform)
    problems = [] if honest or not subject.libraries else ["the platform tag is not honest"]
    return finding("libstdc++", "what the platform tag allows", verdict.built, problems)

"""Bazel: its version, what a .bazelversion says, its Java, and whether it starts."""

import os
import re
from pathlib import Path
from typing import Literal

from tfbuild.core.layout import BAZELS
from tfbuild.core.paths import real_path
from tfbuild.core.process import find_program
from tfbuild.core.safe_files import read_bytes, read_inside
from tfbuild.core.versions import LONGEST_VERSION
from tfbuild.doctor.checks.model import (
    CheckContext,
    CheckResult,
    CheckSpec,
    accepts,
    error_line,
    failed,
    install,
    listed,
    passed,
    skipped,
    warned,
)
from tfbuild.fetch.bazel import MIRROR_VARIABLE

_PACKAGED = Path("/usr/share/bazel/A-server.jar")  # of Debian's package, which has no Java inside
_OLDEST_JAVA = 11
_START_SECONDS = 40.0
_LARGEST_PROGRAM = 500_000_000
_LARGEST_VERSION = 4096  # bytes of a .bazelversion
_Starter = Literal["bazelisk", "script", "bazel"]
_STARTERS: dict[_Starter, str] = {
    "bazelisk": "bazelisk, which fetches what is asked for",
    "script": "bazel on PATH is a script that obeys it if that version is installed",
    "bazel": "bazel on PATH does not read it",
}


def version(context: CheckContext) -> CheckResult:
    """Whether a Bazel of the needed versions is on PATH or in the cache."""
    tools, spec = context.tools, context.needs.bazel
    found = tools.host.bazels
    good = [p for p in found if p.version and accepts(spec, p.version)]
    if good:
        return passed(f"{good[0].version} at {good[0].path}")
    cached = [path for name, path in _cached(context) if accepts(spec, name)]
    if cached:
        return passed(f"in the cache: {cached[-1]}")
    here = listed(found) or "not on PATH"
    if "bazel" not in context.needs.fetches:
        fix = f"put a Bazel {spec} on PATH, or a Bazelisk, which fetches it"
        return failed(f"{here}; a Bazel {spec} is needed", fix)
    if not find_program("apt-get"):
        fix = f"put a Bazel {spec} on PATH, or name a mirror in {MIRROR_VARIABLE}"
        return warned(f"{here}; a build fetches one {spec}", fix)
    return passed(f"{here}; a build fetches one {spec}")


def pinned(context: CheckContext) -> CheckResult:
    """What USE_BAZEL_VERSION or a .bazelversion above the current folder asks for."""
    named, where = _asked_version()
    if not named:
        return skipped("there is no .bazelversion here, and no USE_BAZEL_VERSION")
    if len(named) > LONGEST_VERSION:
        words = f"{where} asks for '{named[:30]}...', which no Bazel is called"
        return warned(words, "write a release there, such as 7.4.1")
    detail = f"{where} asks for {named}"
    starter = _starter(context)
    kind = _STARTERS[starter]
    if not re.fullmatch(r"\d+(\.\d+)*", named):
        return passed(f"{detail}; {kind}")
    if not accepts(context.needs.bazel, named):
        fix = f"build outside that folder, or write a version {context.needs.bazel} there"
        return warned(f"{detail}; {context.needs.title} takes {context.needs.bazel}", fix)
    here = [p.version for p in context.tools.host.bazels]
    if starter == "bazelisk" or named in here or not here:
        return passed(f"{detail}; {kind}")
    fix = f"install Bazel {named}, or a Bazelisk, which fetches it"
    return warned(f"{detail}, and PATH has {', '.join(here)}; {kind}", fix)


def java(context: CheckContext) -> CheckResult:
    """The Java that Bazel runs on: its own, or the system's for a distribution's package."""
    home = os.environ.get("JAVA_HOME", "")
    if home and not (Path(home) / "bin" / "java").is_file():
        return warned(f"JAVA_HOME is {home}, where there is no bin/java", "unset JAVA_HOME")
    path = _program(context)
    if not path:
        return skipped("there is no Bazel here")
    if not _is_packaged(path):
        return passed("this Bazel brings its own")
    program = str(Path(home) / "bin" / "java") if home else find_program("java")
    return _judge_java(context, program)


def starts(context: CheckContext) -> CheckResult:
    """Whether Bazel starts, with all that it writes in the temporary folder."""
    path = _program(context)
    if not path:
        return skipped("there is no Bazel here; a build fetches one")
    if _starter(context) == "bazelisk":
        return skipped("PATH has a Bazelisk, which would fetch a Bazel to start it")
    context.write("WORKSPACE", "")
    # The system's rc file holds: there a distribution says where the parts of its Bazel are.
    startup = (
        "--batch",
        "--nohome_rc",
        "--noworkspace_rc",
        f"--output_user_root={context.folder / 'root'}",
        "--host_jvm_args=-XX:-UsePerfData",  # or Java leaves a folder in /tmp, as it does with
        f"--host_jvm_args=-Djava.io.tmpdir={context.folder}",  # files, whatever TMPDIR says
    )
    answer = context.ask(path, *startup, "info", "release", seconds=_START_SECONDS)
    if answer.is_ok:
        return passed(f"starts: {answer.text.strip().splitlines()[-1]}")
    fix = f"run `{path} --batch info release` in an empty folder and see what it says"
    return failed(f"{path} does not start: {error_line(answer.text)}", fix)


# --- inside ------------------------------------------------------------------------------------


def _judge_java(context: CheckContext, program: str) -> CheckResult:
    fix = install(context.tools, "default-jdk-headless", "java-17-openjdk-headless")
    if not program:
        return failed("this Bazel needs a Java of the system, and there is none", fix)
    answer = context.ask(program, "-XX:-UsePerfData", "-version")
    match = re.search(r'version "(?:1\.)?(\d+)', answer.text)
    if not answer.is_ok or not match:
        return failed(f"{program} does not run: {error_line(answer.text)}", fix)
    if int(match[1]) < _OLDEST_JAVA:
        return failed(f"{program} is Java {match[1]}; {_OLDEST_JAVA} is the oldest that does", fix)
    return passed(f"Java {match[1]} at {program}")


def _cached(context: CheckContext) -> list[tuple[str, Path]]:
    """Version and path of each Bazel in the cache."""
    found = sorted(BAZELS.path(context.tools.folders.cache).glob("*/bin/bazel"))
    return [(path.parents[1].name.rpartition("-")[2], path) for path in found]


def _program(context: CheckContext) -> str:
    """The Bazel that a build would take."""
    spec = context.needs.bazel
    here = [p.path for p in context.tools.host.bazels if p.version and accepts(spec, p.version)]
    cached = [str(path) for name, path in _cached(context) if accepts(spec, name)]
    return next(iter([*here, *cached]), "")


def _asked_version() -> tuple[str, str]:
    """The version that is asked for, and where."""
    if named := os.environ.get("USE_BAZEL_VERSION", "").strip():
        return named, "USE_BAZEL_VERSION"
    for folder in (Path.cwd(), *Path.cwd().parents):
        path = folder / ".bazelversion"
        if os.path.lexists(path):
            try:
                words = read_inside(folder, path, _LARGEST_VERSION).split()
            except (OSError, ValueError):
                words = []
            return (words[0] if words else ""), str(path)
    return "", ""


def _starter(context: CheckContext) -> _Starter:
    """What `bazel` on PATH is: a Bazelisk, a script that looks for bazel-VERSION, or Bazel."""
    bazels = context.tools.host.bazels
    try:
        content = read_bytes(Path(bazels[0].path), _LARGEST_PROGRAM) if bazels else b""
    except (OSError, ValueError):
        content = b""
    if b"BAZELISK_HOME" in content:
        return "bazelisk"
    if content.startswith(b"#!") and b".bazelversion" in content:
        return "script"
    return "bazel"


def _is_packaged(path: str) -> bool:
    return real_path(Path(path)).is_relative_to("/usr/bin") and _PACKAGED.is_file()


CHECKS = (
    CheckSpec(
        group="bazel", name="bazel", looks_at="version on PATH and in the cache", look=version
    ),
    CheckSpec(
        group="bazel",
        name="bazelversion",
        looks_at=".bazelversion and USE_BAZEL_VERSION, and who obeys them",
        look=pinned,
    ),
    CheckSpec(
        group="bazel",
        name="java",
        looks_at="the Java that Bazel runs on, JAVA_HOME",
        look=java,
        seconds=0.1,
        needs_folder=True,
    ),
    CheckSpec(
        group="bazel",
        name="start",
        looks_at="whether Bazel starts, in a temporary folder",
        look=starts,
        seconds=1.5,
        needs_folder=True,
    ),
)

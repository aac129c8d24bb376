"""What a container's image has: compilers, Pythons, Bazel, packages, asked by one script inside."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from packaging.utils import canonicalize_name

from tfbuild.core.environments import Package
from tfbuild.core.interfaces import Runner
from tfbuild.core.records import Command, Host, Interpreter, Program

# Every line is `word=...`; programs that are missing say nothing. A Python goes by its full name,
# under which a smaller image of the same system has it as well. What dpkg installed for a Python is
# dpkg's, and no package of pip.
SCRIPT = r"""
. /etc/os-release 2>/dev/null
echo "id=${ID:-linux}"
echo "version=${VERSION_ID:-${VERSION_CODENAME:-}}"
echo "machine=$(uname -m)"
echo "glibc=$(getconf GNU_LIBC_VERSION 2>/dev/null)"
for name in g++ g++-20 g++-19 g++-18 g++-17 g++-16 g++-15 g++-14 g++-13 g++-12 g++-11 g++-10 g++-9
do
  path=$(command -v $name) && echo "compiler=$name $path $($path -dumpfullversion -dumpversion)"
done
for name in python3.9 python3.10 python3.11 python3.12 python3.13 python3.14 python3.15 python3
do
  path=$(command -v $name) && echo "python=$path $($path -I -S -B -c '
import os, sys, sysconfig
folder = sysconfig.get_path("include")
print("%d.%d.%d" % sys.version_info[:3], "cp%d%d" % sys.version_info[:2]
      + getattr(sys, "abiflags", "").replace("d", ""), os.path.realpath(sys.executable),
      folder if os.path.isfile(os.path.join(folder, "Python.h")) else "")' 2>/dev/null)"
  test -n "$path" && $path -I -B -c '
import importlib.metadata, re, sys
for found in importlib.metadata.distributions():
    name, folder = found.metadata["Name"], str(found.locate_file(""))
    if name and not re.fullmatch("/usr/lib/python3[.0-9]*/dist-packages/?", folder):
        print("pip=%d.%d" % sys.version_info[:2], name, found.version)' 2>/dev/null
done
path=$(command -v bazel) && {
  echo "bazel=$path $(cd / && $path --version 2>/dev/null | tail -n 1)"
  echo "package=$(dpkg-query --show --showformat '${Version}' bazel-bootstrap 2>/dev/null)"
}
test -d /usr/share/bazel/rules && echo "rules=/usr/share/bazel"
format='${db:Status-Status} dpkg=${Package} ${Version} ${Architecture}\n'
dpkg-query --show --showformat "$format" 2>/dev/null | sed -n 's/^installed //p'
:
"""
_VERSION = re.compile(r"\d+\.\d+\.\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageContents:
    """An image, seen as a machine; rules is the folder of the rule sets that come with Bazel."""

    host: Host
    rules: str = ""
    packages: tuple[Package, ...] = ()


def look_inside(runner: Runner) -> str:
    """What the script says in a container of the image; it depends on nothing but the image."""
    command = Command(argv=("sh", "-c", SCRIPT), purpose="look at the image", quiet=True)
    return runner.run(command).stdout


def read_inside(text: str, outside: Host) -> ImageContents:
    """The answers as a Host: what is the engine's (processors, memory, GPUs) is outside's."""
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        word, _, rest = line.partition("=")
        found.setdefault(word, []).append(rest.strip())
    host = replace(
        outside,
        machine=_first(found, "machine") or outside.machine,
        distribution=_first(found, "id"),
        distribution_version=_first(found, "version"),
        glibc=_first(found, "glibc").removeprefix("glibc ").strip(),
        compilers=tuple(_compilers(found)),
        pythons=tuple(_pythons(found)),
        bazels=tuple(_bazels(found)),
        toolkits=(),
    )
    return ImageContents(host=host, rules=_first(found, "rules"), packages=_packages(found))


# --- inside ------------------------------------------------------------------------------------


def _first(found: Mapping[str, list[str]], word: str) -> str:
    return found.get(word, [""])[0]


def _compilers(found: Mapping[str, list[str]]) -> list[Program]:
    rows = [line.split() for line in found.get("compiler", ())]
    return [Program(name=row[0], path=row[1], version=row[2]) for row in rows if len(row) == 3]


def _pythons(found: Mapping[str, list[str]]) -> list[Interpreter]:
    """Each interpreter once."""
    seen, pythons = set(), []
    for line in found.get("python", ()):
        words = line.split()
        if len(words) < 4 or words[3] in seen:
            continue
        seen.add(words[3])
        headers = words[4] if len(words) > 4 else ""
        pythons.append(Interpreter(path=words[0], version=words[1], tag=words[2], headers=headers))
    return pythons


def _packages(found: Mapping[str, list[str]]) -> tuple[Package, ...]:
    """Those of dpkg and of pip; of two in one Python the first is the one that is imported."""
    packages = {}
    for line in found.get("dpkg", ()):
        row = line.split()
        if len(row) == 3:  # what an image says of itself can be anything
            name, version, architecture = row
            packages["dpkg", name, architecture] = version
    for words in map(str.split, found.get("pip", ())):
        if len(words) == 3:  # odd metadata can hold anything
            python, name, version = words
            packages.setdefault((f"pip{python}", canonicalize_name(name), ""), version)
    return tuple(
        Package(manager=manager, name=name, version=version, architecture=architecture)
        for (manager, name, architecture), version in sorted(packages.items())
    )


def _bazels(found: Mapping[str, list[str]]) -> list[Program]:
    """Bazel with its version; a distribution's own may not say it, but its package does."""
    path, _, said = _first(found, "bazel").partition(" ")
    match = _VERSION.search(said) or _VERSION.search(_first(found, "package"))
    return [Program(name="bazel", path=path, version=match[0])] if path and match else []

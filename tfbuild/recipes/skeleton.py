"""The text of a new recipe: what every one must say, and the rest as comments."""

from tfbuild.recipes.fields import Key, all_keys
from tfbuild.recipes.recipe import BuildSystem

_HEAD = """\
# How tfbuild builds {name}: `tfbuild build ./{name}.yaml --source TREE`.
# The usual keys; `tfbuild recipes fields` explains all of them. Replace what is not true.
name: {name}
summary: What it is, in a few words
homepage: https://example.org/{name}
license: MIT  # an SPDX expression of what is delivered

source:
  recognize: [{marker}]  # files that every tree of it has, by which --source is recognized
  version_file: {marker}  # the file in which a tree says its version
  version_pattern: {pattern}  # an expression whose group is the version
  # debian: {name}  # the source package of Debian and Ubuntu, for --source debian
  # url: https://example.org/{name}-{{version}}.tar.gz  # what is built without --source
  # releases: {{'1.0': SHA256}}  # of its archive, as sha256sum says it

# needs: [zlib]  # beyond the build system and compilers: names of matrices/needs.yaml

build:
  system: {system}
  arguments: []  # for {tool}
  # folder: sub  # where its build files are not in the top folder
  # expect: {{NAME: VALUE}}  # what the build system must have understood, by its own names

product:
  libraries: [lib/lib{short}.so.1]
  headers: [include/{short}.h]
  # programs: [bin/{short}]
  # pkg_config: [{short}]
  # cmake: [{short}]
  licenses: [LICENSE]

probes:  # at least one
  links:
    program: |
      #include <{short}.h>
      int main(void) {{ return 0; }}
    # pkg_config: {short}
    # cmake: {short} {short}::{short}  # a package and its target
    # prints: '{{version}}'
  # version: {{run: [bin/{short}, --version], prints: '{{version}}'}}
"""
_MARKERS = {
    "cmake": "CMakeLists.txt",
    "configure": "configure",
    "meson": "meson.build",
    "bazel": "MODULE.bazel",
}
_PATTERNS = {
    "cmake": r"'project\([^)]*VERSION\s+([0-9.]+)'",
    "configure": '"PACKAGE_VERSION=\'([0-9.]+)"',
    "meson": '"version *: *\'([0-9.]+)"',
    "bazel": "'version *= *\"([0-9.]+)'",
}
_TOOLS = {
    "cmake": "cmake: -DNAME=VALUE",
    "configure": "configure: --enable-x",
    "meson": "meson setup: -Dname=value",
    "bazel": "bazel build",
}
_WRITTEN = {"name", "summary", "homepage", "license", "source", "needs", "build", "product",
            "probes", "tree"}  # fmt: skip


def new_recipe(name: str, system: BuildSystem) -> str:
    """A recipe of that name as YAML, to be filled in; it is read without an error."""
    short = name.removeprefix("lib") or name
    text = _HEAD.format(
        name=name, short=short, system=system, tool=_TOOLS[system],
        marker=_MARKERS[system], pattern=_PATTERNS[system],
    )  # fmt: skip
    if system == "bazel":
        library = f"lib/lib{short}.so"
        taken = f"product:\n  files: {{{library}: lib{short}.so}}\n"  # out of bazel-bin
        for old, new in (
            ("  arguments: []", f"  targets: ['//:{short}']\n  arguments: []"),
            ("product:\n", taken),
            (f"{library}.1", library),
        ):
            text = text.replace(old, new)
    more = [_commented(key) for key in all_keys() if key.path.partition(".")[0] not in _WRITTEN]
    return text + "\n# What else there is:\n" + "\n".join(more) + "\n"


def _commented(key: Key) -> str:
    depth = key.path.count(".")
    name = key.path.rpartition(".")[2]
    return f"# {'  ' * depth}{name}:  # {key.form}; {key.says}".rstrip("; ")

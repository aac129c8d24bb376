"""The text of a new recipe: what every one must say, and the rest as comments."""

from tfbuild.recipes.fields import Key, all_keys
from tfbuild.recipes.recipe import BuildSystem

_HEAD = """\
# How tfbuild builds {name}: `tfbuild build ./{name}.yaml`.
# Each key is explained once; `tfbuild recipes fields` lists them all.
name: {name}
summary: What it is, in a few words
homepage: https://example.org/{name}
license: MIT  # an SPDX expression of what is delivered

source:
  url: https://example.org/{name}-{{version}}.tar.gz
  releases:
    '1.0': '{zeros}'  # the sha256 of its archive
  recognize: [{marker}]  # files by which --source is recognized

build:
  system: {system}
  arguments: []  # for {tool}

product:
  libraries: []  # lib/lib{name}.so.1
  headers: []  # include/{name}.h
  licenses: [LICENSE]

probes:
  version:
    run: [bin/{name}, --version]
    prints: '{{version}}'
"""
_MARKERS = {
    "cmake": "CMakeLists.txt",
    "configure": "configure",
    "meson": "meson.build",
    "bazel": "WORKSPACE",
}
_TOOLS = {
    "cmake": "cmake: -DNAME=VALUE",
    "configure": "configure: --enable-x",
    "meson": "meson setup: -Dname=value",
    "bazel": "bazel build",
}
_WRITTEN = {"name", "summary", "homepage", "license", "source", "build", "product", "probes"}


def new_recipe(name: str, system: BuildSystem) -> str:
    """A recipe of that name as YAML, to be filled in; it is read without an error."""
    text = _HEAD.format(
        name=name, system=system, zeros="0" * 64, marker=_MARKERS[system], tool=_TOOLS[system]
    )
    if system == "bazel":
        text = text.replace(
            "  arguments: []", f"  targets: ['//:{name}']\n  arguments: []"
        ).replace("product:\n", f"product:\n  files: {{lib/lib{name}.so: lib{name}.so}}\n")
    more = [_commented(key) for key in all_keys() if key.path.partition(".")[0] not in _WRITTEN]
    return text + "\n# What else there is:\n" + "\n".join(more) + "\n"


def _commented(key: Key) -> str:
    depth = key.path.count(".")
    name = key.path.rpartition(".")[2]
    return f"# {'  ' * depth}{name}:  # {key.form}; {key.says}".rstrip("; ")

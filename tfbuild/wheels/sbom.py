"""The SBOM of a wheel: the same bytes for the same content."""

import hashlib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from operator import itemgetter
from pathlib import Path

from cyclonedx.model.component import Component, ComponentScope, ComponentType
from packageurl import PackageURL
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tfbuild.core.errors import BadRequest
from tfbuild.core.safe_files import parse_json
from tfbuild.wheels.components import (
    BinaryFile,
    Provenance,
    WheelComponent,
    read_binaries,
    read_parts,
)
from tfbuild.wheels.licences import licence_of_library
from tfbuild.wheels.requirements import is_for_extra, read_requirements
from tfbuild.wheels.sbom_parts import (
    cyclonedx_text,
    licences,
    own_property,
    sha256_of,
    surroundings,
)
from tfbuild.wheels.wheel_file import WheelContent, open_wheel
from tfbuild.wheels.wheel_texts import LARGEST_SBOM

_IN_WHEEL = ("shared", "static", "headers", "beside", "unknown")
_REQUIRED = ComponentScope.REQUIRED
_BUILT_WITH = ("build", "cuda")
# distribution -> the lines that ask for it, each with its meaning
_Wanted = Mapping[str, Mapping[str, Requirement]]
_DEBIAN_NAME = re.compile(r"(?P<stem>lib[\w.+-]+?)\.so\.(?P<major>\d+)")


def sbom_text(built: Provenance, cache: Path) -> str:
    """The SBOM as CycloneDX JSON; cache is the folder of downloaded files.

    The serial number is made of the content. A time is only in it where SOURCE_DATE_EPOCH says
    which. Raises BadRequest where the wheel cannot be read.
    """
    content = open_wheel(built.wheel)
    binaries = read_binaries(content)
    artifacts = [a for a in built.artifacts if a.kind in _BUILT_WITH]
    parts = read_parts(artifacts, cache, binaries)
    root = _root(built, content, binaries)
    wanted = _wanted(content)
    needed = [*_linked(parts, binaries, wanted), *_copied(content, parts, binaries)]
    needed += _required(wanted, {canonicalize_name(component.name) for component in needed})
    rest = [
        *(_tool_part(p) for p in parts if p.linkage == "tool"),
        *surroundings(built.environment),
    ]
    chosen = [own_property(f"version:{axis}", value) for axis, value in built.versions]
    return cyclonedx_text(root, needed, rest, tools=built.tools, properties=chosen)


# --- components --------------------------------------------------------------------------------


def _root(built: Provenance, content: WheelContent, binaries: Sequence[BinaryFile]) -> Component:
    """The wheel itself, and the libraries that were compiled for it."""
    name, version = str(content.metadata["Name"]), str(content.metadata["Version"])
    return Component(
        type=ComponentType.LIBRARY,
        name=name,
        version=version,
        bom_ref="wheel",
        purl=PackageURL("pypi", name=name, version=version),
        hashes=[sha256_of(hashlib.sha256(built.wheel.read_bytes()).hexdigest())],
        licenses=licences(str(content.metadata["License-Expression"] or "")),
        components=[_file(binary) for binary in binaries if binary.is_own],
        properties=[
            own_property("filename", built.wheel.name),
            own_property("plan", built.plan_id),
        ],
    )


def _linked(
    parts: Sequence[WheelComponent], binaries: Sequence[BinaryFile], wanted: _Wanted
) -> Iterator[Component]:
    """Packages of which something is in the wheel, or is opened where they are installed."""
    for part in parts:
        if part.linkage not in _IN_WHEEL:
            continue
        files = [b for b in binaries if not b.is_own and b.name in part.libraries]
        lines = wanted.get(canonicalize_name(part.artifact.distribution), {})
        component = _part(part, _scope(lines) if part.linkage == "beside" else _REQUIRED, files)
        component.properties.update(own_property("requirement", line) for line in lines)
        yield component


def _tool_part(part: WheelComponent) -> Component:
    """A package that only the build needed."""
    return _part(part, ComponentScope.EXCLUDED, ())


def _part(part: WheelComponent, scope: ComponentScope, files: Sequence[BinaryFile]) -> Component:
    artifact = part.artifact
    purl = PackageURL("pypi", name=artifact.distribution, version=artifact.version)
    return Component(
        type=ComponentType.LIBRARY,
        name=artifact.distribution,
        version=artifact.version,
        bom_ref=purl.to_string(),
        purl=purl,
        scope=scope,
        hashes=[sha256_of(artifact.sha256)],
        licenses=licences(part.licence),
        components=[_file(binary) for binary in files],
        properties=[
            own_property("filename", artifact.filename),
            own_property("linkage", part.linkage),
        ],
    )


def _copied(
    content: WheelContent, parts: Sequence[WheelComponent], binaries: Sequence[BinaryFile]
) -> Iterator[Component]:
    """Libraries of the system that were copied into the wheel, by the package they came from."""
    known = {name for part in parts for name in part.libraries}
    origins = _origins(content)
    for binary in binaries:
        if binary.is_own or binary.name in known:
            continue
        named = [origins[name] for name in _package_names(binary.name) if name in origins]
        _, purl = min(named, key=itemgetter(0), default=(0, None))
        yield Component(
            type=ComponentType.LIBRARY,
            name=purl.name if purl else binary.name,
            version=purl.version if purl else None,
            bom_ref=purl.to_string() if purl else f"library:{binary.name}",
            purl=purl,
            scope=ComponentScope.REQUIRED,
            licenses=licences(licence_of_library(binary.name)),
            components=[_file(binary)],
            properties=[own_property("linkage", "shared")],
        )


def _required(wanted: _Wanted, known: Collection[str]) -> Iterator[Component]:
    """What pip installs beside the wheel; which release is decided there."""
    for name, lines in wanted.items():
        if name not in known:
            yield Component(
                type=ComponentType.LIBRARY,
                name=name,
                bom_ref=f"requirement:{name}",
                purl=PackageURL("pypi", name=name),
                scope=_scope(lines),
                properties=[own_property("requirement", line) for line in lines],
            )


def _file(binary: BinaryFile) -> Component:
    return Component(
        type=ComponentType.FILE,
        name=binary.path,
        bom_ref=f"file:{binary.path}",
        hashes=[sha256_of(binary.sha256)],
    )


# --- small things ------------------------------------------------------------------------------


def _wanted(content: WheelContent) -> _Wanted:
    found: dict[str, dict[str, Requirement]] = {}
    for line, requirement in read_requirements(content.metadata).items():
        found.setdefault(canonicalize_name(requirement.name), {})[line] = requirement
    return found


def _scope(lines: Mapping[str, Requirement]) -> ComponentScope:
    """Whether the wheel cannot do without, or only an extra asks for it."""
    return ComponentScope.OPTIONAL if all(map(is_for_extra, lines.values())) else _REQUIRED


def _origins(content: WheelContent) -> dict[str, tuple[int, PackageURL]]:
    """The packages that auditwheel says it copied libraries from, by name, with their order."""
    path = f"{content.dist_info}/sboms/auditwheel.cdx.json"
    if path not in content.files:
        return {}
    try:
        components = parse_json(content.read(path, LARGEST_SBOM)).get("components", [])
        urls = [PackageURL.from_string(c["purl"]) for c in components if c.get("purl")]
    except (ValueError, TypeError, AttributeError) as error:
        raise BadRequest(
            f"{content.path.name}: {path} is no SBOM",
            code="sbom-broken",
            why=str(error),
            hint="build the wheel again: it looks damaged",
        ) from error
    ordered = reversed([*enumerate(urls)])  # so that the first of a name stays
    return {url.name: (place, url) for place, url in ordered if url.type != "pypi"}


def _package_names(library: str) -> set[str]:
    """The names that a package with this library may have: libgomp.so.1 is in libgomp1."""
    match = _DEBIAN_NAME.match(library)
    if not match:
        return {library.partition(".so")[0]}
    stem, major = match["stem"], match["major"]
    return {stem, f"{stem}{major}", f"{stem}-{major}"}

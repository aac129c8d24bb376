"""The door to CycloneDX: the bill of materials of a wheel, the same bytes for the same content."""

import datetime
import hashlib
import json
import re
import uuid
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any

from cyclonedx.model import HashAlgorithm, HashType, Property
from cyclonedx.model.bom import Bom, BomMetaData
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.model.license import LicenseExpression
from cyclonedx.model.tool import ToolRepository
from cyclonedx.schema.schema import SchemaVersion1Dot6
from packageurl import PackageURL
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tfbuild.core.environments import EnvironmentLock, Package
from tfbuild.core.errors import BadRequest
from tfbuild.core.safe_files import parse_json
from tfbuild.core.source_date import source_date
from tfbuild.wheels.components import (
    BinaryFile,
    Provenance,
    WheelComponent,
    read_binaries,
    read_parts,
)
from tfbuild.wheels.licences import licence_of_library
from tfbuild.wheels.requirements import is_for_extra, read_requirements
from tfbuild.wheels.wheel_file import WheelContent, open_wheel
from tfbuild.wheels.wheel_texts import LARGEST_BILL

_IN_WHEEL = ("shared", "static", "headers", "beside", "unknown")
_REQUIRED = ComponentScope.REQUIRED
_BUILT_WITH = ("build", "cuda")
_FORMAT = {
    "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
    "bomFormat": "CycloneDX",
    "specVersion": "1.6",
}
# distribution -> the lines that ask for it, each with its meaning
_Wanted = Mapping[str, Mapping[str, Requirement]]
_DEBIAN_NAME = re.compile(r"(?P<stem>lib[\w.+-]+?)\.so\.(?P<major>\d+)")


def sbom_text(built: Provenance, cache: Path) -> str:
    """The bill as CycloneDX JSON; cache is the folder of downloaded files.

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
        *_surroundings(built.environment),
    ]
    _make_distinct([root, *needed, *rest])
    metadata = BomMetaData(
        component=root,
        tools=ToolRepository(components=[_tool(*pair) for pair in built.tools]),
        properties=[_property(f"version:{axis}", value) for axis, value in built.versions],
    )
    document = _document(Bom(metadata=metadata), [*needed, *rest])
    return _finished(document | {"dependencies": _dependencies(root, needed, rest)})


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
        hashes=[_sha256(hashlib.sha256(built.wheel.read_bytes()).hexdigest())],
        licenses=_licences(str(content.metadata["License-Expression"] or "")),
        components=[_file(binary) for binary in binaries if binary.is_own],
        properties=[_property("filename", built.wheel.name), _property("plan", built.plan_id)],
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
        component.properties.update(_property("requirement", line) for line in lines)
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
        hashes=[_sha256(artifact.sha256)],
        licenses=_licences(part.licence),
        components=[_file(binary) for binary in files],
        properties=[_property("filename", artifact.filename), _property("linkage", part.linkage)],
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
            licenses=_licences(licence_of_library(binary.name)),
            components=[_file(binary)],
            properties=[_property("linkage", "shared")],
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
                properties=[_property("requirement", line) for line in lines],
            )


def _surroundings(environment: EnvironmentLock) -> Iterator[Component]:
    """The images that the wheel was built in, and their packages.

    An image that was made here is another on each machine: there the base stands for it.
    """
    if environment.base:
        yield _image(environment.base, environment.base_id)
    if environment.digest or (environment.image and not environment.base):
        yield _image(environment.digest or environment.image, environment.id)
    for package in environment.packages:
        yield _package(package, environment)


def _image(name: str, identity: str) -> Component:
    """An image; one of a registry goes by its digest, one that was made here has no address."""
    repository, _, digest = name.partition("@")
    short = repository.rpartition("/")[2]
    qualifiers = {"repository_url": repository} if short != repository else {}
    return Component(
        type=ComponentType.CONTAINER,
        name=repository,
        version=digest or None,
        bom_ref=f"image:{name}",
        purl=PackageURL("oci", name=short, version=digest, qualifiers=qualifiers)
        if digest
        else None,
        scope=ComponentScope.EXCLUDED,
        properties=[_property("identity", identity)] if identity else [],
    )


def _package(package: Package, environment: EnvironmentLock) -> Component:
    """A package of the system; nothing of it is in the wheel unless it says so elsewhere."""
    if package.manager == "dpkg":
        qualifiers = {
            "arch": package.architecture,
            "distro": f"{environment.system}-{environment.release}" if environment.release else "",
        }
        purl = PackageURL(
            "deb",
            namespace=environment.system,
            name=package.name,
            version=package.version,
            qualifiers={key: value for key, value in qualifiers.items() if value},
        )
    else:
        purl = PackageURL("pypi", name=package.name, version=package.version)
    return Component(
        type=ComponentType.LIBRARY,
        name=package.name,
        version=package.version,
        bom_ref=f"system:{package.manager}:{package.name}:{package.architecture}",
        purl=purl,
        scope=ComponentScope.EXCLUDED,
    )


def _tool(name: str, version: str) -> Component:
    return Component(
        type=ComponentType.APPLICATION, name=name, version=version, bom_ref=f"tool:{name}"
    )


def _file(binary: BinaryFile) -> Component:
    return Component(
        type=ComponentType.FILE,
        name=binary.path,
        bom_ref=f"file:{binary.path}",
        hashes=[_sha256(binary.sha256)],
    )


# --- what refers to what -----------------------------------------------------------------------


def _make_distinct(components: Sequence[Component]) -> None:
    """Give what goes by the same name as something before it a name of its own."""
    taken: set[str] = set()
    again: Counter[str] = Counter()
    for component in components:
        for part in (component, *component.components):
            first = name = str(part.bom_ref)
            while name in taken:
                again[first] += 1
                name = f"{first}#{again[first]}"
            part.bom_ref.value = name
            taken.add(name)


def _dependencies(
    root: Component, needed: Sequence[Component], rest: Sequence[Component]
) -> list[dict[str, Any]]:
    """The graph as CycloneDX writes it: the wheel needs its parts, of whose own needs nothing is
    known.

    The library's own graph looks through all of it for each component.
    """
    own = sorted(str(component.bom_ref) for component in needed)
    others = [{"ref": str(component.bom_ref)} for component in (*needed, *rest)]
    wheel = {"ref": str(root.bom_ref)} | ({"dependsOn": own} if own else {})
    return sorted([wheel, *others], key=itemgetter("ref"))


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
        components = parse_json(content.read(path, LARGEST_BILL)).get("components", [])
        urls = [PackageURL.from_string(c["purl"]) for c in components if c.get("purl")]
    except (ValueError, TypeError, AttributeError) as error:
        raise BadRequest(
            f"{content.path.name}: {path} is no bill of materials",
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


def _sha256(digest: str) -> HashType:
    return HashType(alg=HashAlgorithm.SHA_256, content=digest)


def _licences(expression: str) -> list[LicenseExpression]:
    return [LicenseExpression(expression)] if expression else []


def _property(name: str, value: str) -> Property:
    return Property(name=f"tfbuild:{name}", value=value)


def _document(bom: Bom, components: Sequence[Component]) -> dict[str, Any]:
    """All but the graph, as the library writes each part.

    Not by its outputter, which compares each component with all others, twice.
    """
    document: dict[str, Any] = _plain(bom) | _FORMAT
    if components:
        document["components"] = [_plain(part) for part in sorted(components, key=_order)]
    return document


def _plain(part: Bom | Component) -> dict[str, Any]:
    found: dict[str, Any] = parse_json(part.as_json(view_=SchemaVersion1Dot6))  # type: ignore[union-attr]
    return found


def _order(part: Component) -> tuple[str, str, bool, str, str]:
    """By what the library sorts components."""
    version = part.version or ""
    return part.type.value, part.name, not version, version, str(part.bom_ref)


def _finished(document: dict[str, Any]) -> str:
    """The bill as text: no chance and no clock in it."""
    del document["serialNumber"], document["metadata"]["timestamp"]
    if (seconds := source_date()) is not None:
        moment = datetime.datetime.fromtimestamp(seconds, datetime.UTC)
        document["metadata"]["timestamp"] = moment.isoformat()
    digest = hashlib.sha256(json.dumps(document, sort_keys=True).encode()).digest()
    document["serialNumber"] = uuid.UUID(bytes=digest[:16], version=5).urn
    return json.dumps(document, indent=1, sort_keys=True) + "\n"

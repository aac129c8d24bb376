"""The parts of an SBOM that all kinds share, and its text, as CycloneDX writes them."""

import datetime
import hashlib
import json
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Any

from cyclonedx.model import HashAlgorithm, HashType, Property
from cyclonedx.model.bom import Bom, BomMetaData
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.model.license import LicenseExpression
from cyclonedx.model.tool import ToolRepository
from cyclonedx.schema.schema import SchemaVersion1Dot6
from packageurl import PackageURL

from tfbuild.core.environments import EnvironmentLock, Package
from tfbuild.core.records import Pairs
from tfbuild.core.safe_files import parse_json
from tfbuild.core.source_date import source_date

_FORMAT = {
    "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
    "bomFormat": "CycloneDX",
    "specVersion": "1.6",
}


def cyclonedx_text(
    root: Component,
    needed: Sequence[Component],
    rest: Sequence[Component],
    *,
    tools: Pairs,
    properties: Sequence[Property],
) -> str:
    """The SBOM of a thing that needs some components, and was made with others, as JSON.

    The serial number is made of the content. A time is only in it where SOURCE_DATE_EPOCH says
    which.
    """
    _make_distinct([root, *needed, *rest])
    metadata = BomMetaData(
        component=root,
        tools=ToolRepository(components=[_tool(*pair) for pair in tools]),
        properties=properties,
    )
    document = _document(Bom(metadata=metadata), [*needed, *rest])
    return _finished(document | {"dependencies": _dependencies(root, needed, rest)})


def surroundings(environment: EnvironmentLock) -> Iterator[Component]:
    """The images that the wheel was built in, and their packages.

    An image that was made here is another on each machine: there the base stands for it.
    """
    if environment.base:
        yield _image(environment.base, environment.base_id)
    if environment.digest or (environment.image and not environment.base):
        yield _image(environment.digest or environment.image, environment.id)
    for package in environment.packages:
        yield _package(package, environment)


def files_component(
    name: str,
    version: str,
    *,
    sha256: str,
    licence: str,
    files: Pairs,
    properties: Sequence[Property],
) -> Component:
    """What is delivered as files of native code: each by its name, with its sha256."""
    return Component(
        type=ComponentType.LIBRARY,
        name=name,
        version=version,
        bom_ref="product",
        purl=PackageURL("generic", name=name, version=version),
        hashes=[sha256_of(sha256)],
        licenses=licences(licence),
        components=[
            Component(
                type=ComponentType.FILE,
                name=file,
                bom_ref=f"file:{file}",
                hashes=[sha256_of(digest)],
            )
            for file, digest in files
        ],
        properties=properties,
    )


def sha256_of(digest: str) -> HashType:
    """A digest as a component has it."""
    return HashType(alg=HashAlgorithm.SHA_256, content=digest)


def licences(expression: str) -> list[LicenseExpression]:
    """The licences of an SPDX expression; none where it is empty."""
    return [LicenseExpression(expression)] if expression else []


def own_property(name: str, value: str) -> Property:
    """Something that only tfbuild says, under a name of its own."""
    return Property(name=f"tfbuild:{name}", value=value)


# --- inside ------------------------------------------------------------------------------------


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
        properties=[own_property("identity", identity)] if identity else [],
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
    """The SBOM as text: no chance and no clock in it."""
    del document["serialNumber"], document["metadata"]["timestamp"]
    if (seconds := source_date()) is not None:
        moment = datetime.datetime.fromtimestamp(seconds, datetime.UTC)
        document["metadata"]["timestamp"] = moment.isoformat()
    digest = hashlib.sha256(json.dumps(document, sort_keys=True).encode()).digest()
    document["serialNumber"] = uuid.UUID(bytes=digest[:16], version=5).urn
    return json.dumps(document, indent=1, sort_keys=True) + "\n"

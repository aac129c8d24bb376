"""What all SBOMs share."""

import json
from dataclasses import replace

from cyclonedx.model.component import Component, ComponentType
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from tests.sample_report import an_environment
from tfbuild.core.environments import NO_ENVIRONMENT, Package
from tfbuild.wheels.sbom_parts import (
    cyclonedx_text,
    licences,
    own_property,
    sha256_of,
    surroundings,
)


def a_part(name: str) -> Component:
    return Component(type=ComponentType.LIBRARY, name=name, version="1", bom_ref=name)


def test_an_sbom_names_each_part_once_and_what_needs_what() -> None:
    text = cyclonedx_text(
        a_part("root"), [a_part("b"), a_part("a"), a_part("a")], [a_part("c")],
        tools=(("cc", "12"),), properties=[own_property("x", "y")],
    )  # fmt: skip
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    sbom = json.loads(text)
    assert [part["bom-ref"] for part in sbom["components"]] == ["a", "a#1", "b", "c"]
    depends = {one["ref"]: one.get("dependsOn", []) for one in sbom["dependencies"]}
    assert depends["root"] == ["a", "a#1", "b"]
    assert sbom["metadata"]["properties"] == [{"name": "tfbuild:x", "value": "y"}]


def test_the_same_parts_make_the_same_text() -> None:
    one, other = (
        cyclonedx_text(a_part("root"), [a_part("a")], [], tools=(), properties=[]) for _ in range(2)
    )
    assert one == other


def test_small_things() -> None:
    assert licences("") == []
    assert [str(one.value) for one in licences("MIT OR Apache-2.0")] == ["MIT OR Apache-2.0"]
    assert sha256_of("a" * 64).content == "a" * 64


def test_the_image_and_its_packages_surround_a_build() -> None:
    assert list(surroundings(NO_ENVIRONMENT)) == []
    package = Package(manager="dpkg", name="libc6", version="2.36", architecture="amd64")
    found = list(surroundings(replace(an_environment(), packages=(package,))))
    assert {part.type for part in found} == {ComponentType.CONTAINER, ComponentType.LIBRARY}

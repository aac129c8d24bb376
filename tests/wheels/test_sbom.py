"""The SBOM: complete, valid, and the same for the same content."""

import json
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL

from tests.built_wheels import a_built_wheel
from tests.failing import fails
from tests.sample_report import an_environment
from tests.shared_libraries import tiny_wheel
from tfbuild.core.paths import file_digest
from tfbuild.wheels import sbom
from tfbuild.wheels.components import Provenance
from tfbuild.wheels.sbom import sbom_text


def document(built: Provenance, folder: Path) -> dict[str, Any]:
    text = sbom_text(built, folder / "artifacts")
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    content: dict[str, Any] = json.loads(text)
    return content


def by_name(content: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {component["name"]: component for component in content["components"]}


def said(component: dict[str, Any], name: str) -> list[str]:
    return [p["value"] for p in component["properties"] if p["name"] == f"tfbuild:{name}"]


def test_the_wheel_and_what_was_compiled_for_it(tmp_path: Path) -> None:
    built = a_built_wheel(tmp_path)
    root = document(built, tmp_path)["metadata"]["component"]
    assert (root["name"], root["version"]) == ("tiny-thing", "1.0")
    assert root["purl"] == "pkg:pypi/tiny-thing@1.0"
    assert root["hashes"] == [{"alg": "SHA-256", "content": file_digest(built.wheel)}]
    assert [file["name"] for file in root["components"]] == ["tiny_thing/libtiny_thing.so"]
    assert said(root, "plan") == ["0123456789abcdef"]


def test_packages_by_what_became_of_them(tmp_path: Path) -> None:
    components = by_name(document(a_built_wheel(tmp_path), tmp_path))
    assert said(components["glue"], "linkage") == ["static"]
    assert said(components["fast-devel"], "linkage") == ["headers"]
    assert said(components["blas"], "linkage") == ["beside"]
    assert components["driver-tools"]["scope"] == "excluded"
    assert components["glue"]["purl"] == "pkg:pypi/glue@3.1"
    assert "scikit-learn" not in components, "what only tests the wheel is not in it"


def test_libraries_that_were_copied_in_name_their_origin(tmp_path: Path) -> None:
    components = by_name(document(a_built_wheel(tmp_path), tmp_path))
    (file,) = components["fast"]["components"]
    assert file["name"] == "tiny_thing.libs/libfast-0123abcd.so.3"
    assert len(file["hashes"][0]["content"]) == 64
    gomp = components["libgomp1"]
    assert gomp["purl"] == "pkg:deb/debian/libgomp1@12.2.0-14"
    assert gomp["components"][0]["name"] == "tiny_thing.libs/libgomp-4567abcd.so.1.0.0"
    assert gomp["licenses"] == [{"expression": "GPL-3.0-or-later WITH GCC-exception-3.1"}]


def test_a_library_of_unknown_origin_is_there_by_its_own_name(tmp_path: Path) -> None:
    built = a_built_wheel(tmp_path)
    components = by_name(document(replace(built, artifacts=()), tmp_path))
    assert "purl" not in components["libfast.so.3"]


def test_requirements_and_what_depends_on_what(tmp_path: Path) -> None:
    content = document(a_built_wheel(tmp_path), tmp_path)
    components = by_name(content)
    assert components["numpy"]["scope"] == "required"
    assert said(components["numpy"], "requirement") == ["numpy>=1.23"]
    assert components["blas"]["scope"] == "optional", "only an extra asks for it"
    assert said(components["blas"], "requirement") == ["blas>=3,<4; extra == 'cuda13'"]
    needs = next(d for d in content["dependencies"] if d["ref"] == "wheel")["dependsOn"]
    names = {c["name"] for c in content["components"] if c["bom-ref"] in needs}
    assert names == {"glue", "fast", "fast-devel", "blas", "libgomp1", "numpy"}


def test_a_package_is_one_in_every_spelling_of_its_name(tmp_path: Path) -> None:
    built = a_built_wheel(tmp_path)
    lines = ("Fast.Devel>=3", "fast_devel<4; extra == 'x'", "b.l-a_s (>=3)")
    wheel = tiny_wheel(tmp_path / "again", requires=lines)
    content = document(replace(built, wheel=wheel), tmp_path)
    assert [c["name"] for c in content["components"] if "requirement" in c["bom-ref"]] == [
        "b-l-a-s"
    ]
    assert set(said(by_name(content)["fast-devel"], "requirement")) == set(lines[:2])


def test_tools_images_and_packages_of_the_environment(tmp_path: Path) -> None:
    lock = an_environment("dpkg g++-12 12.2.0-14+deb12u1 amd64", "pip3.11 wheel 0.40.0")
    built = replace(a_built_wheel(tmp_path), environment=lock)
    content = document(built, tmp_path)
    tools = {tool["name"]: tool["version"] for tool in content["metadata"]["tools"]["components"]}
    assert tools == {"bazel": "4.2.3", "gcc": "12.2.0"}
    found = by_name(content)
    assert found["g++-12"]["purl"] == (
        "pkg:deb/debian/g%2B%2B-12@12.2.0-14%2Bdeb12u1?arch=amd64&distro=debian-12"
    )
    assert found["wheel"]["purl"] == "pkg:pypi/wheel@0.40.0"
    base = found["tfbuild/base:bookworm-1"]
    assert (base["type"], said(base, "identity")) == ("container", ["sha256:0"])
    assert {found[name]["scope"] for name in ("g++-12", "wheel", base["name"])} == {"excluded"}
    assert "tfbuild/env:bookworm-1" not in found, "what was made here is another elsewhere"
    other = replace(built, environment=replace(lock, id="sha256:2", image="tfbuild/env:bookworm-2"))
    assert document(other, tmp_path) == content


def test_an_image_of_a_registry_goes_by_its_digest(tmp_path: Path) -> None:
    pulled = an_environment(image="mine", digest="place.example:5000/team/mine@sha256:77", base="")
    content = document(replace(a_built_wheel(tmp_path), environment=pulled), tmp_path)
    (image,) = [c for c in content["components"] if c["type"] == "container"]
    assert (image["name"], image["version"]) == ("place.example:5000/team/mine", "sha256:77")
    url = PackageURL.from_string(image["purl"])
    assert (url.type, url.name, url.version) == ("oci", "mine", "sha256:77")
    assert url.qualifiers == {"repository_url": "place.example:5000/team/mine"}
    own = an_environment(image="mine", base="")
    content = document(replace(a_built_wheel(tmp_path), environment=own), tmp_path)
    assert "purl" not in by_name(content)["mine"]
    assert said(by_name(content)["mine"], "identity") == ["sha256:1"]


def test_the_same_bytes_every_time_and_others_for_other_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    built = a_built_wheel(tmp_path)
    cache = tmp_path / "artifacts"
    text = sbom_text(built, cache)
    assert sbom_text(built, cache) == text
    assert "timestamp" not in text
    assert str(tmp_path) not in text
    other = json.loads(sbom_text(replace(built, plan_id="other"), cache))
    assert other["serialNumber"] != json.loads(text)["serialNumber"]


def test_a_time_only_where_one_is_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    content = document(a_built_wheel(tmp_path), tmp_path)
    assert content["metadata"]["timestamp"] == "2023-11-14T22:13:20+00:00"


def test_a_wheel_alone_has_an_sbom_too(tmp_path: Path) -> None:
    wheel = tiny_wheel(tmp_path, tags="py3-none-any")
    assert (
        document(Provenance(wheel=wheel), tmp_path)["metadata"]["component"]["name"] == "tiny-thing"
    )
    with fails("wheel-missing", "gone-1-py3-none-any.whl"):
        sbom_text(Provenance(wheel=tmp_path / "gone-1-py3-none-any.whl"), tmp_path)


def test_origins_are_looked_up_and_not_walked_for_each_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count, inner = [0], sbom._package_names

    def counted(library: str) -> set[str]:
        count[0] += 1
        return inner(library)

    monkeypatch.setattr(sbom, "_package_names", counted)
    urls = [{"purl": f"pkg:deb/debian/p{number}@{number}"} for number in range(50)]
    urls += [{"purl": "pkg:deb/debian/libx1@2"}, {"purl": "pkg:deb/debian/libx1@3"}]
    parts = json.dumps({"components": urls}).encode()
    wheel = tiny_wheel(
        tmp_path,
        {
            "tiny_thing.libs/libx.so.1": b"\x7fELF",
            "tiny_thing-1.0.dist-info/sboms/auditwheel.cdx.json": parts,
        },
    )
    components = by_name(document(Provenance(wheel=wheel), tmp_path))
    assert components["libx1"]["version"] == "2", "the first of a name"
    assert count == [1]


def libraries_of_one_origin_each(folder: Path, count: int) -> Provenance:
    urls = [{"purl": f"pkg:deb/debian/libx{number}-1@2"} for number in range(count)]
    files = {f"tiny_thing.libs/libx{number}.so.1": b"\x7fELF" for number in range(count)}
    origins = json.dumps({"components": urls}).encode()
    files["tiny_thing-1.0.dist-info/sboms/auditwheel.cdx.json"] = origins
    return Provenance(wheel=tiny_wheel(folder / str(count), files))


def test_the_work_grows_as_the_number_of_libraries_does(tmp_path: Path) -> None:
    calls: Counter[int] = Counter()
    for count in (100, 400):
        built = libraries_of_one_origin_each(tmp_path, count)

        def counted(frame: object, event: str, argument: object, count: int = count) -> None:
            calls[count] += event == "call"

        before = sys.getprofile()
        sys.setprofile(counted)
        try:
            sbom_text(built, tmp_path)
        finally:
            sys.setprofile(before)
    assert calls[400] < 5 * calls[100]


def test_libraries_that_go_by_one_name_are_distinguished_the_same_way_each_time(
    tmp_path: Path,
) -> None:
    files = {f"tiny_thing.libs/libx-{n}2345678.so.1": b"\x7fELF%d" % n for n in range(3)}
    built = Provenance(wheel=tiny_wheel(tmp_path, files))
    content = document(built, tmp_path)
    names = [component["bom-ref"] for component in content["components"]]
    assert names == ["library:libx.so.1", "library:libx.so.1#1", "library:libx.so.1#2"]
    (needs,) = [d["dependsOn"] for d in content["dependencies"] if d["ref"] == "wheel"]
    assert needs == names
    assert document(built, tmp_path) == content


def test_an_sbom_that_is_none_is_named(tmp_path: Path) -> None:
    place = "tiny_thing-1.0.dist-info/sboms/auditwheel.cdx.json"
    wheel = tiny_wheel(tmp_path, {place: b'{"components": [{"purl": 3}]}'})
    with fails("sbom-broken", wheel.name, place):
        sbom_text(Provenance(wheel=wheel), tmp_path)

"""What `tfbuild sbom` prints and refuses."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.built_wheels import a_built_wheel
from tests.failing import fails
from tests.sample_product import a_product_report
from tests.sample_report import an_environment
from tfbuild.commands.sbom import built_from, sbom
from tfbuild.core.lock_file import LockFile, lock_text
from tfbuild.core.paths import file_digest, write_aside
from tfbuild.core.report_seal import is_own, sealed
from tfbuild.products.sbom import product_sbom
from tfbuild.run.report import report_document
from tfbuild.wheels.components import Provenance


def write_lock(built: Provenance, path: Path, **changes: Any) -> Path:
    lock = LockFile(
        wheel=built.wheel.name,
        wheel_sha256=file_digest(built.wheel) if built.wheel.is_file() else "0" * 64,
        plan=built.plan_id,
        versions=built.versions,
        tools=(("bazel", "4.2.3"), ("compiler", "12.2.0")),
        artifacts=built.artifacts,
        environment=built.environment,
    )
    return write_aside(path, lock_text(replace(lock, **changes)))


def test_the_lock_beside_the_wheel_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    held = an_environment("dpkg g++-12 12.2.0-14 amd64", "pip3.11 wheel 1.10")
    built = replace(a_built_wheel(tmp_path), environment=held)
    lock = write_lock(built, built.wheel.with_suffix(".lock.yaml"))
    assert built_from(built.wheel, lock) == built
    sbom(built.wheel, "", "")
    document = json.loads(capsys.readouterr().out)
    assert {"glue", "fast", "g++-12", "wheel"} <= {
        component["name"] for component in document["components"]
    }
    sbom(built.wheel, "", str(tmp_path / "sbom.json"))
    assert json.loads((tmp_path / "sbom.json").read_text()) == document


def test_without_a_lock_it_says_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    built = a_built_wheel(tmp_path)
    sbom(built.wheel, "", "")
    out, err = capsys.readouterr()
    assert "not known" in err
    assert json.loads(out)["bomFormat"] == "CycloneDX"


def test_the_sbom_of_an_archive_is_that_delivered_with_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive = tmp_path / "greet-1.10-linux-x86_64.tar.gz"
    archive.write_bytes(b"an archive")
    report = replace(a_product_report(tmp_path), sha256=file_digest(archive))
    beside = archive.with_name(f"{archive.name}.report.json")
    for document in (sealed(report_document(report)), report_document(report)):
        beside.write_text(json.dumps(document))
        sbom(archive, "", "")
        out, err = capsys.readouterr()
        assert out.strip() == product_sbom(report).strip()
        is_strange = not is_own(document)
        assert ("report-not-own" in err) == ("did not write" in err) == is_strange
    with fails("option-of-wheels", "--lock"):
        sbom(archive, "a.lock.yaml", "")
    archive.write_bytes(b"another")
    with fails("report-of-other-archive", archive.name):
        sbom(archive, "", "")


def test_the_lock_of_a_wheel_that_was_changed_is_refused(tmp_path: Path) -> None:
    built = a_built_wheel(tmp_path)
    lock = write_lock(built, built.wheel.with_suffix(".lock.yaml"))
    built.wheel.write_bytes(built.wheel.read_bytes() + b"more")
    with fails("lock-of-another-wheel", lock.name):
        built_from(built.wheel, lock)


@pytest.mark.parametrize("wheel", ["other-1-py3-none-any.whl", ""])
def test_the_lock_of_another_wheel(tmp_path: Path, wheel: str) -> None:
    built = Provenance(wheel=tmp_path / "a-1-py3-none-any.whl")
    with fails("lock-of-another-wheel", built.wheel.name, wheel):
        built_from(built.wheel, write_lock(built, tmp_path / "a.lock.yaml", wheel=wheel))


def test_a_lock_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "a-1-py3-none-any.whl").touch()
    with fails("lock-missing", str(tmp_path / "gone.yaml")):
        sbom(tmp_path / "a-1-py3-none-any.whl", str(tmp_path / "gone.yaml"), "")

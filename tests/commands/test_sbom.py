"""What `tfbuild sbom` prints and refuses."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.built_wheels import a_built_wheel
from tests.sample_report import an_environment
from tfbuild.commands.sbom import built_from, sbom
from tfbuild.core.environment_lock import environment_document
from tfbuild.core.errors import BadRequest
from tfbuild.core.paths import write_aside
from tfbuild.core.serialization import to_plain
from tfbuild.facts.tables import to_yaml
from tfbuild.wheels.components import Provenance


def write_lock(built: Provenance, path: Path, **changes: object) -> Path:
    document = {
        "schema": "tfbuild.lock/1",
        "wheel": {"filename": built.wheel.name, "sha256": "0" * 64},
        "plan": built.plan_id,
        "versions": dict(built.versions),
        "tools": {"bazel": "4.2.3", "compiler": "12.2.0"},
        "artifacts": [to_plain(artifact) for artifact in built.artifacts],
        "environment": environment_document(built.environment),
    }
    return write_aside(path, to_yaml(document | changes))


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
    sbom(built.wheel, "", str(tmp_path / "bill.json"))
    assert json.loads((tmp_path / "bill.json").read_text()) == document


def test_without_a_lock_it_says_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    built = a_built_wheel(tmp_path)
    sbom(built.wheel, "", "")
    out, err = capsys.readouterr()
    assert "not known" in err
    assert json.loads(out)["bomFormat"] == "CycloneDX"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"wheel": {"filename": "other.whl"}}, "not the lock of"),
        ({"schema": "tfbuild.lock/9"}, "not the lock of"),
        ({"artifacts": [{"distribution": "a"}]}, "no lock of tfbuild"),
        ({"tools": ["bazel"]}, "no lock of tfbuild"),
        ({"environment": ["g++-12"]}, "no lock of tfbuild"),
    ],
)
def test_a_lock_that_is_none(tmp_path: Path, changes: dict[str, object], said: str) -> None:
    built = Provenance(wheel=tmp_path / "a-1-py3-none-any.whl")
    with pytest.raises(BadRequest, match=said):
        built_from(built.wheel, write_lock(built, tmp_path / "a.lock.yaml", **changes))


def test_a_lock_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match="there is no file"):
        sbom(tmp_path / "a-1-py3-none-any.whl", str(tmp_path / "gone.yaml"), "")

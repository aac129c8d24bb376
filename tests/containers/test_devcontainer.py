"""The files of a .devcontainer folder."""

import json
from dataclasses import replace
from pathlib import Path

from tests.fakes import a_host, a_request
from tests.planning import planned
from tfbuild.containers.devcontainer import devcontainer_files
from tfbuild.facts.tables import Tables


def test_it_names_the_dockerfile_beside_it(tables: Tables, tmp_path: Path) -> None:
    request, host = a_request(tmp_path), a_host()
    plan = planned(request, tables, host)
    files = devcontainer_files(plan, "FROM x\n")
    settings = json.loads(files["devcontainer.json"])
    assert files[settings["build"]["dockerfile"]] == "FROM x\n"
    assert settings["remoteUser"] == "builder"
    assert plan.id in settings["name"]
    assert "hostRequirements" not in settings
    assert devcontainer_files(plan, "FROM x\n") == files


def test_a_gpu_is_welcome_and_not_demanded(tables: Tables, tmp_path: Path) -> None:
    request, host = a_request(tmp_path), a_host()
    plan = planned(request, tables, host)
    files = devcontainer_files(replace(plan, device="cuda"), "FROM x\n")
    assert json.loads(files["devcontainer.json"])["hostRequirements"] == {"gpu": "optional"}

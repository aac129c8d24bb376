"""Plans of real facts for machines made up; no engine is asked."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.fakes import FakeRunner, a_host
from tfbuild.builds.decide import decide
from tfbuild.core.interfaces import Tools
from tfbuild.core.paths import Folders
from tfbuild.core.plans import Plan
from tfbuild.core.records import Host, Request
from tfbuild.core.reporter import SilentReporter
from tfbuild.facts.tables import Tables

NOWHERE = Path("/nowhere")


def planned(request: Request, tables: Tables, host: Host | None = None) -> Plan:
    """What is decided of a request for a machine; programs are not run for it."""
    folders = Folders(cache=NOWHERE, work=NOWHERE, run=NOWHERE)
    tools = Tools(
        runner=FakeRunner(), reporter=SilentReporter(), folders=folders, host=host or a_host()
    )
    return decide(request, tables, tools).plan


def placed(plan: Plan, **changes: Any) -> Plan:
    """The plan for another container."""
    return replace(plan, environment=replace(plan.environment, kind="docker", **changes))

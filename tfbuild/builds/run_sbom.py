"""Writes the SBOM of a run beside its report."""

import os
from dataclasses import dataclass
from pathlib import Path

from tfbuild import __version__
from tfbuild.core.interfaces import Environment
from tfbuild.core.outputs import Wheel
from tfbuild.core.paths import write_aside
from tfbuild.core.records import Pairs, Toolchain, Versions
from tfbuild.core.reports import Report
from tfbuild.core.safe_files import parse_json
from tfbuild.core.stage_cache import StageCache
from tfbuild.fetch.damage import drop_damaged_files
from tfbuild.wheels.components import Provenance, sbom_name


@dataclass(frozen=True, slots=True, kw_only=True)
class Sbom:
    """An SBOM as text."""

    text: str


def write_sbom(report: Report, env: Environment, cache: StageCache) -> Path:
    """Write it into the run's folder and return its path."""
    wheel, tools, lock = report.wheel, env.tools, env.toolchain.lock
    built = Provenance(
        wheel=wheel.path,
        plan_id=report.plan.id,
        versions=tuple((c.axis, c.value) for c in report.plan.versions.choices),
        tools=used_tools(env.toolchain, report.plan.versions),
        artifacts=lock.artifacts,
        environment=lock.environment,
    )

    def make() -> Sbom:
        from tfbuild.wheels.sbom import sbom_text

        drop_damaged_files(built.artifacts, tools, in_full=True)
        return Sbom(text=sbom_text(built, tools.folders.artifacts))

    parts: list[object] = [wheel.sha256, built.plan_id, built.versions, built.tools]
    parts += [built.artifacts, built.environment, os.environ.get("SOURCE_DATE_EPOCH", "")]
    sbom = cache.get_or_make("sbom", parts, Sbom, make, holds=lambda sbom: _is_of(sbom, wheel))
    return write_aside(tools.folders.run / sbom_name(wheel.path), sbom.text)


def _is_of(sbom: Sbom, wheel: Wheel) -> bool:
    """Whether a remembered text is a document, and of this wheel."""
    try:
        document = parse_json(sbom.text)
        (digest,) = document["metadata"]["component"]["hashes"]
        return bool(digest["content"] == wheel.sha256)
    except (ValueError, KeyError, TypeError):
        return False


def used_tools(toolchain: Toolchain, versions: Versions) -> Pairs:
    """What a wheel was made with, by name and version."""
    named = {c.axis for c in versions.choices if c.value != "none"}
    return (
        ("tfbuild", __version__),
        ("bazel", toolchain.bazel_version),
        ("clang" if "clang" in named else "gcc", toolchain.compiler_version),
        ("python", toolchain.python_version),
    )

"""The SBOM of a product, as CycloneDX: what is in it, and what it was made with."""

from pathlib import PurePosixPath

from cyclonedx.model.component import Component, ComponentScope, ComponentType
from packageurl import PackageURL

from tfbuild import __version__
from tfbuild.core.environments import EnvironmentLock
from tfbuild.recipes.records import NeededPackage, ProductReport
from tfbuild.wheels.sbom_parts import (
    cyclonedx_text,
    files_component,
    licences,
    own_property,
    sha256_of,
    surroundings,
)

_BINARIES = ("lib", "bin", "libexec", "sbin")


def product_sbom(report: ProductReport) -> str:
    """The SBOM of a finished product as JSON: the same bytes for the same product."""
    plan = report.plan
    needed = [_source(report)]
    packages = {(need.package, need.version): need for need in report.needs if need.package}
    needed += [_package(need, report.environment) for need in packages.values()]
    chosen = [own_property(f"option:{name}", value) for name, value in plan.options]
    chosen += [own_property(f"version:{axis}", value) for axis, value in plan.versions]
    return cyclonedx_text(
        _root(report),
        needed,
        list(surroundings(report.environment)),
        tools=(("tfbuild", __version__), *report.tools),
        properties=[*chosen, own_property("target", plan.target)],
    )


# --- inside ------------------------------------------------------------------------------------


def _root(report: ProductReport) -> Component:
    """The archive, and the libraries and programs in it."""
    plan = report.plan
    binaries = tuple(
        (file.name, file.sha256) for file in report.files
        if not file.target and PurePosixPath(file.name).parts[0] in _BINARIES
    )  # fmt: skip
    return files_component(
        plan.recipe,
        plan.version,
        sha256=report.sha256,
        licence=plan.license,
        files=binaries,
        properties=[own_property("filename", plan.archive), own_property("plan", plan.id)],
    )


def _source(report: ProductReport) -> Component:
    """The source code; of a folder the digest is over its files, which no standard names."""
    plan, is_archive = report.plan, report.plan.source.kind != "folder"
    digest = report.source_sha256
    return Component(
        type=ComponentType.LIBRARY,
        name=f"{plan.recipe} source code",
        version=plan.version,
        bom_ref="source",
        scope=ComponentScope.REQUIRED,
        hashes=[sha256_of(digest)] if is_archive and digest else [],
        licenses=licences(plan.license),
        properties=[own_property("kind", plan.source.kind)]
        + ([] if is_archive else [own_property("files", digest)]),
    )


def _package(need: NeededPackage, environment: EnvironmentLock) -> Component:
    """A package of the system that the product needs where it runs."""
    purl = PackageURL(
        "deb", namespace=environment.system or None, name=need.package, version=need.version
    )
    return Component(
        type=ComponentType.LIBRARY,
        name=need.package,
        version=need.version,
        bom_ref=f"needed:{need.package}",
        purl=purl,
        scope=ComponentScope.REQUIRED,
        properties=[own_property("linkage", "beside")],
    )

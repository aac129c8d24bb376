"""The bill of materials of a C++ library, as CycloneDX: its files, and what it was made with."""

from cyclonedx.model.component import Component, ComponentScope, ComponentType

from tfbuild.core.reports import LibraryReport
from tfbuild.wheels.bill_parts import (
    bill_text,
    files_component,
    licences,
    own_property,
    surroundings,
)
from tfbuild.wheels.libraries import is_library_name

_NAME = "libtensorflow_cc"
_LICENCE = "Apache-2.0"  # TensorFlow's own


def library_bill(report: LibraryReport) -> str:
    """The bill of a delivered folder as JSON: the same bytes for the same libraries.

    Headers are not named one by one. Its digest is that over the libraries, which the audit has.
    """
    plan = report.plan
    libraries = tuple(
        (file.name, file.sha256)
        for file in report.files
        if not file.target and is_library_name(file.name)
    )
    root = files_component(
        _NAME,
        plan.tree.release,
        sha256=report.audit.sha256,
        licence=_LICENCE,
        files=libraries,
        properties=[own_property("folder", report.folder.name), own_property("plan", plan.id)],
    )
    source = Component(
        type=ComponentType.LIBRARY,
        name="TensorFlow source code",
        version=plan.tree.release,
        bom_ref="source",
        scope=ComponentScope.REQUIRED,
        licenses=licences(_LICENCE),
        properties=[own_property("kind", "folder")],
    )
    told = [own_property(f"version:{c.axis}", c.value) for c in plan.versions.choices]
    return bill_text(
        root,
        [source],
        list(surroundings(report.environment)),
        tools=report.tools,
        properties=[*told, own_property("device", plan.device)],
    )

"""TensorFlow's C++ library, out of a source tree."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tfbuild.builds.build_matrix import Subject
from tfbuild.builds.run import Build
from tfbuild.commands.buildable.wheel import BuildableWheel
from tfbuild.commands.context import log_of
from tfbuild.core.interfaces import Tools
from tfbuild.core.reports import Cell, LibraryReport
from tfbuild.facts.installed import open_tables
from tfbuild.facts.targets import target_of


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildableLibrary(BuildableWheel):
    """A folder with the library and its headers: planned as a wheel of the tree is."""

    @property
    def subject(self) -> Subject:
        """Libraries, of whatever cells."""
        return Subject(title="C++ libraries", noun="library")

    def build(self, tools: Tools) -> Build[Any]:
        """The build of the library."""
        from tfbuild.builds.library_build import LibraryBuild

        return LibraryBuild(self.request, open_tables(), tools)

    def report_document(self, report: LibraryReport) -> dict[str, Any]:  # type: ignore[override]
        """The report as a JSON document."""
        from tfbuild.builds.library_build import library_document

        return library_document(report)

    def report_text(self, report: LibraryReport, run: Path) -> str:  # type: ignore[override]
        """The folder of the library."""
        del run  # all of it lies beside the folder
        return f"{report.folder}\n"

    def finished(self, cell: Cell, report: LibraryReport, tools: Tools) -> Cell:  # type: ignore[override]
        """The cell with its folder."""
        folder = report.folder
        return replace(
            cell,
            state="passed",
            product=str(folder),
            beside=(("bill", f"{folder}.cdx.json"),),
            tag=target_of(tools.host).version,
            size=sum(file.size for file in report.files if not file.target),
            report=f"{folder}.report.html",
            log=log_of(tools),
        )

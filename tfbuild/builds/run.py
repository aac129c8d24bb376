"""What a kind of build is, and what each of its stages gets; `run/execute` carries one out."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Protocol, TypeVar

import tfbuild
from tfbuild.builds.timeline import Timeline
from tfbuild.core.interfaces import Tools
from tfbuild.core.reports import BuildReport
from tfbuild.facts.tables import Tables

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a build: its tools, its stages so far, and what is closed at its end."""

    tools: Tools
    timeline: Timeline
    stack: ExitStack

    def announce(self, *names: str) -> None:
        """Let the reporter know which stages are to come."""
        self.tools.reporter.to_come(names)

    def stage(
        self, name: str, work: Callable[[], Result], summary: Callable[[Result], str] = lambda _: ""
    ) -> Result:
        """The result of a stage; summary says in a few words what that is."""
        return self.timeline.run(name, work, summary)

    def opened(
        self,
        name: str,
        place: AbstractContextManager[Result],
        summary: Callable[[Result], str] = lambda _: "",
    ) -> Result:
        """What a stage opens; it stays open to the end of the run."""
        return self.stage(name, lambda: self.stack.enter_context(place), summary)

    def begun(self, kind: Callable[..., Result], **decided: object) -> Result:
        """A report of this run, of which nothing is known but what was decided."""
        return kind(
            run_id=self.tools.folders.run.name,
            started_at=self.timeline.started_at,
            tfbuild_version=tfbuild.__version__,
            host=self.tools.host,
            **decided,
        )


class Wanted(Protocol):
    """What every request for a build says."""

    @property
    def output(self) -> Path:
        """The folder of what is delivered."""

    @property
    def deadline(self) -> str:
        """When to stop; empty for never."""


AnyRequest = TypeVar("AnyRequest", bound=Wanted)
AnyReport = TypeVar("AnyReport", bound=BuildReport)


@dataclass(frozen=True, slots=True)
class RequestedBuild(Generic[AnyRequest]):
    """What the kinds of build have in common."""

    request: AnyRequest
    tables: Tables
    tools: Tools

    @property
    def output(self) -> Path | None:
        """The folder of what is delivered."""
        return self.request.output

    @property
    def deadline(self) -> str:
        """When to stop; empty for never."""
        return self.request.deadline

    @property
    def is_cached(self) -> bool:
        """What Bazel compiles is in the cache."""
        return True


class Build(Protocol[AnyReport]):
    """One kind of build, as `execute` asks it to plan, to build and prove, and to deliver."""

    @property
    def output(self) -> Path | None:
        """The folder of what is delivered; None where what is built stays where it is."""

    @property
    def deadline(self) -> str:
        """When to stop; empty for never."""

    @property
    def is_cached(self) -> bool:
        """Whether what was compiled is in the cache, and not in the work folder alone."""

    def decide(self, run: Run) -> AnyReport:
        """The report with its plan, which is written into the folder of the run."""

    def build(self, report: AnyReport, run: Run) -> Iterator[AnyReport]:
        """The report as it grows, stage by stage; raises what is wrong with what was made."""

    def made(self, report: AnyReport) -> Path | None:
        """What was made and is not delivered; None where there is no such file."""

    def deliver(self, report: AnyReport, run: Run) -> AnyReport:
        """The report of what is in the output folder now, which is touched here alone."""

    def write(self, report: AnyReport, folder: Path) -> Path:
        """Write the report into the folder of the run, and return the path of its page."""

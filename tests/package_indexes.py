"""An index in memory: projects, file names, and what METADATA in a wheel says."""

from dataclasses import dataclass, field
from email.message import Message
from email.parser import Parser

from tfbuild.fetch.simple_api import IndexFile
from tfbuild.wheels.wheel_file import parse_name


def a_file(filename: str, *, requires_python: str = "", is_yanked: bool = False) -> IndexFile:
    """A wheel by its name."""
    return IndexFile(
        name=parse_name(filename),
        filename=filename,
        url=f"https://files.example/{filename}",
        requires_python=requires_python,
        is_yanked=is_yanked,
    )


def wheels(
    project: str, version: str, *tags: str, requires_python: str = "", is_yanked: bool = False
) -> tuple[IndexFile, ...]:
    """Wheels of one version, one per tag such as cp311-manylinux2014_x86_64 or py3-any."""
    found = []
    for tag in tags:
        python, _, platform = tag.partition("-")
        abi = python if python.startswith("cp") else "none"
        python = python.removesuffix("t")
        name = f"{project.replace('-', '_')}-{version}-{python}-{abi}-{platform}.whl"
        found.append(a_file(name, requires_python=requires_python, is_yanked=is_yanked))
    return tuple(found)


@dataclass
class FakeIndex:
    """Answers from what it was given, and remembers what it was asked."""

    projects: dict[str, tuple[IndexFile, ...]] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)  # version -> METADATA of its wheels
    asked: list[str] = field(default_factory=list)

    def files(self, project: str) -> tuple[IndexFile, ...]:
        self.asked.append(project)
        return self.projects.get(project, ())

    def metadata(self, file: IndexFile) -> Message | None:
        self.asked.append(file.filename)
        text = self.texts.get(file.version)
        return Parser().parsestr(text) if text is not None else None

"""Checks of what a wheel says about itself: once each, without contradiction, and what it needs."""

from collections.abc import Iterator
from email.message import Message

from packaging.requirements import Requirement

from tfbuild.core.counts import counted
from tfbuild.core.errors import BadRequest
from tfbuild.core.reports import AuditFinding
from tfbuild.wheels.audit_subject import AuditSubject, judged
from tfbuild.wheels.requirements import read_requirements
from tfbuild.wheels.wheel_file import WheelContent, is_info_of

# What can be true once only; a reader takes the first line or the last.
_ONCE = ("Metadata-Version", "Name", "Version", "Requires-Python", "License-Expression")
_WHEEL_ONCE = ("Wheel-Version", "Root-Is-Purelib", "Build")
_BUILD_TAG_PARTS = 6  # of a file name that has a build tag


def check_metadata(subject: AuditSubject) -> AuditFinding:
    """Whether METADATA, WHEEL and the names of file and folder say each thing once."""
    content = subject.content
    wrong = [*_repeated("METADATA", content.metadata, _ONCE)]
    wrong += _repeated("WHEEL", content.wheel, _WHEEL_ONCE)
    if not is_info_of(content.dist_info, content.name):
        wrong.append(f"the folder {content.dist_info} is another's")
    wrong += _build_tag(content)
    unasked = []
    if subject.libraries and str(content.wheel["Root-Is-Purelib"]).strip().lower() == "true":
        unasked.append("WHEEL calls it pure Python, and it holds machine code")
    return judged(
        subject,
        "metadata",
        asked="each thing is said once",
        built=content.dist_info,
        wrong=wrong,
        unasked=unasked,
    )


def check_requirements(subject: AuditSubject) -> AuditFinding:
    """Whether what it requires is named for an index to find, not by an address to fetch from."""
    try:
        asked = read_requirements(subject.content.metadata)
    except BadRequest as error:
        asked, wrong = {}, [f"METADATA: {error.message}"]
    else:
        wrong = []
    return judged(
        subject,
        "requirements",
        asked="names and versions",
        built="; ".join(asked) or "none",
        wrong=wrong,
        unasked=[f"'{line}' names an address" for line in _by_address(asked)],
    )


# --- inside ------------------------------------------------------------------------------------


def _repeated(file: str, message: Message, keys: tuple[str, ...]) -> list[str]:
    return [
        f"{file} has {counted(len(lines), 'line')} {key}: {' and '.join(map(str, lines[:3]))}"
        for key in keys
        if len(lines := message.get_all(key, [])) > 1
    ]


def _build_tag(content: WheelContent) -> list[str]:
    parts = content.path.stem.split("-")
    named = parts[2] if len(parts) == _BUILD_TAG_PARTS else ""
    said = str(content.wheel["Build"] or "").strip()
    return [f"WHEEL has the build tag {said}, its name {named}"] if said not in {"", named} else []


def _by_address(asked: dict[str, Requirement]) -> Iterator[str]:
    return (line for line, requirement in asked.items() if requirement.url)

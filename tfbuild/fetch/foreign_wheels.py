"""Wheels for a Python of another system, as in a container, and out of several indexes: uv chooses.

pip cannot: with --python-version it takes files for that Python, yet reads the conditions in
requirements, and the Pythons that a release is for, as the Python that runs pip. It also takes the
highest version of all indexes.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from packaging.tags import Tag, compatible_tags, cpython_tags
from packaging.utils import parse_wheel_filename

from tfbuild.core.errors import BadRequest
from tfbuild.core.interfaces import Tools
from tfbuild.core.memory_file import memory_file
from tfbuild.core.records import Artifact, Command, Pairs
from tfbuild.core.safe_files import parse_toml
from tfbuild.core.versions import contains
from tfbuild.facts.targets import target_of
from tfbuild.fetch.http import certificates
from tfbuild.fetch.package_index import PackageIndex
from tfbuild.fetch.pip_config import PipConfig, ask_pip
from tfbuild.fetch.pip_report import file_of, understood
from tfbuild.fetch.requirement_lines import barred_line, wanted_line
from tfbuild.wheels.manylinux import loadable_platforms

_SECONDS = 3600.0  # for an answer of the indexes
_GLIBC = (17, 28, *range(31, 41))  # 2.N: the platforms that uv knows


def resolve_foreign(
    requirements: Sequence[str],
    tools: Tools,
    *,
    version: str,
    kind: str,
    limits: Sequence[str] = (),
) -> tuple[Artifact, ...]:
    """All files for requirements in a fresh environment of a Python of the guest's system, by name.

    limits are requirements that count only for what is chosen anyhow. The indexes are those of
    pip. Raises CommandFailed where there is no answer, FetchFailed where it is not understood or
    an index cannot be asked, and BadRequest where a requirement is more than a name with versions.
    """
    pip = ask_pip(tools.runner)
    barred: tuple[str, ...] = ()
    while True:
        found = _ask_uv(requirements, pip, tools, version, kind, (*limits, *barred))
        unfit = tuple(word for word in _unfit(found, pip, version) if word not in barred)
        if not unfit:
            return found
        barred += unfit


def platform_name(tools: Tools) -> str:
    """The newest platform known to uv whose wheels the guest's system can load."""
    minor = int(tools.host.glibc.partition(".")[2] or 0)
    fitting = max((known for known in _GLIBC if known <= minor), default=_GLIBC[0])
    return f"{tools.host.machine}-manylinux_2_{fitting}"


def wheel_tags(version: str, tools: Tools) -> list[Tag]:
    """What a CPython of the guest's system can load, the closest first, as pip prefers it."""
    python = tuple(int(part) for part in version.split(".")[:2])
    platforms = loadable_platforms(tools.host.glibc, target_of(tools.host))
    interpreter = "cp" + "".join(str(part) for part in python)
    return [
        *cpython_tags(python, platforms=platforms),
        *compatible_tags(python, interpreter, platforms),
    ]


def read_answer(text: str, kind: str, tags: Sequence[Tag]) -> tuple[Artifact, ...]:
    """The wheel of each package of a pylock.toml (PEP 751) that comes first by its tags.

    uv names all that fit, as one for a platform and one for all. Raises FetchFailed for anything
    else.
    """
    ranks = {tag: rank for rank, tag in enumerate(tags)}

    def read() -> list[Artifact]:
        return [_artifact(package, kind, ranks) for package in parse_toml(text).get("packages", [])]

    return understood("uv", read, "install tfbuild again: it brings the uv that it knows")


# --- inside ------------------------------------------------------------------------------------


def _unfit(found: Sequence[Artifact], pip: PipConfig, version: str) -> Iterator[str]:
    """Constraints against releases that are for older Pythons alone: uv reads no upper bound."""
    if not pip.indexes:
        return
    index = PackageIndex(pip)
    for artifact in found:
        files = {file.filename: file for file in index.files(artifact.distribution)}
        file = files.get(artifact.filename)
        if file and not _is_for(file.requires_python, version):
            yield barred_line(artifact)


def _is_for(pythons: str, version: str) -> bool:
    try:
        return not pythons or contains(pythons, version)
    except BadRequest:  # it says nothing that pip would understand
        return True


def _ask_uv(  # noqa: PLR0917  (the words of one question)
    requirements: Sequence[str],
    pip: PipConfig,
    tools: Tools,
    version: str,
    kind: str,
    limits: Sequence[str],
) -> tuple[Artifact, ...]:
    question = "".join(f"{wanted_line(text)}\n" for text in requirements)
    limited = "".join(f"{wanted_line(text)}\n" for text in limits)
    # pip's settings may hold passwords: they are on no disk.
    with (
        memory_file(_settings(pip)) as settings,
        memory_file(question) as asked,
        memory_file(limited) as constraints,
    ):
        answer = tools.runner.run(
            Command(
                argv=(
                    *(_uv(), "pip", "compile", "--quiet", "--no-cache", "--config-file", settings),
                    *("--python-version", version, "--python-platform", platform_name(tools)),
                    *("--no-python-downloads", "--only-binary", ":all:", "--no-header"),
                    *(f"--constraint={_whole(place)}" for place in pip.constraints),
                    *([f"--constraint={constraints}"] if limits else []),
                    *("--format", "pylock.toml", asked),
                ),
                purpose="resolve " + ", ".join(requirements),
                env=_trust(pip),
                cwd="/",  # else it asks an interpreter that it finds in a .venv around here
                timeout=_SECONDS,
                quiet=True,
            )
        )
        return read_answer(answer.stdout, kind, wheel_tags(version, tools))


def _uv() -> str:
    import uv

    return str(uv.find_uv_bin())


def _settings(pip: PipConfig) -> str:
    """pip's settings as a uv.toml; a package comes from the first index that has it, and no other.

    Else whoever can put a file on the second one decides what a package of the first one is.
    """
    lines = ['index-strategy = "first-index"']
    found = [_whole(place) for place in pip.find_links]
    lines += [f"find-links = {json.dumps(found)}"] if found else []
    if pip.access.trusted_hosts:
        lines.append(f"allow-insecure-host = {json.dumps(list(pip.access.trusted_hosts))}")
    if pip.access.proxy:
        proxy = json.dumps(pip.access.proxy)
        lines += [f"http-proxy = {proxy}", f"https-proxy = {proxy}"]
    lines += [] if pip.indexes else ["no-index = true"]
    for number, address in enumerate(pip.indexes):
        is_default = json.dumps(number == len(pip.indexes) - 1)  # uv asks the default one last
        lines += ["[[index]]", f"url = {json.dumps(address)}", f"default = {is_default}"]
    return "\n".join(lines) + "\n"


def _whole(place: str) -> str:
    """An address, or a path as pip understands it, which uv would look for elsewhere."""
    return place if "://" in place else os.path.abspath(place)  # noqa: PTH100  (one word)


def _trust(pip: PipConfig) -> Pairs:
    """The certificates as variables that uv reads, which has none of the system by itself."""
    found = certificates(pip.access)
    named = [("SSL_CLIENT_CERT", pip.access.client_cert)] if pip.access.client_cert else []
    if isinstance(found, str):
        named.append(("SSL_CERT_DIR" if Path(found).is_dir() else "SSL_CERT_FILE", found))
    return tuple(named)


def _artifact(package: dict[str, Any], kind: str, ranks: Mapping[Tag, int]) -> Artifact:
    def rank(wheel: dict[str, Any]) -> int:
        _, _, _, tags = parse_wheel_filename(_filename(wheel))
        return min(ranks.get(tag, len(ranks)) for tag in tags)

    wheel = min(package["wheels"], key=rank)
    return Artifact(
        distribution=package["name"],
        version=package["version"],
        filename=_filename(wheel),
        sha256=wheel["hashes"]["sha256"],
        kind=kind,
    )


def _filename(wheel: dict[str, Any]) -> str:
    return wheel.get("name") or file_of(wheel.get("url") or wheel["path"])

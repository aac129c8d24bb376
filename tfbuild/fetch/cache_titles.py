"""What the things in the cache are, in words that people know: digests say nothing to anybody."""

import re
from pathlib import Path

from tfbuild.core.layout import ARTIFACTS, BAZEL_OUTPUTS, RESOLUTIONS, SOURCES, TOOLKITS, UNPACKED
from tfbuild.core.safe_files import parse_json, text_of

_MOST = 72  # letters: a table must fit on a screen
# In the outputs of a Bazel: the folder that they are made of.
_WORKSPACE = "DO_NOT_BUILD_HERE"
_CUDART = re.compile(r"define CUDART_VERSION +(\d+)")


def title_of(kind: str, path: Path, cache: Path) -> str:
    """What an entry of a place of the cache is; its name where nothing else is known."""
    titles = {
        ARTIFACTS.name: _file_in,
        SOURCES.name: _file_in,
        UNPACKED.name: lambda path: (
            _file_in(ARTIFACTS.path(cache) / ARTIFACTS.below / path.name) or _distribution(path)
        ),
        BAZEL_OUTPUTS.name: lambda path: text_of(path / _WORKSPACE),
        TOOLKITS.name: _toolkit,
        RESOLUTIONS.name: _question,
    }
    found = titles[kind](path) if kind in titles else ""
    line = found.strip().partition("\n")[0]
    return _short(line) if line.isprintable() and line else path.name


def _short(line: str) -> str:
    """Both ends of a line that is long: of a path, the last part says most."""
    half = _MOST // 2
    return line if len(line) <= _MOST else f"{line[:half]}...{line[-half:]}"


def _file_in(folder: Path) -> str:
    """The name of the one file that was fetched under a digest."""
    names = [path.name for path in folder.glob("[!.]*") if path.suffix != ".part"]
    return names[0] if len(names) == 1 else ""


def _distribution(folder: Path) -> str:
    """Name and version of an unpacked wheel."""
    return ", ".join(path.stem for path in sorted(folder.glob("*.dist-info")))


def _toolkit(folder: Path) -> str:
    found = _CUDART.search(text_of(folder / "include" / "cuda_runtime_api.h"))
    return f"CUDA {int(found[1]) // 1000}.{int(found[1]) % 1000 // 10}" if found else ""


def _question(path: Path) -> str:
    """What pip was asked, and for which Python; other answers have their subject as words."""
    try:
        subject = str(parse_json(text_of(path))["subject"])
    except (ValueError, KeyError, TypeError):
        return ""
    try:
        asked, version = parse_json(subject)[:2]
        return f"{', '.join(asked)} for Python {version}"
    except (ValueError, KeyError, TypeError):
        return subject

"""Pages of a package index: the files of one project, out of JSON (PEP 691) or HTML (PEP 503)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

from packaging.utils import canonicalize_name

from tfbuild.core.counts import counted
from tfbuild.core.errors import BadRequest, FetchFailed
from tfbuild.core.masking import mask_address
from tfbuild.core.safe_files import parse_json
from tfbuild.fetch.http import Page
from tfbuild.wheels.wheel_file import WheelName, parse_name

JSON = "application/vnd.pypi.simple.v1+json"
HTML = "application/vnd.pypi.simple.v1+html"
# What a page may hold: the largest projects have some 20,000 files, at addresses of 200 letters.
_MOST_FILES, _LONGEST_ADDRESS = 50_000, 2_000
# Python's reader takes time by the square of what is not finished: a tag without an end.
_FED_AT_ONCE, _MOST_UNFINISHED = 16_384, 32_768
ACCEPT = f"{JSON}, {HTML};q=0.2, text/html;q=0.01"


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexFile:
    """One wheel on an index."""

    name: WheelName
    filename: str
    url: str = field(repr=False)  # may hold a password
    requires_python: str = ""
    is_yanked: bool = False
    has_metadata: bool = False  # the index offers its METADATA beside it (PEP 658)
    metadata_sha256: str = ""
    sha256: str = ""  # as the page says; often empty

    @property
    def version(self) -> str:
        """The version in the file's name."""
        return self.name.version


def read_page(page: Page, project: str) -> tuple[IndexFile, ...]:
    """The wheels of a project that its page lists; FetchFailed when it is no such page."""
    if len(page.url) > _LONGEST_ADDRESS:
        raise _NoIndex(page, "its address is too long", code="index-page-malformed")
    if page.kind == JSON:
        found = _from_json(page)
    elif page.kind in {HTML, "text/html"}:
        found = _from_html(page)
    else:
        raise _NoIndex(
            page, f"it answered with {page.kind or 'no content type'}", code="index-page-kind"
        )
    wheels = [file for file in (_wheel(page, entry) for entry in found) if file is not None]
    safe = [file for file in wheels if not _leaves_tls(page, file)]
    if wheels and not safe:
        said = "it came by https, and its links lead to http, where anybody on the way could answer"
        raise _NoIndex(page, said, code="index-links-leave-tls")
    return tuple(file for file in safe if file.name.name == canonicalize_name(project))


# --- inside ------------------------------------------------------------------------------------


class _NoIndex(FetchFailed):
    def __init__(self, page: Page, why: str, *, code: str) -> None:
        super().__init__(
            f"{mask_address(page.url)} is not a page of a package index",
            code=code,
            why=why,
            hint="see `python -m pip config list`: an index address usually ends in /simple",
        )


def _from_json(page: Page) -> list[Mapping[str, Any]]:
    try:
        document = parse_json(page.content)
        api = str(document["meta"]["api-version"])
        entries = document["files"]
    except (ValueError, KeyError, TypeError) as error:
        raise _NoIndex(
            page, f"its JSON is not understood: {error}", code="index-page-malformed"
        ) from error
    if api.partition(".")[0] != "1":
        said = f"it speaks version {api} of the index API, tfbuild knows 1"
        raise _NoIndex(page, said, code="index-api-unknown")
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise _NoIndex(page, "its 'files' are not a list of files", code="index-files-no-list")
    _require_few(page, entries)
    return entries


def _require_few(page: Page, entries: Sequence[object]) -> None:
    if len(entries) > _MOST_FILES:
        said = (
            f"it lists {counted(len(entries), 'file')}, and no more than {_MOST_FILES:,} are read"
        )
        raise _NoIndex(page, said, code="index-page-malformed")


def _from_html(page: Page) -> list[Mapping[str, Any]]:
    reader = _Anchors()
    try:
        text = page.text
        for start in range(0, len(text), _FED_AT_ONCE):
            reader.feed(text[start : start + _FED_AT_ONCE])
            if len(reader.rawdata) > _MOST_UNFINISHED:
                raise _NoIndex(page, "a tag of it has no end", code="index-page-malformed")
            _require_few(page, reader.found)
        reader.close()
    except AssertionError as error:  # how Python's reader refuses a declaration such as <![*
        raise _NoIndex(
            page, f"its HTML cannot be read: {error}", code="index-page-malformed"
        ) from error
    if reader.found and not any("." in str(entry["url"]) for entry in reader.found):
        raise _NoIndex(page, "its links do not lead to files", code="index-without-files")
    base = _joined(page.url, reader.base) or page.url
    return [{**entry, "url": _joined(base, entry["url"])} for entry in reader.found]


def _joined(base: str, link: str) -> str:
    """The address that a link leads to; empty where it is none, such as `http://[`, or too long."""
    if len(link) > _LONGEST_ADDRESS:
        return ""
    try:
        joined = urljoin(base, link)
        urlsplit(joined)
    except ValueError:
        return ""
    return joined


class _Anchors(HTMLParser):
    """Collects links in the words of the JSON pages."""

    def __init__(self) -> None:
        super().__init__()
        self.base = ""
        self.found: list[dict[str, Any]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep what a link and its attributes say."""
        said = dict(attrs)
        if tag == "base" and not self.base:
            self.base = said.get("href") or ""
        if tag == "a" and said.get("href"):
            self.found.append(
                {
                    "url": said["href"],
                    "requires-python": said.get("data-requires-python"),
                    "yanked": "data-yanked" in said,
                    "core-metadata": _metadata(
                        said.get("data-core-metadata", said.get("data-dist-info-metadata"))
                    ),
                }
            )


def _metadata(attribute: str | None) -> bool | dict[str, str]:
    """The attribute `sha256=...` or `true` as JSON would say it."""
    if attribute is None or attribute == "false":
        return False
    name, equals, value = attribute.partition("=")
    return {name: value} if equals else True


def _sha256(entry: Mapping[str, Any], url: str) -> str:
    """The hash that a page gives for a file: in JSON its own field, in HTML behind the address."""
    hashes = entry.get("hashes")
    name, _, digest = url.partition("#")[2].partition("=")
    said = hashes.get("sha256", "") if isinstance(hashes, dict) else digest * (name == "sha256")
    return str(said).lower()


def _leaves_tls(page: Page, file: IndexFile) -> bool:
    """Whether a file would be asked for, with the login of its host, where others can listen."""
    return page.url.startswith("https:") and not file.url.startswith("https:")


def _wheel(page: Page, entry: Mapping[str, Any]) -> IndexFile | None:
    """One entry as a file; None for what is no wheel, or must not be followed."""
    url = _joined(page.url, str(entry.get("url", "")))
    parts = urlsplit(url)
    allowed = {"http", "https"} if page.url.startswith("http") else {"http", "https", "file"}
    if parts.scheme not in allowed:  # a page from the net does not point into this machine
        return None
    filename = unquote(parts.path.rpartition("/")[2])
    try:
        name = parse_name(filename)
    except BadRequest:
        return None
    metadata = entry.get("core-metadata", entry.get("dist-info-metadata", False))
    digest = metadata.get("sha256", "") if isinstance(metadata, dict) else ""
    return IndexFile(
        name=name,
        filename=filename,
        url=url.partition("#")[0],
        requires_python=str(entry.get("requires-python") or "").replace(" ", ""),
        is_yanked=entry.get("yanked", False) is not False,
        has_metadata=bool(metadata),
        metadata_sha256=str(digest),
        sha256=_sha256(entry, url),
    )

"""Where the files of a wheel are installed: in the site folder, or where .data sends them."""

from collections.abc import Iterable
from dataclasses import dataclass

from tfbuild.wheels.wheel_file import WheelContent

SITE = "site"
SCHEMES = ("purelib", "platlib", "headers", "scripts", "data")
_IN_SITE = {"purelib", "platlib"}  # one folder on Linux, and the one of everything else


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """One file of a wheel, and its place below the folder that its scheme names."""

    name: str
    scheme: str  # SITE, or one of SCHEMES; another word where installers know none such
    below: str

    @property
    def path(self) -> str:
        """One text for a place: of the site folder as it is, of others after their scheme."""
        return self.below if self.scheme == SITE else f"{self.scheme}: {self.below}"


def installed_paths(content: WheelContent, names: Iterable[str] = ()) -> tuple[Installed, ...]:
    """The places of all files of the wheel, or of those that are named."""
    data = content.dist_info.removesuffix(".dist-info") + ".data"
    return tuple(_place(name, data) for name in names or content.files)


def _place(name: str, data: str) -> Installed:
    top, _, rest = name.partition("/")
    if top != data:
        return Installed(name=name, scheme=SITE, below=name)
    scheme, _, below = rest.partition("/")
    return Installed(name=name, scheme=SITE if scheme in _IN_SITE else scheme, below=below)

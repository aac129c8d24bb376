"""Who may obey what a wheel installs outside of the site folder; only harmless places pass.

A list of what other programs read would never be whole; that of harmless places is short.
"""

import re
from collections.abc import Iterator

from packaging.utils import canonicalize_name

from tfbuild.wheels.installation import Installed

# Below the prefix: that of an environment, of conda, ~/.local, or /usr.
_SYSTEMS = re.compile(
    r"(?:s?bin|lib\w*|usr|boot|dev|root|home|var|run|proc|sys|srv|opt|tmp|mnt|media"
    r"|conda-meta|condabin|envs|pkgs|ssl|state)/|etc/(?!jupyter/)|pyvenv\.cfg$"
)
# Its kernels are programs, its extensions are loaded as soon as they are there, and its settings
# and templates are code or name some.
_JUPYTERS = re.compile(r"(?:share|etc)/jupyter/")
# Folders that programs share, which are nobody's own whatever a distribution is called: lists of
# parts (*.d), what shells, editors, desktops and compilers load, other environments and Pythons.
_OBEYED = re.compile(
    r"(?:[^/]+/)+[^/]+\.d/"
    r"|share/(?:bash-completion|zsh|fish|systemd|dbus-1|polkit-1|autostart|gdb|emacs|n?vim|git-core"
    r"|xsessions|wayland-sessions|gnome-shell|perl\d*|pam-configs|initramfs-tools|apport"
    r"|applications|desktop-directories|mime|mime-info|thumbnailers|metainfo|appdata|fonts|X11"
    r"|glib-2\.0|gtk-\d\.0|gir-1\.0|vala|nautilus|nautilus-python|plasma|kservices\d|themes|sounds"
    r"|cmake[\d.-]*|aclocal[\d.-]*|pkgconfig|locale|info|terminfo|xml|sgml|ca-certificates|keyrings"
    r"|uv|pipx|virtualenv|pypoetry|hatch|pdm|tfbuild|containers|nix|python\d*|node|nodejs"
    r"|node_modules|lua|ruby|gem|guile|tcltk|vulkan|glvnd|alsa|bash|profile|dpkg|apt|bug)/"
)
# What compilers take for the system's: the prefix is often /usr/local, which they search first.
_SYSTEMS_HEADERS = re.compile(
    r"include/(?:sys|linux|bits|gnu|asm[\w-]*|net\w*|arpa|rpc|scsi|sound|video|rdma|misc|mtd|drm"
    r"|c\+\+|std\w*|openssl|cuda|[\w-]+-linux-\w+|python[\d.]*\w*|protocols|finclude|cxxabi|math"
    r"|ctype|errno|signal|time|unistd|wchar|features|alloca|assert|limits|locale|pthread|dlfcn"
    r"|fcntl|poll|sched|semaphore|setjmp|zlib|zconf|ffi\w*|bzlib|lzma|expat\w*|sqlite3\w*|ncurses"
    r"|readline)(?:\.h)?(?:/|$)"
)
_OBEYING = (
    (re.compile(r"(?:.*/)?\.\.?/"), "leads elsewhere"),
    (_SYSTEMS, "goes to a folder of the system"),
    (_JUPYTERS, "goes where Jupyter runs or obeys what it finds"),
    (_OBEYED, "goes where other programs run or obey what they find"),
    (_SYSTEMS_HEADERS, "goes among the headers of the system"),
)
_UNKNOWN = (
    (
        re.compile(r"[^/]*$"),
        "lies at the top of the environment, where pip and others look for settings",
    ),
    (re.compile(r"include/"), "goes where compilers look for headers of others"),
    (re.compile(r""), "goes to a folder that is not the package's own, where others may obey it"),
)
# Texts and pictures that nobody runs.
_HARMLESS = re.compile(
    r"share/(?:doc|licen[cs]es|icons)/[^/]+/.+"
    r"|share/man/(?:[\w.@]+/)?man\w+/[^/]+"
    r"|(?i:licen[cs]e|copying|notice|authors|readme|changelog|changes|history|news)"
    r"[\w-]*(?:\.(?:txt|md|rst))?"
)
_OWN = re.compile(r"(?:share/([^/]+)/.+|include/([^/]+?)(?:/.+|\.h|\.hpp))")
# Folders among Python's own headers, where installers make one for each distribution.
_PYTHONS_HEADERS = {"cpython", "internal"}


def obeyed(place: Installed, own: str) -> Iterator[str]:
    """Why a file of a scheme beside the site folder is not harmless in any wheel; mostly nothing.

    own is the name of the distribution, as package indexes write it.
    """
    if place.scheme == "headers" and own in _PYTHONS_HEADERS:
        yield "goes among the headers of Python"
    elif place.scheme == "data" and (why := _why(place.below, own)):
        yield why


def _why(below: str, own: str) -> str:
    if why := _first(_OBEYING, below):
        return why
    named = _OWN.fullmatch(below)
    is_own = named is not None and canonicalize_name(named[1] or named[2]) == own
    return "" if is_own or _HARMLESS.fullmatch(below) else _first(_UNKNOWN, below)


def _first(reasons: tuple[tuple[re.Pattern[str], str], ...], below: str) -> str:
    return next((why for pattern, why in reasons if pattern.match(below)), "")

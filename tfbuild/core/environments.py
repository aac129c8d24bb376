"""The frozen records of where a build runs: systems, containers, caches and other machines."""

from dataclasses import dataclass, field
from typing import Literal

from tfbuild.core.identity import BESIDE_ID

_Pairs = tuple[tuple[str, str], ...]
EnvironmentKind = Literal["host", "docker"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """A package of an image."""

    manager: str  # dpkg, or pip and the Python that it is for: pip3.11
    name: str  # as its manager calls it
    version: str  # as its manager writes it
    architecture: str = ""  # amd64; empty for packages of Python


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvironmentLock:
    """What a container builds in; all empty for this machine, where that cannot be known."""

    image: str = ""  # its name; empty: no container
    id: str = ""  # identity of the image, by the engine
    digest: str = ""  # name with the digest of the registry; empty: it is of no registry
    base: str = ""  # name of the image that it was made on; empty: not known
    base_id: str = ""  # identity of that one; empty where its name may mean another by now
    system: str = ""  # ID of its /etc/os-release: debian
    release: str = ""  # VERSION_ID of its /etc/os-release: 12
    packages: tuple[Package, ...] = ()  # all that it holds


NO_ENVIRONMENT = EnvironmentLock()


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    """A release of a distribution, and the versions in its own packages by axis."""

    name: str = ""  # the distribution and its release: debian 12
    suite: str = field(default="", metadata=BESIDE_ID)  # code name of the release: bookworm
    glibc: str = field(default="", metadata=BESIDE_ID)  # version of its C library: 2.36
    ends: str = field(default="", metadata=BESIDE_ID)  # the last day of its updates: 2026-08-31
    # axis -> versions in its own packages
    offers: tuple[tuple[str, tuple[str, ...]], ...] = field(default=(), metadata=BESIDE_ID)

    @property
    def family(self) -> str:
        """The distribution: debian."""
        return self.name.partition(" ")[0]

    @property
    def image(self) -> str:
        """The image under which registries have it: debian:bookworm."""
        return f"{self.family}:{self.suite}"

    def offered(self, axis: str) -> tuple[str, ...]:
        """The versions of an axis in its packages; none where there is no such package."""
        return dict(self.offers).get(axis, ())


NO_SYSTEM = System()


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvironmentPlan:
    """Where a plan is carried out: this machine, or a container of a system or a named image."""

    kind: EnvironmentKind = "host"  # this machine, or a container
    system: System = NO_SYSTEM  # whose packages the image is made of; empty where one is named
    # the image that was named; empty: one is made
    image: str = field(default="", metadata=BESIDE_ID)
    image_id: str = ""  # identity of that image: a name may mean another one tomorrow
    base: str = ""  # image that its own is made on; empty: that of the system
    cpus: float = 0.0  # processors of the container; 0: all
    memory_mb: int = 0  # of the container, in MB; 0: all
    # processes and threads of the container, at most; 0: as usual
    pids: int = field(default=0, metadata=BESIDE_ID)
    # what a lock holds the container to; all empty: none does
    lock: EnvironmentLock = NO_ENVIRONMENT
    # whether packages that are missing may be installed here
    install_system_packages: bool = field(default=False, metadata=BESIDE_ID)


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """The caches, machines and servers that may help a build; what is built hangs on none of them.

    Passwords are in none of it: a header is here with the name of the variable that holds it.
    """

    disk_limit_mb: int = 20_000  # MB of results that are kept on this machine; 0: none
    cache: str = ""  # address of a remote cache: grpc://, grpcs://, http(s)://; empty: none
    executor: str = ""  # address of a remote executor: grpc:// or grpcs://; empty: none
    headers: _Pairs = ()  # name of a header -> name of the variable with its value
    properties: _Pairs = ()  # name -> value: what the machines of the executor must be
    jobs: int = 32  # actions at once on the executor; waiting ones cost nothing here
    is_required: bool = False  # whether nothing is built without the remote cache or executor
    checked: float = 0.0  # share of the compile actions that are run again and compared, 0 to 1
    # whether Bazel's server waits for the next build, with what it remembers
    keeps_server: bool = False


NO_SERVICES = Services()

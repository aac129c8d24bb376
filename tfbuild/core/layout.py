"""What cache, state and work folder hold: every folder and file by its name, described once.

Every other module takes its path from here. What stands in the cache beside these is not ours: it
is shown, and never removed.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Removal = Literal["entries", "whole", "never"]  # what `cache prune` takes, by when it was last used


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A folder or a file directly below the cache, the state folder or a work folder."""

    name: str
    holds: str
    removal: Removal = "never"
    below: str = ""  # the folder in it that has the entries
    form: str = ""  # of the names in a place of the cache, as tfbuild makes them: a pattern
    staying: tuple[str, ...] = ()  # what in it is never removed
    most: int = 0  # how many entries stay, those used last, when another one comes; 0: all

    def path(self, root: Path) -> Path:
        """Where it is below the cache, the state folder or the work folder."""
        return root / self.name


# --- the cache, which all builds of a user share -------------------------------------------------

_SHA256 = r"[0-9a-f]{64}"

ARTIFACTS = Place(
    name="artifacts", holds="downloaded wheels", removal="entries", below="sha256", form=_SHA256
)  # sha256/HASH/FILENAME
UNPACKED = Place(name="unpacked", holds="unpacked wheels", removal="entries", form=_SHA256)
SOURCES = Place(
    name="sources",
    holds="archives of source code",
    removal="entries",
    form=rf"{_SHA256}|debian-.+\.json",
)  # HASH/FILENAME
TOOLKITS = Place(
    name="toolkits", holds="CUDA toolkits made of them", removal="entries", form=r"[0-9a-f]{24}"
)
BAZELS = Place(
    name="bazels",
    holds="Bazel releases",
    removal="entries",
    form=r"[a-z]+[0-9.]*-[0-9]+\.[0-9]+\.[0-9]+.*",
)  # ORIGIN-VERSION/
BAZEL_OUTPUTS = Place(
    name="bazel",
    holds="Bazel's output folders",
    removal="entries",
    staying=("install", "cache"),  # Bazel's own, which all of its servers share
    form=r"[0-9a-f]{32}|install|cache",
)
BAZEL_DISK = Place(
    name="bazel-disk",
    holds="results of compile actions",
    removal="whole",
    form="ac|cas|gc|tmp",
)
BAZEL_DISK_LOCK = Place(name="bazel-disk.lock", holds="held while results are used or removed")
RESOLUTIONS = Place(
    name="resolutions",
    holds="answers of pip, contents of images",
    removal="entries",
    form=r"[0-9a-f]{24}\.json|image-.+\.json",
)
ENVIRONMENTS = Place(
    name="environments",
    holds="virtual environments of smoke and perf",
    removal="entries",
    form=r"programs-[0-9a-f]{16}",
)
BASES = Place(name="bases", holds="which base images were made")  # SUITE-MACHINE.json
CONTAINERS = Place(name="containers", holds="when images and volumes were used")  # ID.used, ID.lock
STOPS = Place(name="stops.json", holds="how long builds took to stop at their deadlines")
CASES = Place(name="cases.json", holds="the cases of public threads, read from their files")
MATRICES = Place(name="matrices.json", holds="the facts, read from their files")
HISTORY = Place(name="history", holds="what actions took in earlier builds")  # builds.sqlite
CACHE_MARK = Place(name="CACHEDIR.TAG", holds="that tfbuild has made the folder")
CACHE_LOCK = Place(name="lock", holds="held by builds and by prune")
CACHE_ID = Place(name="id.json", holds="which cache this is, for what engines keep of it")

CACHE = (
    ARTIFACTS, UNPACKED, SOURCES, TOOLKITS, BAZELS, BAZEL_OUTPUTS, BAZEL_DISK, BAZEL_DISK_LOCK,
    RESOLUTIONS, ENVIRONMENTS, BASES, CONTAINERS, STOPS, CASES, MATRICES,
    HISTORY, CACHE_MARK, CACHE_LOCK, CACHE_ID,
)  # fmt: skip
# Worth carrying to another machine: what was downloaded, and what was compiled. The rest is made of
# them in seconds, or, as Bazel's output folder, belongs to one machine.
CARRIED = (ARTIFACTS, SOURCES, BAZELS, BAZEL_DISK, RESOLUTIONS)

CACHE_INSIDE = "/var/cache/tfbuild"  # in a container, what a Bazel there keeps

# --- the state folder of a user: what is believed, so no checkout can reach it --------------------

PROJECTS = Place(name="projects", holds="a work folder for each project")  # NAME-DIGEST/
DELIVERIES = Place(name="deliveries", holds="what is being delivered, for a kill in the middle")
SECRET = Place(
    name="secret", holds="what the marks of named work folders and of reports are made with"
)

STATE = (PROJECTS, DELIVERIES, SECRET)

# --- the work folder of one project ---------------------------------------------------------------


LOG = "log.txt"  # in the folder of a run: all that its programs have said
SCRIPT = "rerun.sh"  # and the commands
RUNS = Place(
    name="runs", holds="a folder for each run: plan, log, rerun.sh, report", removal="entries",
    most=100,
)  # fmt: skip
MEMO = Place(name="memo", holds="remembered results of stages", removal="entries")  # STAGE/KEY.json
PRODUCTS = Place(
    name="products", holds="what Bazel built, by all it depends on", removal="entries", most=24
)  # KEY/
WHEELS = Place(name="wheels", holds="packed wheels", removal="entries", most=24)  # HASH/FILENAME
LAST_ENVIRONMENTS = Place(name="environments", holds="what the last builds were built in")
REPOSITORIES = Place(name="repositories", holds="what configure.py made for Bazel")
ANSWERS = Place(name="answers.json", holds="the plan's answers to configure.py")
CONFIGURE_RC = Place(name="configure.bazelrc", holds="what configure.py made of them")
REMOTE_RC = Place(name="remote.bazelrc", holds="logins for caches while Bazel runs")
DISK_SCRIPT = Place(name="disk_cache.py", holds="what looks after Bazel's disk cache")
FARM = Place(name="farm", holds="the small action that a farm is tried with")
RECHECKED = Place(name="rechecked", holds="what --verify-cache compiles again")
EXCHANGE = Place(
    name="exchange", holds="what a Bazel in a container reads and writes of a work folder"
)  # the files below, up to its profile: of the work folder itself where there is no container
EVENTS = Place(name="events.json", holds="what Bazel reports while it builds")
EFFECTIVE = Place(name="options.json", holds="which options hold, as Bazel itself reports")
STAND_INS = Place(name="path", holds="what configure.py of a source tree finds on its PATH")
TRIAL = Place(name="trial", holds="where plans try the configure.py of a source tree")
LAST_STEP = Place(name="last-step", holds="where the last step of a source tree puts its result")
BUILT = Place(name="built", holds="what the last step of a source tree made")
EXPLAIN = Place(name="explain.txt", holds="why Bazel ran each action")
PROFILE = Place(name="profile.gz", holds="how long Bazel's actions took")
LAST_BUILDS = Place(
    name="last-builds", holds="what the last builds were made of, to say what changed"
)
NATIVE = Place(
    name="native",
    holds="products of recipes as they are built: source, objects, what installs",
    removal="entries",
    most=6,
)  # PLAN/
TREES = Place(
    name="trees",
    holds="copies of TensorFlow source trees, as they are patched, configured and built",
    removal="entries",
    most=3,
)  # DIGEST/NAME
CRASH = Place(name="crash.txt", holds="the last mistake of tfbuild's own, with its traceback")
WORK_LOCK = Place(name="lock", holds="held by the one tfbuild at work")
OWNER = Place(name="project.json", holds="whose it is, and that it was made by tfbuild")

WORK = (
    RUNS, MEMO, PRODUCTS, WHEELS, LAST_ENVIRONMENTS, REPOSITORIES, ANSWERS, CONFIGURE_RC, REMOTE_RC,
    DISK_SCRIPT, FARM, RECHECKED, EXCHANGE, LAST_STEP, EVENTS, NATIVE, EFFECTIVE, STAND_INS, TRIAL,
    BUILT, EXPLAIN, PROFILE, LAST_BUILDS, TREES, CRASH, WORK_LOCK, OWNER,
)  # fmt: skip

# --- in the folder of a run, beside its plan, log and report -------------------------------------

FAILED_ACTIONS = "failed_actions.json"  # what `tfbuild debug` runs again


def strangers(root: Path, places: tuple[Place, ...]) -> tuple[Path, ...]:
    """What lies directly below a cache or work folder and is none of its places."""
    names = {place.name for place in places}
    if not root.is_dir():
        return ()
    return tuple(sorted(path for path in root.iterdir() if path.name not in names))

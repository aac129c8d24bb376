"""Locks in which one word would mean more to pip than the name or version of a package.

A lock that is read must give lines of requirements that pin, and files that lie in the cache.
"""

import random
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from benchmarks.attack.trial import Call
from tfbuild.core.errors import TfbuildError
from tfbuild.core.lock_file import read_lock_file
from tfbuild.core.yaml_file import parse_yaml, to_yaml
from tfbuild.fetch.held_files import held_versions
from tfbuild.fetch.requirement_lines import hashed_line

_GOLDEN = Path(__file__).resolve().parent.parent.parent / "tests" / "golden"
_LINE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*==[0-9][0-9a-z.!+]*( --hash=sha256:[0-9a-f]{64})?")
_FILE = re.compile(r"[0-9A-Za-z][0-9A-Za-z.!+_-]*\.whl")
_FIELDS = ("distribution", "version", "filename", "sha256", "kind")
# {} is what stands there in a good lock.
WORDS = (
    "{} @ http://localhost:9/x.whl", "{} @ file:///tmp/x.zip\n#", "{}\n--index-url=http://localhost",
    "--find-links=/tmp {}", "-e .", "-r x.txt", "./{}", "../../{}", "{} --hash=sha256:0 #", "{} \\",
    "{};python_version>'3'", "{}[x]", "{}\r\n{}", "{}\u2028{}", "{}\x85{}", "${HOME}", "{}\0", "",
    "{}.tar.gz", "{}/x", "{},!=1", "{}.*", " {}", "{} ", "{}\n", "{}\x1b[1m", "\uff11{}", "~{}",
    "other", "1", "{}1",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class HeldLocks:
    """Makes such locks; the word of the call is the name of one."""

    good: str

    def make(self, chance: random.Random, folder: Path) -> Call:
        """A lock in the folder."""
        document = parse_yaml(self.good)
        for _ in range(chance.randint(1, 2)):
            artifact = chance.choice(document["artifacts"])
            field = chance.choice(_FIELDS)
            artifact[field] = chance.choice(WORDS).replace("{}", artifact[field])
        (folder / "a.lock.yaml").write_text(to_yaml(document))
        return Call(words=("a.lock.yaml",))


def held_locks(_stock: Path) -> HeldLocks:
    """The maker."""
    return HeldLocks((_GOLDEN / "build.lock.yaml").read_text())


def hold() -> None:
    """What stands for the command line here: ends with 1 where a line or a file is more."""
    try:
        held = read_lock_file(Path(sys.argv[1])).artifacts
        lines = [*held_versions(held), *map(hashed_line, held)]
    except TfbuildError as error:
        sys.stderr.write(f"{error.message!r}\n")
        sys.exit(error.exit_code)
    if wrong := [line for line in lines if not _LINE.fullmatch(line)]:
        sys.exit(f"pip would be asked for {wrong[0]!r}")
    if wrong := [one.filename for one in held if not _FILE.fullmatch(one.filename)]:
        sys.exit(f"{wrong[0]!r} would be a file of the cache")

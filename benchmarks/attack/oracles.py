"""What no trial may do, whatever it tries: touch files outside, give away a secret, show commands.

A canary is a folder of the user's beside a trial. Its files have known contents, and its secret is
written nowhere else; whatever was planted leaves its mark in it when it runs.
"""

import codecs
import hashlib
import os
import random
import stat
import unicodedata
from dataclasses import dataclass
from pathlib import Path

_RAN = "ran"  # what a planted program makes
# Beside all control characters but these two: marks that turn or part the lines of a terminal.
_HARMLESS = "\n\t"
_TURNING = frozenset(
    map(chr, (0x61C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A)))
)
_READ = 1 << 20  # a file that is larger was not made out of the secret

State = dict[str, tuple[int, int, int, int, str]]


@dataclass(frozen=True, slots=True)
class Canary:
    """A folder that nothing may touch: how it was, and the secret in it."""

    folder: Path
    secret: str
    state: State

    @property
    def key(self) -> Path:
        """The file with the secret."""
        return self.folder / "keys" / "id_secret"

    @property
    def mark(self) -> Path:
        """What a planted program makes, to show that it ran."""
        return self.folder / _RAN

    def fault(self, said: bytes, where: Path) -> str:
        """What is wrong after a trial that said this and may have left files below a folder."""
        if self.mark.exists():
            return "a planted program ran"
        now = state_of(self.folder)
        if differing := sorted({path for path, _ in self.state.items() ^ now.items()}):
            return f"touched outside: {differing[0]}"
        if self.secret.encode() in said:
            return "the secret was shown"
        if found := next(iter(_holding(self.secret, where)), None):
            return f"the secret is in {found.relative_to(where)}"
        return ""


def make_canary(folder: Path, chance: random.Random) -> Canary:
    """A new canary in an empty folder, as old as chance gives."""
    secret = f"secret-{chance.getrandbits(128):032x}"
    files = {"keys/id_secret": secret, "keys/id_secret.pub": "public", "notes/a.txt": "a", "b": "b"}
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        os.utime(path, (1_600_000_000 + chance.randrange(1000), 1_600_000_000))
    (folder / "keys").chmod(0o700)
    (folder / "keys" / "id_secret").chmod(0o600)
    return Canary(folder=folder, secret=secret, state=state_of(folder))


def state_of(folder: Path) -> State:
    """Mode, owner, size, time and content of everything below a folder, by its path."""
    found: State = {}
    for place, names, files in os.walk(folder):
        for name in (".", *names, *files):
            path = Path(place, name)
            was = path.lstat()
            content = path.read_bytes() if stat.S_ISREG(was.st_mode) else b""
            digest = hashlib.sha256(content).hexdigest()
            where = os.path.relpath(path, folder)
            found[where] = (was.st_mode, was.st_uid, was.st_size, was.st_mtime_ns, digest)
    return found


def unprintable(said: bytes) -> str:
    """What in a text a terminal would obey instead of showing it; empty where there is nothing."""
    try:
        text = codecs.getincrementaldecoder("utf-8")().decode(said)  # what is cut off is no fault
    except UnicodeDecodeError as error:
        return f"shown: byte {said[error.start]:#04x}"
    for letter in sorted(set(text)):
        is_control = unicodedata.category(letter) in {"Cc", "Cs"} and letter not in _HARMLESS
        if is_control or letter in _TURNING:
            return f"shown: U+{ord(letter):04X}"
    return ""


def _holding(secret: str, where: Path) -> list[Path]:
    """The regular files below a folder that hold the secret, but for links to the canary."""
    found = []
    for place, _, files in os.walk(where):
        for path in (Path(place, name) for name in files):
            was = path.lstat()
            is_small = stat.S_ISREG(was.st_mode) and 0 < was.st_size < _READ
            if is_small and secret.encode() in path.read_bytes():
                found.append(path)
    return found

"""Files of growing size and depth: what is read n, 2 n and 4 n long must not cost more and more.

What is measured is CPU time, of which what an empty file costs is taken off. A size at which a file
is refused ends the growth; whatever the size, the ending is judged as that of every input.
"""

import io
import json
import math
import shutil
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.attack.inputs import Budget, chance_of, keep, side_by_side
from benchmarks.attack.tally import Fault, Tally
from benchmarks.attack.trial import Call, Outcome, fresh, run_call
from tfbuild.diagnosis.catalogue import read_catalogue
from tfbuild.diagnosis.log_lines import LONGEST

EXPONENT = 1.4  # of the time against the size; above it something is done for every pair
_CLEAR = 0.4  # seconds of CPU time from which on two measurements can be distinguished
_STEP = 4
_MOST = 4_000_000  # parts of a file
_AGAIN = 2  # measurements that have to agree
_SECONDS = 90.0


@dataclass(frozen=True, slots=True)
class Grown:
    """A command, the file that it reads, how that is made of n parts, and the first n."""

    words: tuple[str, ...]
    name: str
    make: Callable[[int], bytes]
    first: int = 1000


def try_growth(main: Callable[[], Any], budget: Budget, folder: Path, largest: int) -> Tally:
    """Grow one file after the other, up to so many bytes, and count how that ended.

    The number says which file it is, the dice with how many parts it begins.
    """
    names = list(GROWN)

    def work(job: int, tally: Tally) -> None:
        place = folder / f"child-{job}"
        for number in budget.numbers(job):
            name = names[number % len(names)]
            first = int(GROWN[name].first * chance_of(budget.seed, "growth", number).uniform(1, 2))
            fault, how, said = grow(GROWN[name], first, main, place, largest)
            tally.endings[fault or how] += 1
            if fault:
                kept = keep(folder, "growth", budget.seed, number, place)
                for path in kept.rglob("*"):
                    if path.is_file() and path.stat().st_size > 1 << 22:
                        path.unlink()  # it is made again by its number
                (kept / "attack.txt").write_text(f"{name}: {fault}\n{said}", errors="replace")
                tally.faults.append(
                    Fault(kind="growth", number=number, seed=budget.seed, what=f"{name}: {fault}",
                          kept=str(kept))
                )  # fmt: skip
        shutil.rmtree(place, ignore_errors=True)

    return side_by_side("growth", budget, folder, work)


def grow(
    grown: Grown, first: int, main: Callable[[], Any], place: Path, largest: int
) -> tuple[str, str, str]:
    """The fault, empty where there is none; else how the growth ended; and what was said last."""
    base = _tried(grown, 1, main, place).cpu
    size = first
    while True:
        ends = [_tried(grown, size * times, main, place) for times in (1, 2, 4)]
        if fault := next((ended.fault for ended in ends if ended.fault), ""):
            return f"{fault} at {size}", "", ends[-1].said
        if ends[-1].cpu - base > _CLEAR:
            exponent = exponent_of([ended.cpu for ended in ends], base)
            for _ in range(_AGAIN):
                if exponent > EXPONENT:
                    again = [_tried(grown, size * times, main, place) for times in (1, 2, 4)]
                    exponent = min(exponent, exponent_of([one.cpu for one in again], base))
            if exponent > EXPONENT:
                return f"grows with the power {exponent:.1f} at {size}", "", ends[-1].said
            return "", "grows evenly", ""
        size *= _STEP
        if 4 * size > _MOST or len(grown.make(first)) / first * 4 * size > largest:
            return "", "costs nothing", ""


def exponent_of(seconds: list[float], base: float) -> float:
    """The power of the size with which the time grew, over the last doubling or over both."""
    one, two, four = (max(second - base, 1e-3) for second in seconds)
    return min(math.log2(four / two), math.log2(four / one) / 2)


def _tried(grown: Grown, size: int, main: Callable[[], Any], place: Path) -> Outcome:
    fresh(place)
    (place / grown.name).write_bytes(grown.make(size))
    return run_call(Call(words=grown.words, seconds=_SECONDS), place, main)


# --- what grows --------------------------------------------------------------------------------


def _lines(line: str) -> Callable[[int], bytes]:
    return lambda n: "".join(line.replace("@", str(at)) for at in range(n)).encode()


def _fragments(n: int) -> bytes:
    """Lines as long as is looked at: a word of each pitfall, and a fragment again and again."""
    words = [word for pitfall in read_catalogue() for word in pitfall.words]
    parts = ["a", "1", " ", "1.", "a/", "'", "-", ": ", "x y ", *words[::7]]
    lines = (words[at % len(words)] + parts[at % len(parts)] * LONGEST for at in range(n))
    return "".join(line[:LONGEST] + "\n" for line in lines).encode()


def _nested(
    opening: str, closing: str = "", head: str = "", tail: str = ""
) -> Callable[[int], bytes]:
    return lambda n: (head + opening * n + closing * n + tail).encode()


def _wheel(extra: Callable[[zipfile.ZipFile, int], str]) -> Callable[[int], bytes]:
    """A wheel whose files or whose METADATA grow; extra returns lines of METADATA."""

    def make(n: int) -> bytes:
        made = io.BytesIO()
        info = "thing-1.0.dist-info"
        with zipfile.ZipFile(made, "w") as archive:
            more = extra(archive, n)
            tags = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
            archive.writestr(f"{info}/WHEEL", tags)
            head = "Metadata-Version: 2.1\nName: thing\nVersion: 1.0\n"
            archive.writestr(f"{info}/METADATA", head + more)
            names = [f"{name},,\n" for name in archive.namelist()]
            archive.writestr(f"{info}/RECORD", "".join(names))
        return made.getvalue()

    return make


def _files(archive: zipfile.ZipFile, n: int) -> str:
    for at in range(n):
        archive.writestr(f"thing/{at % 97}/{at}.py", "")
    return ""


def _packages(archive: zipfile.ZipFile, n: int) -> str:
    for at in range(n):
        archive.writestr(f"thing{at}/__init__.py", "")
    return ""


def _deep_file(archive: zipfile.ZipFile, n: int) -> str:
    archive.writestr("a/" * min(n, 30_000) + "x.py", "")
    return ""


def _archive(entries: Callable[[int], Iterator[tuple[str, str]]]) -> Callable[[int], bytes]:
    """An archive of a recipe with a file and links; entries are their names and ends."""

    def make(n: int) -> bytes:
        made = io.BytesIO()
        with tarfile.open(fileobj=made, mode="w:gz", compresslevel=1) as archive:
            archive.addfile(tarfile.TarInfo("p/a"))
            for name, target in entries(n):
                member = tarfile.TarInfo(name)
                member.type, member.linkname = tarfile.SYMTYPE, target
                archive.addfile(member)
        return made.getvalue()

    return make


def _row(n: int) -> Iterator[tuple[str, str]]:
    """A row of links, and links to its head."""
    length = min(n // 20, 900)
    yield from ((f"p/r{at}", f"r{at + 1}" if at < length else "a") for at in range(length + 1))
    yield from ((f"p/l{at}", "r0") for at in range(n))


def _ways(n: int) -> Iterator[tuple[str, str]]:
    """Links with long ways, through another each."""
    yield "p/r", "."
    yield from ((f"p/l{at}", "r/./" * 99 + "a") for at in range(n))


def _keys(n: int) -> bytes:
    return json.dumps({f"k{at}": [at] for at in range(n)}).encode()


_WHEEL = "thing-1.0-py3-none-any.whl"
_AUDIT, _SBOM = ("audit", _WHEEL), ("sbom", _WHEEL)
_ARCHIVE = "p-1.0-linux-x86_64.tar.gz"
_DIAGNOSE = ("diagnose", "log.txt")
_MACHINE = ("resolve", "--machine", "m.json")
_LOCK = ("plan", "--lock", "a.lock.yaml")
_PASTED = ("resolve", "--report", "pasted.md")
_TREE = ("fetch", "--source", ".", "--list")
_TOML = "pyproject.toml"
_ERROR = "ERROR: /a/b/BUILD:@:1: C++ compilation of rule '//x:y@' failed (Exit 1): gcc failed\n"


def _named(archive: zipfile.ZipFile, n: int) -> str:
    return "".join(f"Requires-Dist: thing{at} (>=1.0,<2.0); extra == 'x{at}'\n" for at in range(n))


GROWN: dict[str, Grown] = {
    "log: lines": Grown(_DIAGNOSE, "log.txt", _lines("@ a line of a log that says nothing\n")),
    "log: errors": Grown(_DIAGNOSE, "log.txt", _lines(_ERROR + "x.cc:@:2: error: no such y@\n")),
    "log: a long line": Grown(_DIAGNOSE, "log.txt", _nested("error: undefined reference to `x' ")),
    "log: fragments": Grown(_DIAGNOSE, "log.txt", _fragments, 100),
    "log: blanks": Grown(_DIAGNOSE, "log.txt", _nested(" ", head="error:", tail="x\n")),
    "log: escapes": Grown(_DIAGNOSE, "log.txt", _nested("\x1b[0;", head="\x1b]", tail="m\n")),
    "log: returns": Grown(_DIAGNOSE, "log.txt", _lines("[@ / 9] Compiling a.cc; 3s\r")),
    "log: traces": Grown(_DIAGNOSE, "log.txt", _lines('  File "a.py", line @, in f\n    x\n')),
    "pasted: lines": Grown(_PASTED, "pasted.md", _lines("- python 3.@, cuda 11.@, gcc 9.@\n"), 100),
    "pasted: a long line": Grown(_PASTED, "pasted.md", _nested("TensorFlow version 2.6 "), 100),
    "pasted: digits": Grown(_PASTED, "pasted.md", _nested("1.", head="Python version: "), 100),
    "pasted: blanks": Grown(_PASTED, "pasted.md", _nested(" ", head="CUDA", tail="version"), 100),
    "machine: keys": Grown(_MACHINE, "m.json", _keys),
    "machine: depth": Grown(_MACHINE, "m.json", _nested("[", "]")),
    "machine: open": Grown(_MACHINE, "m.json", _nested('{"a":')),
    "machine: digits": Grown(_MACHINE, "m.json", _nested("9", head='{"a": ', tail="}")),
    "lock: directives": Grown(_LOCK, "a.lock.yaml", _lines("%TAG !@! x\n"), 100),
    "lock: keys": Grown(_LOCK, "a.lock.yaml", _lines("k@: [@]\n"), 100),
    "lock: depth": Grown(_LOCK, "a.lock.yaml", _nested("[", "]"), 100),
    "lock: dashes": Grown(_LOCK, "a.lock.yaml", _nested("- ", tail="x\n"), 100),
    "lock: questions": Grown(_LOCK, "a.lock.yaml", _nested("? "), 100),
    "lock: anchors": Grown(_LOCK, "a.lock.yaml", _lines("k@: &a@ [*a0]\n"), 100),
    "lock: quotes": Grown(_LOCK, "a.lock.yaml", _nested("\\n", head='"', tail='"'), 100),
    "project: keys": Grown(("config", "show"), _TOML, _lines("k@ = @\n"), 100),
    "project: tables": Grown(("config", "show"), _TOML, _lines("[t.@]\na=1\n"), 100),
    "project: dots": Grown(("config", "show"), _TOML, _nested("a.", tail="b = 1\n"), 100),
    "project: depth": Grown(("config", "show"), _TOML, _nested("[", "]", "a = "), 100),
    "project: inline": Grown(("config", "show"), _TOML, _nested("{a=", head="a="), 100),
    "wheel: files": Grown(_AUDIT, _WHEEL, _wheel(_files), 500),
    "wheel: packages": Grown(_AUDIT, _WHEEL, _wheel(_packages), 500),
    "wheel: needs": Grown(_AUDIT, _WHEEL, _wheel(_named), 500),
    "wheel: a long line": Grown(_AUDIT, _WHEEL, _wheel(lambda _, n: f"Summary: {'x ' * n}\n"), 500),
    "wheel: continued": Grown(_AUDIT, _WHEEL, _wheel(lambda _, n: "License: x\n" + " y\n" * n)),
    "wheel: depth": Grown(_AUDIT, _WHEEL, _wheel(_deep_file), 500),
    "archive: a row": Grown(("audit", _ARCHIVE), _ARCHIVE, _archive(_row), 500),
    "archive: links": Grown(("audit", _ARCHIVE), _ARCHIVE, _archive(_ways), 500),
    "sbom: files": Grown(_SBOM, _WHEEL, _wheel(_files), 500),
    "sbom: needs": Grown(_SBOM, _WHEEL, _wheel(_named), 500),
    "tree: names": Grown(_TREE, "WORKSPACE", _lines('f(name = "x@")\n')),
    "tree: depth": Grown(_TREE, "WORKSPACE", _nested("f(urls = ", ")", tail="\n"), 20),
    "report: depth": Grown(("facts", "verify", "report.json"), "report.json", _nested("[", "]")),
    "plan: depth": Grown(("audit", "x.whl", "--plan", "p.json"), "p.json", _nested('{"a":', "}")),
}  # fmt: skip

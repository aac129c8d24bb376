"""Processes of several PID namespaces that unpack the same wheels into one cache at once.

`python -m tests.shared_cache ROUNDS` says how often what they left was not whole.
"""

import hashlib
import random
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from contextlib import ExitStack
from pathlib import Path

from tests.shared_libraries import real_tools, tiny_wheel
from tfbuild.core.records import Artifact
from tfbuild.fetch.damage import artifact_path, tree_path
from tfbuild.fetch.seals import find_damage
from tfbuild.fetch.wheelhouse import unpack_all

# A process of a name space of its own: all of them have the same number in it.
APART = ("unshare", "--pid", "--fork", "--mount-proc", "--kill-child")
_FILES = 33
_WHEELS = 4


def can_be_apart() -> bool:
    """Whether this user may make PID namespaces."""
    try:
        return subprocess.run([*APART, "true"], capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


def make_cache(folder: Path) -> None:
    """Put wheels into the cache below folder, fetched and not unpacked."""
    for number in range(_WHEELS):
        files = {f"data{number}/{n}": bytes([n, number]) * 4000 for n in range(_FILES)}
        wheel = tiny_wheel(folder, files, name=f"many{number}")
        digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
        place = folder / "cache" / "artifacts" / "sha256" / digest / wheel.name
        place.parent.mkdir(parents=True)
        wheel.rename(place)


def artifacts_in(folder: Path) -> tuple[Artifact, ...]:
    """The wheels that make_cache has put there."""
    return tuple(
        Artifact(
            distribution=path.name.split("-")[0],
            version="1.0",
            filename=path.name,
            sha256=path.parent.name,
            kind="build",
        )
        for path in sorted((folder / "cache" / "artifacts").rglob("*.whl"))
    )


def play(folder: Path, processes: int, kill_after: float | None) -> str:
    """Unpack in so many namespaces at once, one of which may be killed; what is wrong after it."""
    words = [*APART, sys.executable, "-m", "tests.shared_cache", "--unpack", str(folder)]
    with ExitStack() as stack:
        children = [
            stack.enter_context(
                subprocess.Popen(words, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
            )
            for _ in range(processes)
        ]
        for child in children:
            assert child.stderr
            child.stderr.readline()  # it has loaded all that it needs
        for child in children:
            assert child.stdin
            child.stdin.close()
        if kill_after is not None:
            time.sleep(kill_after)
            children[0].send_signal(signal.SIGKILL)
        said = [child.stderr.read().decode() for child in children if child.stderr]
        codes = [child.wait() for child in children]
    failed = [text for code, text in zip(codes, said, strict=True) if code not in {0, -9}]
    return failed[0] if failed else fault_of(folder)


def fault_of(folder: Path) -> str:
    """What is wrong with the trees in the cache by the lists of their archives; or nothing."""
    tools, artifacts = real_tools(folder), artifacts_in(folder)
    for artifact in artifacts:
        tree = tree_path(artifact, tools)
        with zipfile.ZipFile(artifact_path(artifact, tools)) as archive:
            lacks = [name for name in archive.namelist() if not (tree / name).is_file()]
        if tree.exists() and (lacks or find_damage(tree, in_full=True)):
            return f"{artifact.filename}: {len(lacks)} files are missing; {find_damage(tree)}"
    unpack_all(artifacts, tools)
    if any(find_damage(tree_path(artifact, tools), in_full=True) for artifact in artifacts):
        return "one that is not whole is taken for whole"
    left = [path.name for path in tools.folders.unpacked.glob(".*")]
    return f"left: {left}" if left else ""


def main(words: list[str]) -> int:
    """Unpack as one of them, or play so many rounds."""
    if words[0] == "--unpack":
        folder = Path(words[1])
        tools, artifacts = real_tools(folder), artifacts_in(folder)
        sys.stderr.write("ready\n")
        sys.stderr.flush()
        sys.stdin.read()
        unpack_all(artifacts, tools)
        return 0
    chance, faults = random.Random(1), 0
    for number in range(int(words[0])):
        with tempfile.TemporaryDirectory() as name:
            make_cache(Path(name))
            kill_after = chance.uniform(0, 0.12) if number % 3 == 0 else None
            if fault := play(Path(name), 2, kill_after):
                faults += 1
                sys.stdout.write(f"round {number}: {fault}\n")
    sys.stdout.write(f"{words[0]} rounds, {faults} of them with a fault\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

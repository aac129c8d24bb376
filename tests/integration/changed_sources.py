"""Which of the runtime's C++ sources changed last."""

import re
import shutil
import subprocess

from tests.integration.project import ROOT

# The folders whose tests take too long to compile all of them under a sanitiser.
ABOVE = ("graph", "kernels", "passes", "executor", "session")


def compiled_file(source: str) -> str:
    """A pattern of the file in which a source stands together with its neighbours."""
    folder, _, name = source.rpartition("/")
    return rf"{re.escape(folder)}/([^/]+\+)?{re.escape(name.removesuffix('.cc'))}(\+[^/]+)?\.cc"


def last_changed_sources(most: int) -> list[str]:
    """The C++ sources of those folders that git saw change last, the newest first; without git's
    history, by the time of the files.

    For a header stands the source of its name or, where there is none, some that include it.
    """
    texts = {
        path.relative_to(ROOT / "runtime").as_posix(): path.read_text()
        for path in sorted((ROOT / "runtime").rglob("*.cc"))
        if not path.name.endswith("_test.cc")
        and not path.name.startswith("cuda_")
        and path.relative_to(ROOT / "runtime").parts[0] in ABOVE
    }
    git = shutil.which("git") or "false"
    log = subprocess.run(
        [git, "log", "--format=", "--name-only", "--relative", "--", "."],
        cwd=ROOT / "runtime", capture_output=True, text=True, check=False,
    )  # fmt: skip
    by_time = sorted(texts, key=lambda name: -(ROOT / "runtime" / name).stat().st_mtime)
    found: dict[str, None] = {}
    for name in dict.fromkeys(log.stdout.split() or by_time):
        if name in texts:
            found[name] = None
        elif name.endswith(".h"):
            near = [source for source, text in texts.items() if f'#include "{name}"' in text]
            same = name[:-2] + ".cc"
            found |= dict.fromkeys([same] if same in texts else near[:3])
        if len(found) >= most:
            break
    return list(found)[:most]

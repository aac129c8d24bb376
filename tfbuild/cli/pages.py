"""How the pages of --help are laid out: groups of commands, panels of options, examples."""

import io
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout

# Groups of commands, in the order in which one needs them.
ASK, BUILD, PROVE = "Ask", "Build", "Prove"
FAILED, AROUND = "When a build fails", "Environments, CI, cache and settings"

WHAT, VERSIONS = "What to build", "Which versions"
WHERE, PROOF = "Where to build, and with how much of the machine", "Proof"
REMOTE, WORKSPACE, OUTPUT = "Caches and build farms", "Another Bazel workspace", "Output"

_OPTIONS = {
    WHAT: ("cuda", "gpu", "source", "build_file", "cc", "output", "matrix", "model"),
    VERSIONS: ("lock", "strict", "prefer"),
    WHERE: (
        "env", "image", "cpus", "memory", "pids", "jobs", "deadline", "install_system_packages",
        "trust_project",
    ),
    PROOF: ("against", "skip_perf"),
    REMOTE: (
        "disk_cache_limit", "remote_cache", "remote_executor", "remote_header", "remote_property",
        "remote_required", "verify_cache", "keep_server",
    ),
    WORKSPACE: (
        "workspace", "target", "bazel_config", "bazel_flag", "override_repository", "stand_ins",
        "offline", "collect",
    ),
}  # fmt: skip
PANEL_OF = {name: panel for panel, names in _OPTIONS.items() for name in names}

EXAMPLES = {
    "doctor": (
        "tfbuild doctor",
        "tfbuild doctor --for tensorflow=2.16 --for cuda=12.3",
    ),
    "resolve": (
        "tfbuild resolve tensorflow=2.6 'gpu=RTX 3060'",
        "tfbuild resolve --published tensorflow=2.16 python=3.12",
        "tfbuild resolve tensorflow=2.14 --explain cudnn",
    ),
    "plan": (
        "tfbuild plan --cuda --gpu sm_86",
        "tfbuild plan zstd zlib=on --format script",
    ),
    "build": (
        "tfbuild build",
        "tfbuild build --cuda --gpu 'RTX 3060' --env docker",
        "tfbuild build --source tensorflow-2.14.1 python=3.11",
        "tfbuild build --matrix python=3.11,3.13",
        "tfbuild build zstd",
        "tfbuild build ./my-recipe.yaml --source my-tree",
    ),
    "configure": ("tfbuild configure --source tensorflow-2.14.1 cuda=12.2 gpu=sm_86",),
    "fetch": (
        "tfbuild fetch --source tensorflow-2.14.1 --list",
        "tfbuild fetch --source tensorflow-2.14.1",
    ),
    "diagnose": (
        "tfbuild diagnose build.log",
        "tfbuild diagnose - --json",
    ),
    "explain": ("tfbuild explain lock-differs",),
    "debug": (
        "tfbuild debug",
        "tfbuild debug --shell",
    ),
    "audit": (
        "tfbuild audit dist/*.whl",
        "tfbuild audit dist/zstd-*.tar.gz --json",
    ),
    "smoke": ("tfbuild smoke dist/*.whl",),
    "perf": ("tfbuild perf dist/*.whl --against tensorflow-cpu==2.21.0",),
    "sbom": ("tfbuild sbom dist/zstd-*.tar.gz --output zstd.cdx.json",),
}


def style_help(argv: Sequence[str]) -> None:
    """Let pages of --help be readable on white and on black, as typer's yellow and dim are not.

    Other commands do not load what draws them.
    """
    if not _asks_for_help(argv):
        return
    from typer import rich_utils

    for name, style in vars(rich_utils).items():
        if name.startswith("STYLE_") and isinstance(style, str) and not name.endswith("BORDER"):
            plain = style.replace("dim", "").replace("yellow", "magenta")
            setattr(rich_utils, name, plain.strip())


@contextmanager
def trimmed_help(argv: Sequence[str]) -> Iterator[None]:
    """Let no line of a page of --help end with blanks, where it goes into a file or a pipe."""
    if not _asks_for_help(argv) or sys.stdout.isatty():
        yield
        return
    page = _Page(sys.stdout.encoding)
    try:
        with redirect_stdout(page):
            yield
    finally:
        sys.stdout.write(re.sub(r" +$", "", page.getvalue(), flags=re.MULTILINE))


def examples_of(command: str) -> str:
    """The end of a command's help, a line for each example."""
    return "\n".join(("\b", "Examples:", *(f"  {line}" for line in EXAMPLES[command])))


def _asks_for_help(argv: Sequence[str]) -> bool:
    return bool({"-h", "--help"} & set(argv))


class _Page(io.StringIO):
    """A page in the letters that standard output has: boxes are drawn of none that it lacks."""

    def __init__(self, encoding: str) -> None:
        super().__init__()
        self._encoding = encoding

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """That of standard output."""
        return self._encoding

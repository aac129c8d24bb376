"""How the pages of --help are laid out: groups of commands, panels of options, examples."""

from collections.abc import Sequence

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
        "tfbuild plan zstd version=1.5.6 --format script",
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
    if not {"-h", "--help"} & set(argv):
        return
    from typer import rich_utils

    for name, style in vars(rich_utils).items():
        if name.startswith("STYLE_") and isinstance(style, str) and not name.endswith("BORDER"):
            plain = style.replace("dim", "").replace("yellow", "magenta")
            setattr(rich_utils, name, plain.strip())


def examples_of(command: str) -> str:
    """The end of a command's help, a line for each example."""
    return "\n".join(("\b", "Examples:", *(f"  {line}" for line in EXAMPLES[command])))

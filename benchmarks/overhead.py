"""What tfbuild's driver costs over the bare Bazel command: cold builds, and with nothing changed.

    python -m benchmarks.overhead --bazel PROGRAM --version 4.2.3 [--rounds 5]

Both build the same generated tree with the same flags and the same output folder of Bazel, in turn:
bare, driven, driven, bare, and so on, each time cold (cleaned, an empty disk cache) and once more
with nothing changed. Prints medians, spreads, the ratio, and how busy the machine was.
"""

import argparse
import os
import shutil
import statistics
import tempfile
import time
from pathlib import Path

from benchmarks.cpp_tree import CppFile, make_tree
from benchmarks.terminal import say
from tfbuild.bazel.driver import drive
from tfbuild.core.interfaces import HostEnvironment, Tools, expand
from tfbuild.core.layout import BAZEL_DISK, BAZEL_OUTPUTS, EVENTS
from tfbuild.core.paths import Folders
from tfbuild.core.process import ProcessRunner
from tfbuild.core.records import Command, Toolchain
from tfbuild.core.reporter import SilentReporter
from tfbuild.doctor.survey import look_at_host


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bazel", required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--files", type=int, default=40)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        files = tuple(CppFile(classes=150 + 50 * (n % 3)) for n in range(given.files))
        make_tree(place / "tree", {"lib": files})
        env = an_environment(place, given.bazel, given.version)
        call(env, "shutdown")
        measure(env, given.rounds)
        call(env, "shutdown")


def an_environment(place: Path, bazel: str, version: str) -> HostEnvironment:
    """This machine, building place/tree with its cache and work folder beside it."""
    folders = Folders(cache=place / "cache", work=place / "work", run=place / "work" / "run")
    for folder in (folders.cache, folders.run):
        folder.mkdir(parents=True)
    runner = ProcessRunner(log=folders.run / "log.txt")
    host = look_at_host(runner, folders.cache, frozenset())
    chain = Toolchain(
        bazel=bazel, bazel_version=version, bazel_origin="PATH", python="", python_version="",
        compiler="", compiler_version="", source=place / "tree", cache=folders.cache,
        work=folders.work,
    )  # fmt: skip
    tools = Tools(runner=runner, reporter=SilentReporter(), folders=folders, host=host)
    return HostEnvironment(toolchain=chain, tools=tools)


def build_command(jobs: int, *targets: str, planned: bool = True) -> Command:
    """The build; planned: with the flags that the plan gives every build of tfbuild."""
    flags = (
        "--build_event_publish_all_actions",
        f"--build_event_json_file={{work}}/{EVENTS.name}",
        "--curses=yes",
        "--show_progress_rate_limit=0.5",
    )
    return Command(
        argv=(
            *bazel_words(),
            *("build", "--color=no", "--symlink_prefix=/", "--nosandbox_debug"),
            f"--disk_cache={{cache}}/{BAZEL_DISK.name}",
            *(f"--jobs={jobs}", f"--local_cpu_resources={jobs}"),
            *(flags if planned else ()),
            *targets,
        ),
        cwd="{source}",
        stage="build",
        pty=planned,
        quiet=True,
    )


def bazel_words() -> tuple[str, ...]:
    """The beginning of every call of Bazel here."""
    root = f"--output_user_root={{cache}}/{BAZEL_OUTPUTS.name}"
    return "{bazel}", "--nohome_rc", "--nosystem_rc", root, "--max_idle_secs=900"


def call(env: HostEnvironment, *words: str) -> None:
    """One call of Bazel that is not measured."""
    env.run(Command(argv=(*bazel_words(), *words), cwd="{source}", quiet=True))


def measure(env: HostEnvironment, rounds: int) -> None:
    """Run both in turn and print; the first round only warms the server up."""
    took: dict[tuple[str, str], list[float]] = {}
    for number in range(rounds + 1):
        for how in ("bare", "driven") if number % 2 else ("driven", "bare"):
            call(env, "clean")
            shutil.rmtree(BAZEL_DISK.path(env.toolchain.cache), ignore_errors=True)
            for state in ("cold", "unchanged"):
                seconds = _build(env, how)
                if number:
                    took.setdefault((state, how), []).append(seconds)
    for state in ("cold", "unchanged"):
        bare, driven = took[state, "bare"], took[state, "driven"]
        ratios = [ours / theirs for ours, theirs in zip(driven, bare, strict=True)]
        say(
            f"{state:<10} bare {_spread(bare)} s  driven {_spread(driven)} s  ratio "
            f"{_spread(ratios)}  {statistics.median(driven) - statistics.median(bare):+.2f} s"
        )
    say(f"load at the end: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")


def _build(env: HostEnvironment, how: str) -> float:
    jobs = os.cpu_count() or 1
    began = time.monotonic()
    if how == "driven":
        drive(build_command(jobs, "//:all"), env)
    else:
        bare = expand(build_command(jobs, "//:all", planned=False), env.toolchain)
        env.tools.runner.run(bare)
    return time.monotonic() - began


def _spread(values: list[float]) -> str:
    return f"{statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


if __name__ == "__main__":
    main()

"""The whole chain with a real Bazel: reuse, no network, the same bytes everywhere, survival."""

import hashlib
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import time
import zipfile
from pathlib import Path

import pytest

from tests.doc_pages import PAGES
from tests.doc_runs import hold, shown, write_files
from tests.integration.changed_sources import ABOVE, compiled_file, last_changed_sources
from tests.integration.project import ROOT, Project
from tfbuild.core.cache_mark import make_cache
from tfbuild.core.layout import CACHE, WORK, strangers
from tfbuild.wheels.elf import read_elf

pytestmark = [pytest.mark.bazel, pytest.mark.slow, pytest.mark.network]


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("chain")


@pytest.fixture(scope="module")
def built(base: Path) -> Project:
    """A finished build; CHAIN_CACHE names a cache that an earlier build has filled."""
    (base / "one").mkdir()
    project = Project(base / "one", Path(os.environ.get("CHAIN_CACHE") or base / "cache"))
    project.build()
    return project


def test_nothing_changed_is_reused_stage_by_stage(built: Project) -> None:
    (wheel,) = built.output.glob("*.whl")
    before = digest(wheel)
    assert digest(built.build()) == before
    states = {stage["name"]: stage["state"] for stage in built.report()["stages"]}
    assert {states[name] for name in ("build", "wheel", "audit", "smoke")} == {"reused"}


@pytest.mark.long
@pytest.mark.parametrize(
    "name", ["s'r#c%41&;(x),@+~[y]{work}^!$HOME`b`<c>|d:e", "/".join(["deep" * 60] * 4)]
)
def test_a_build_in_an_odd_place_gives_the_same_wheel(
    built: Project, base: Path, name: str
) -> None:
    place = base / "odd" / name
    place.mkdir(parents=True)
    project = Project(place, built.cache)
    assert digest(project.build()) == digest(built.build())


def test_a_place_that_bazel_cannot_use_is_reported_before_it_starts(
    built: Project, base: Path
) -> None:
    place = base / "Prüfung ☃ it's"
    place.mkdir()
    project = Project(place, built.cache)
    done = subprocess.run(
        project.command(), env=project.environment(), cwd=place, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 4
    assert "error[path-unfit-for-bazel]" in done.stderr
    assert "TFBUILD_WORK_DIR" in done.stderr


def test_a_build_leaves_described_places_only(built: Project) -> None:
    assert strangers(built.cache, CACHE) == ()
    assert strangers(built.folder / "work", WORK) == ()


def test_libraries_of_the_runtime_destroy_nothing_when_the_process_ends(built: Project) -> None:
    """Threads may still use static objects then: no destructor of one is registered."""
    (path,) = built.output.glob("*.whl")
    with zipfile.ZipFile(path) as wheel:
        names = [n for n in wheel.namelist() if re.fullmatch(r"tfbuild_runtime/[\w.-]+\.so", n)]
        imports = {name: read_elf(name, wheel.read(name)).imports for name in names}
    assert len(imports) >= 2
    assert all("__cxa_atexit" not in of_one for of_one in imports.values())


@pytest.fixture(scope="module")
def frontend(built: Project, base: Path) -> Path:
    """An interpreter with the wheel and what the frontend's tests need."""
    python = base / "frontend" / "bin" / "python"
    subprocess.run([built.python(), "-m", "venv", python.parent.parent], check=True)
    (wheel,) = built.output.glob("*.whl")
    needed = [str(wheel), "hypothesis", "ml_dtypes", "numpy", "pytest", "pytest-xdist"]
    subprocess.run([python, "-m", "pip", "install", "--quiet", *needed], check=True)
    return python


def run_frontend_tests(python: Path, *tests: str, **variables: str) -> str:
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    folder = ROOT / "runtime/python/tests"
    done = subprocess.run(
        [
            *(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--numprocesses=2"),
            *(folder / name for name in tests),
        ],
        env=environment | variables, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-1000:]
    return done.stdout


def test_the_frontend_passes_its_tests_on_the_wheel(frontend: Path) -> None:
    run_frontend_tests(frontend, "")


def test_a_program_for_tensorflow_1_prints_what_the_tutorial_shows(
    frontend: Path, tmp_path: Path
) -> None:
    page = PAGES / "tutorial" / "3-tensorflow-1-program.md"
    write_files(page, tmp_path)
    (tmp_path / "venv").symlink_to(frontend.parent.parent)
    (tmp_path / "runtime").symlink_to(ROOT / "runtime")
    hold(list(shown(page)), tmp_path)


# Numbers with commas, and an i that is no small I.
_LOCALES = ("de_DE", "tr_TR")
# The frontend's tests of what becomes text, or is made of it.
_OF_TEXTS = (
    "locales", "graph_def", "host_functions", "messages", "parsing", "platform", "raw_ops",
    "readers", "run", "sequences", "session", "summaries", "tensor_messages", "texts", "timeline",
)  # fmt: skip


@pytest.fixture(scope="module")
def locales(base: Path) -> dict[str, dict[str, str]]:
    """The variables with which tests run in each of the locales, which are made here."""
    for name in _LOCALES:
        (base / "locales").mkdir(exist_ok=True)
        words = ["localedef", "-i", name, "-f", "UTF-8", str(base / "locales" / f"{name}.UTF-8")]
        subprocess.run(words, check=True)  # out of the package `locales`
    place = str(base / "locales")
    return {n: {"LOCPATH": place, "TFBUILD_TEST_LOCALE": f"{n}.UTF-8"} for n in _LOCALES}


@pytest.mark.long
@pytest.mark.parametrize("name", _LOCALES)
def test_the_frontend_passes_its_tests_in_another_locale(
    frontend: Path, locales: dict[str, dict[str, str]], name: str
) -> None:
    tests = [f"test_{one}.py" for one in _OF_TEXTS]
    run_frontend_tests(frontend, *tests, LC_ALL=f"{name}.UTF-8", **locales[name])


@pytest.mark.long
def test_a_full_cache_needs_no_network(built: Project, base: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("a network namespace of its own needs root")
    (base / "offline").mkdir()
    project = Project(base / "offline", built.cache)
    # A namespace begins without even a loopback interface, over which Bazel talks to its server.
    alone = 'ip link set lo up && exec "$@"'
    project.build(before=("unshare", "-n", "--", "sh", "-c", alone, "sh"))


def link_or_copy(file: str, to: str) -> None:
    try:
        os.link(file, to)
    except OSError:  # another file system
        shutil.copy2(file, to)


@pytest.fixture(scope="module")
def survivor(built: Project, base: Path) -> Project:
    """A build in another folder and cache, without a part of the objects, that was stopped by each
    signal while Bazel compiled them.
    """
    (base / "killed").mkdir()
    project = Project(base / "killed", base / "killed-cache")
    make_cache(project.cache)
    for name in ("artifacts", "bazel-disk"):
        shutil.copytree(built.cache / name, project.cache / name, copy_function=link_or_copy)
    actions = project.cache / "bazel-disk" / "ac"
    for known in random.Random(0).sample(kept := sorted(actions.glob("*/*")), len(kept) // 8):
        known.unlink()
    runs = project.folder / "work" / "runs"
    for number in (signal.SIGKILL, signal.SIGINT, signal.SIGTERM):
        earlier = len(list(runs.glob("*")))
        child = subprocess.Popen(
            project.command(), env=project.environment(), cwd=project.folder,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        deadline = time.monotonic() + 400
        before = -1  # a server that was left may still compile: what counts is this run's own
        while before < 0 or len(list(actions.glob("*/*"))) == before:
            assert time.monotonic() < deadline, "nothing has been compiled"
            if before < 0 and len(list(runs.glob("*"))) > earlier:
                before = len(list(actions.glob("*/*")))
            time.sleep(0.2)
        child.send_signal(number)
        assert child.wait(60) == (-9 if number == signal.SIGKILL else 130)
        assert not project.output.exists()
    project.build()
    return project


@pytest.mark.long
def test_no_compiler_warns(survivor: Project) -> None:
    """Nor did one before: Bazel says what the compiler said of each object, cached ones too."""
    logs = [log.read_text() for log in (survivor.folder / "work" / "runs").glob("*/log.txt")]
    assert any("Build completed successfully" in log for log in logs)
    assert not warnings_in("\n".join(logs))


def warnings_in(log: str) -> list[str]:
    """What a compiler said of the runtime's own files."""
    return [line for line in log.splitlines() if re.match(r"(?!external/)\S+: warning: ", line)]


@pytest.mark.long
def test_killed_builds_leave_no_trace_in_the_wheel(built: Project, survivor: Project) -> None:
    """Nor do another folder and another cache."""
    wheels = [next(project.output.glob("*.whl")) for project in (built, survivor)]
    assert digest(wheels[0]) == digest(wheels[1])


def bazel(project: Project, verb: str, *words: str, without: str = "//") -> str:
    """What Bazel says with the configuration of the build, but for options that begin so."""
    scripts = (project.folder / "work" / "runs").glob("*/rerun.sh")
    lines = "\n".join(script.read_text() for script in scripts).splitlines()
    line = [line for line in lines if " --bazelrc=" in line and " build " in line][-1]
    of_build = shlex.split(line.strip("()").split("&&", 1)[1])
    left_out = ("--build_event", "--curses", "//", without)
    command = [w for w in of_build if not w.startswith(left_out)]
    command[command.index("build")] = verb
    done = subprocess.run(
        [*command, *words], cwd=project.source, env=project.environment(), capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout + done.stderr


def run_cpp_tests(project: Project, *words: str, without: str = "//") -> None:
    """Run the C++ tests with the configuration of the build, but for options that begin so.

    What is tested is optimised as it was; what tests it is not, as its compiling takes longest.
    """
    quick = r"--per_file_copt=_test\.cc$@-O0"
    said = bazel(project, "test", "--build_tests_only", quick, *words, without=without)
    assert re.search(r"out of (\d+) tests?: \1 tests? pass", said)
    assert not warnings_in(said)


def test_the_runtime_passes_its_own_tests(built: Project) -> None:
    """The C++ tests of all folders but kernels, with a few rounds of the fuzzers."""
    targets = ("//...", "-//emulation/...", "-//kernels/...")
    run_cpp_tests(built, "--test_env=TFBUILD_FUZZ_PERCENT=4", "--", *targets)


@pytest.mark.long
@pytest.mark.parametrize("folder", ["kernels", "emulation"])
def test_kernels_pass_their_tests_here_and_on_emulated_gpus(built: Project, folder: str) -> None:
    """Minutes to compile: the frontend's tests look at each kernel, too."""
    run_cpp_tests(built, f"//{folder}/...")


@pytest.mark.long
def test_any_input_of_a_kernel_and_any_graph_of_the_passes_end_well(built: Project) -> None:
    run_cpp_tests(built, "--test_arg=Fuzz", "//session/...")


@pytest.mark.long
@pytest.mark.parametrize("name", _LOCALES)
def test_the_runtime_passes_its_own_tests_in_another_locale(
    built: Project, locales: dict[str, dict[str, str]], name: str
) -> None:
    """All but the fuzzers and the emulated GPUs, which take minutes and read no numbers."""
    variables = [f"--test_env={key}={value}" for key, value in locales[name].items()]
    folders = ("base", "tensor", "graph", "io", "linalg", "kernels", "passes", "session")
    targets = [f"//{folder}/..." for folder in folders]
    run_cpp_tests(built, *variables, "--test_arg=-Fuzz", *targets)


# Those that take minutes where kernels are emulated, or are about the processor's memory, or the
# stacks of its threads, or how the library is loaded.
_NOT_EMULATED = (
    "digits", "interrupts", "memory", "little_memory", "survival", "large_files", "load",
    "small_stacks",
)  # fmt: skip


@pytest.mark.long
def test_the_frontend_passes_its_tests_on_emulated_gpus(survivor: Project, base: Path) -> None:
    """Whole programs on GPUs that end the process where a kernel gets memory of the host."""
    bazel(survivor, "build", "//emulation:libtfbuild_cuda.so", "//emulation:libcuda.so.1")
    built_at = Path(bazel(survivor, "info", "bazel-bin").strip().splitlines()[0])
    venv = base / "emulated"
    subprocess.run([survivor.python(), "-m", "venv", venv], check=True)
    (wheel,) = survivor.output.glob("*.whl")
    needed = [str(wheel), "hypothesis", "ml_dtypes", "numpy", "pytest"]
    subprocess.run([venv / "bin/python", "-m", "pip", "install", "--quiet", *needed], check=True)
    (package,) = venv.glob("lib/python*/site-packages/tfbuild_runtime")
    for name in ("libtfbuild_cuda.so", "libcuda.so.1"):
        shutil.copy(built_at / "emulation" / name, package)
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | {
        # Its kernels register themselves with the wheel's library.
        "LD_PRELOAD": str(package / "libtfbuild_runtime.so"), "LD_LIBRARY_PATH": str(package),
        "TFBUILD_GPU_ALGORITHMS": str(base / "algorithms"),
    }  # fmt: skip
    seen = "import tfbuild_runtime.compat.v1 as tf; print(tf.Session().list_devices())"
    done = subprocess.run(
        [venv / "bin/python", "-c", seen], env=environment, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    assert "an emulated GPU" in done.stdout
    tests = ROOT / "runtime/python/tests"
    left_out = [f"--ignore={tests / f'test_{name}.py'}" for name in _NOT_EMULATED]
    done = subprocess.run(
        [venv / "bin/python", "-m", "pytest", "-q", "-p", "no:cacheprovider", *left_out, tests],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-1000:]


@pytest.mark.long
@pytest.mark.parametrize(
    ("sanitizers", "folders"), [("asan,ubsan", "base,tensor,io"), ("tsan", "base,tensor")]
)
def test_the_runtime_passes_its_tests_under_sanitizers(
    survivor: Project, sanitizers: str, folders: str
) -> None:
    """The folders below the kernels: threads, memory, files. All others take ten times as long."""
    configs = [f"--config={sanitizer}" for sanitizer in sanitizers.split(",")]
    targets = [f"//{name}/..." for name in folders.split(",")]
    run_cpp_tests(survivor, *configs, *targets, without="--compilation_mode")


@pytest.mark.long
def test_what_changed_last_passes_its_tests_under_sanitizers(survivor: Project) -> None:
    """Those files and their neighbours, compiled as for the build; the others are the build's.

    Without the fuzzers, each round of which is a process, without what compares bits of two files,
    as a sanitiser keeps the compiler from joining some products with sums, and without the
    sanitiser of threads, which has to see every file.
    """
    left_out = ("Fuzz", "ElementFormula", "ElementwiseChain", "MatMulChain", "RunVectorised")
    sources = last_changed_sources(8)
    options = ("-fsanitize=address", "-fsanitize=undefined")
    of_files = (*options, "-fno-sanitize-recover=all", "-g1", "-fno-omit-frame-pointer", "-w")
    run_cpp_tests(
        survivor,
        f"--per_file_copt=^(.*/)?({'|'.join(map(compiled_file, sources))})$@{','.join(of_files)}",
        *(f"--linkopt={option}" for option in options), "--strip=never", "--test_timeout=900",
        "--test_tag_filters=-no-sanitizer", *(f"--test_arg=-{name}" for name in left_out),
        "--test_env=UBSAN_OPTIONS=print_stacktrace=1", *(f"//{name}/..." for name in ABOVE),
    )  # fmt: skip
    built_at = Path(bazel(survivor, "info", "bazel-bin").strip().splitlines()[0])
    for source in sources:
        folder, stem = Path(source).parts[0], Path(source).stem
        objects = (built_at / folder / "_objs" / folder).rglob("*.pic.o")
        of_source = [at for at in objects if stem in at.name.removesuffix(".pic.o").split("+")]
        assert any(b"__asan_report" in at.read_bytes() for at in of_source), source

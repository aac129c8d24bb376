"""The pieces of the day: what each runs, in at most its minutes, and what it says of that."""

import json
import os
import shlex
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.gpu_day.bench import Bench, PieceFailed

TEST_TARGETS = (
    "//kernels:kernels_test",
    "//emulation:cuda_device_test",
    "//python:gpu_tests/libtfbuild_cuda.so",
)
SANITIZER = "nvidia-cuda-sanitizer-api>=13,<14"
# Of all tests only these, since under a tool a kernel takes up to a hundred times as long: every
# kernel once (DevicesAgree), and those that share memory or threads.
SANITIZED = {
    "memcheck": ("DevicesAgree", "Conv", "Pool", "Training"),
    "racecheck": ("Softmax", "Sum", "Transpose", "ArgMax"),
    "synccheck": ("Softmax", "Sum", "Transpose", "ArgMax"),
    "initcheck": ("Gather", "Concat", "Pad"),
}
OTHERS = {"torch": "torch", "tensorflow": "tensorflow[and-cuda]"}
SPEED = Path(__file__).parent / "in_wheel" / "speed.py"
WORKERS = 8  # of the frontend's tests, which share the GPU
SHARED_GPU = {"TFBUILD_GPU_MEMORY_FRACTION": "0.1"}
ACCURACY = SPEED.with_name("accuracy.py")
ALL_DIGITS = {"TFBUILD_ALLOW_TF32": "0"}
CHECKS = Path("tfbuild/probes/smoke_gpu.py")
FRONTEND = Path("runtime/python/tests")


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One piece; `run` yields lines for the results, and raises PieceFailed."""

    name: str
    minutes: int
    does: str
    run: Callable[[Bench], Iterator[str]]
    needs_gpu: bool = True


def build(bench: Bench) -> Iterator[str]:
    """The wheel for this GPU, audited and smoke-tested as far as this machine can."""
    words = ["build", "--cuda", "--arch", bench.gpu.architecture, *bench.request, "--skip-perf"]
    bench.run([*bench.tfbuild, *words, "--output", str(bench.dist)])
    wheel = bench.wheel()
    yield f"{wheel.name}, {wheel.stat().st_size / 1e6:.1f} MB"


def programs(bench: Bench) -> Iterator[str]:
    """The C++ tests, the kernels and the libraries that they run, configured as the build was."""
    from tfbuild.wheels.elf import read_elf  # which a machine with a GPU may not have what for

    words = build_words(bench.rerun_script())
    at = words.index("build")
    flags = [word for word in words[at + 1 :] if not word.startswith(("//", "--build_event"))]
    runtime = bench.root / "runtime"
    bench.run([*words[:at], "build", *flags, *TEST_TARGETS], folder=runtime)
    said = bench.run([*words[:at], "info", *flags, "bazel-bin"], folder=runtime)
    built = Path(said.strip().splitlines()[-1])
    bench.tests.mkdir(parents=True, exist_ok=True)  # what else is there may be somebody's own
    needed: set[str] = set()
    for target in TEST_TARGETS:
        path = built / target.strip("/").replace(":", "/")
        _lay(path, bench.tests)
        needed |= {*read_elf(path.name, path.read_bytes()).needed}
        yield f"{path.name}: {path.stat().st_size / 1e6:.1f} MB"
    for path in built.glob("_solib_*/**/*.so*"):
        if path.name in needed and "@cuda" not in path.parent.name:  # packages bring CUDA's
            _lay(path, bench.tests)


def _lay(path: Path, folder: Path) -> None:
    """Copy a file of Bazel's into a folder; an earlier one of its name cannot be written over."""
    (folder / path.name).unlink(missing_ok=True)
    shutil.copy(path, folder)


def build_words(script: str) -> list[str]:
    """The call of Bazel in a run's script; PieceFailed where there is none."""
    lines = [line for line in script.splitlines() if " --bazelrc=" in line and " build " in line]
    if not lines:
        raise PieceFailed("the build has left no call of Bazel: run the piece `build` first")
    return shlex.split(lines[-1].strip("()").split("&&", 1)[1])


def smoke(bench: Bench) -> Iterator[str]:
    """The smoke test's checks for GPUs; none may fail or be skipped."""
    said = bench.run([bench.with_wheel(), str(CHECKS), "--module", "tfbuild_runtime.compat.v1"])
    checks = json.loads(said.splitlines()[-1])["checks"]
    bad = [f"{r['name']} {r['state']}: {r['reason']}" for r in checks if r["state"] != "passed"]
    if bad or not checks:
        raise PieceFailed("; ".join(bad) or "there were no checks")
    yield f"{len(checks)} checks passed"


def kernels(bench: Bench) -> Iterator[str]:
    """Every C++ test on the GPU: with the pool of memory, then with a block for each tensor."""
    for pool in ("1", "0"):
        said = bench.run_test("kernels_test", env={"TFBUILD_GPU_POOL": pool})
        yield f"kernels_test, pool {pool}: {_counts(said)}"
    yield f"cuda_device_test: {_counts(bench.run_test('cuda_device_test'))}"


def _counts(said: str) -> str:
    """The last line of a test program; PieceFailed where its tests saw no GPU."""
    if "GPU support is off" in said:
        raise PieceFailed(next(line for line in said.splitlines() if "GPU support is off" in line))
    return said.strip().splitlines()[-1]


def frontend(bench: Bench) -> Iterator[str]:
    """The frontend's tests: sessions take the GPU for every op that has a kernel for it."""
    workers = ["--numprocesses", str(min(os.cpu_count() or 1, WORKERS)), "--dist", "worksteal"]
    # A plugin that an interpreter of the machine's may have warns of several workers.
    plugins = ["-p", "no:cacheprovider", "-p", "no:benchmark"]
    words = ["-m", "pytest", "-q", *plugins, *workers, str(bench.root / FRONTEND)]
    yield bench.run([bench.with_wheel(), *words], env=SHARED_GPU).strip().splitlines()[-1]


def accuracy(bench: Bench) -> Iterator[str]:
    """Each kernel's largest error on the GPU; those that lose more than the processor's."""
    said = bench.run(
        [bench.with_wheel(), str(ACCURACY), str(bench.root / FRONTEND)], env=ALL_DIGITS
    )
    found = json.loads(said.splitlines()[-1])
    worse = {
        name: (units, limit) for name, (units, limit) in found.items()
        if units is None or units > limit + 0.1
    }  # fmt: skip
    yield f"{len(found) - len(worse)} of {len(found)} kernels and types as exact as the processor's"
    for name, (units, limit) in worse.items():
        yield f"{name}: {'not finite' if units is None else f'{units:.1f}'} ulp ({limit})"


def sanitizer(bench: Bench) -> Iterator[str]:
    """compute-sanitizer over the kernels; from the package index where the machine has none."""
    tool = bench.find("compute-sanitizer", SANITIZER)
    for check, tests in SANITIZED.items():
        for name in tests:
            wrapper = [tool, "--tool", check, "--error-exitcode", "1"]
            said = bench.run_test(
                "kernels_test", name, env={"TFBUILD_GPU_POOL": "0"}, wrapper=wrapper
            )
            summary = [line for line in said.splitlines() if "SUMMARY" in line]
            yield f"{check} {name}: {' '.join(summary) or 'no summary'}"


def speed(bench: Bench) -> Iterator[str]:
    """The wheel beside PyTorch and TensorFlow, each in an environment of its own."""
    pythons = {"tfbuild_runtime": bench.with_wheel()}
    for library, requirement in OTHERS.items():
        if python := bench.with_library(library, requirement):
            pythons[library] = python
        else:
            yield f"{library} is not here"
    found: dict[str, dict[str, dict[str, object]]] = {}
    for library, python in pythons.items():
        found[library] = json.loads(bench.run([python, str(SPEED), library]).splitlines()[-1])
    yield from speed_table(found)


def speed_table(found: dict[str, dict[str, dict[str, object]]]) -> Iterator[str]:
    """One line for each quantity: the libraries' values, and ours over each of the others."""
    for name in next(iter(found.values())):
        cells = []
        ours = found["tfbuild_runtime"][name].get("value")
        for library, results in found.items():
            result = results[name]
            value = result.get("value")
            if not isinstance(value, float):
                cells.append(f"{library} failed ({result.get('failed', 'no value')})")
                continue
            ratio = f" (x{ours / value:.2f})" if isinstance(ours, float) and ours != value else ""
            cells.append(f"{library} {value:.4g} {result['unit']}{ratio}")
        yield f"{name}: {', '.join(cells)}"


PIECES = (
    Piece(
        name="build", minutes=9, does="a wheel for this GPU, audited", run=build, needs_gpu=False
    ),
    Piece(
        name="programs", minutes=9, does="the C++ tests, compiled", run=programs, needs_gpu=False
    ),
    Piece(name="smoke", minutes=1, does="the wheel's first steps", run=smoke),
    Piece(name="kernels", minutes=5, does="every C++ test on the GPU", run=kernels),
    Piece(name="frontend", minutes=4, does="the frontend's tests on the GPU", run=frontend),
    Piece(name="accuracy", minutes=2, does="how exact each kernel is", run=accuracy),
    Piece(name="speed", minutes=4, does="PyTorch and TensorFlow beside the wheel", run=speed),
    Piece(name="sanitizer", minutes=6, does="compute-sanitizer's four tools", run=sanitizer),
)
MINUTES = sum(piece.minutes for piece in PIECES)

"""The pieces of the day: what each runs, in at most its minutes, and what it says of that."""

import json
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
LIBRARIES = {"tfbuild_runtime": "", "torch": "torch", "tensorflow": "tensorflow[and-cuda]"}
SPEED = Path(__file__).parent / "in_wheel" / "speed.py"


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One piece; `run` yields lines for the results, and raises PieceFailed."""

    name: str
    minutes: int
    does: str
    run: Callable[[Bench], Iterator[str]]


def build(bench: Bench) -> Iterator[str]:
    """The wheel for this GPU, audited and smoke-tested; its rungs on the GPU must have passed."""
    words = ["build", "--cuda", "--arch", bench.gpu.architecture, "--skip-perf"]
    bench.run([*bench.tfbuild, *words, "--output", str(bench.dist)])
    wheel = bench.wheel()
    yield f"{wheel.name}, {wheel.stat().st_size / 1e6:.1f} MB"
    report = json.loads((bench.dist / "report.json").read_text())
    yield from _rungs(report["smoke"]["rungs"])


def _rungs(rungs: list[dict[str, str]]) -> Iterator[str]:
    on_gpu = [rung for rung in rungs if rung["name"].startswith("GPU: ")]
    bad = [f"{r['name']} {r['state']}: {r['reason']}" for r in on_gpu if r["state"] != "passed"]
    if bad or len(on_gpu) < 2:
        raise PieceFailed("; ".join(bad) or "the smoke test saw no GPU")
    yield f"{len(on_gpu)} rungs of the smoke test passed on the GPU"


def programs(bench: Bench) -> Iterator[str]:
    """The C++ tests and the kernels that they run, with the configuration of the build."""
    words = build_words(bench.rerun_script())
    at = words.index("build")
    flags = [word for word in words[at + 1 :] if not word.startswith(("//", "--build_event"))]
    runtime = bench.root / "runtime"
    bench.run([*words[:at], "build", *flags, *TEST_TARGETS], folder=runtime)
    said = bench.run([*words[:at], "info", *flags, "bazel-bin"], folder=runtime)
    built = Path(said.strip().splitlines()[-1])
    shutil.rmtree(bench.tests, ignore_errors=True)
    bench.tests.mkdir(parents=True)
    for target in TEST_TARGETS:
        path = built / target.strip("/").replace(":", "/")
        shutil.copy(path, bench.tests)
        yield f"{path.name}: {path.stat().st_size / 1e6:.1f} MB"
    shared = sorted({path.parent for path in built.glob("_solib_*/**/*.so*")})
    (bench.tests / "search").write_text(":".join(map(str, [bench.tests, *shared])))


def build_words(script: str) -> list[str]:
    """The call of Bazel in a run's script; PieceFailed where there is none."""
    lines = [line for line in script.splitlines() if " --bazelrc=" in line and " build " in line]
    if not lines:
        raise PieceFailed("the build has left no call of Bazel: run the piece `build` first")
    return shlex.split(lines[-1].strip("()").split("&&", 1)[1])


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
    found: dict[str, dict[str, dict[str, object]]] = {}
    for library, requirement in LIBRARIES.items():
        wanted = [requirement] if requirement else [f"{bench.wheel()}[cuda13]"]
        python = bench.environment(library, wanted)
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
    Piece(name="build", minutes=10, does="a wheel for this GPU, audited and tried", run=build),
    Piece(name="programs", minutes=10, does="the C++ tests, compiled", run=programs),
    Piece(name="kernels", minutes=5, does="every C++ test on the GPU", run=kernels),
    Piece(name="sanitizer", minutes=8, does="compute-sanitizer's four tools", run=sanitizer),
    Piece(name="speed", minutes=7, does="PyTorch and TensorFlow beside the wheel", run=speed),
)
MINUTES = sum(piece.minutes for piece in PIECES)

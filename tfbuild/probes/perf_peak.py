"""What this machine can do at most, in float32: operations per second, and bytes moved per second.

Operations: a loop of fused multiply-adds in registers, on as many threads as there are processors.
It is machine code, written out below, because no library has such a call; where it cannot run,
products of 2048 x 2048 by NumPy stand for it. Bytes: a copy, or the sum that perf_elementwise
measures, by as many threads, reads and writes counted. Of several ways the fastest is taken.
Neither depends on the module under test, so only NumPy's run measures them.
"""

import ctypes
import mmap
import os
import platform
import statistics
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import probe_tools as probe

COPY_BYTES = 256 * 1024 * 1024
SUM_COUNT = 16 * 1024 * 1024  # as perf_elementwise: a cache that holds it is part of the peak
PRODUCT_SIZE = 2048
FMAS_PER_LOOP = 13
# vxorps xmm0..xmm13 with themselves; loop: vfmadd231ps R13, R13, R0 .. R12; dec rdi; jnz loop;
# vzeroupper; ret. The loop over ymm registers, then the one over zmm registers.
CLEAR = (
    "c5f857c0c5f057c9c5e857d2c5e057dbc5d857e4c5d057edc5c857f6c5c057ff"
    "c4413857c0c4413057c9c4412857d2c4412057dbc4411857e4c4411057ed"
)
LOOPS = {
    "avx512f": (
        16,
        (
            "62d21548b8c562d21548b8cd62d21548b8d562d21548b8dd62d21548b8e562d21548b8ed62d21548b8f5"
            "62d21548b8fd62521548b8c562521548b8cd62521548b8d562521548b8dd62521548b8e5"
            "48ffcf75adc5f877c3"
        ),
    ),
    "fma": (
        8,
        (
            "c4c215b8c5c4c215b8cdc4c215b8d5c4c215b8ddc4c215b8e5c4c215b8edc4c215b8f5"
            "c4c215b8fdc44215b8c5c44215b8cdc44215b8d5c44215b8ddc44215b8e548ffcf75bac5f877c3"
        ),
    ),
}


def on_every_processor(call, parts, rounds):
    """Seconds of each round in which call runs on all parts at once, a processor for each."""
    places = list(zip(sorted(os.sched_getaffinity(0)), parts))

    def pinned(place):
        os.sched_setaffinity(0, {place[0]})  # of this thread alone
        call(place[1])

    values = []
    with ThreadPoolExecutor(len(places)) as pool:
        for _ in range(rounds + 1):
            start = time.perf_counter()
            list(pool.map(pinned, places))
            values.append(time.perf_counter() - start)
    return values[1:]


def processors():
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0))


def machine_loops():
    """Lanes and the loop as a function of its count, for each loop that this processor can run."""
    if platform.machine() != "x86_64":
        return []
    flags = Path("/proc/cpuinfo").read_text().partition("flags")[2].partition("\n")[0].split()
    try:
        return [machine_loop(*entry) for flag, entry in LOOPS.items() if flag in flags]
    except OSError:  # memory that can be written and run is forbidden here
        return []


def machine_loop(lanes, code):
    """Lanes and the loop as a function of its count; OSError where no such memory is given."""
    memory = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    memory.write(bytes.fromhex(CLEAR + code))
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    # The default argument keeps the memory for as long as the function lives.
    call = ctypes.CFUNCTYPE(None, ctypes.c_uint64)(address)
    return lanes, lambda count, _memory=memory: call(count)


def loop_rates(lanes, loop, rounds):
    """Operations per second of all threads together, one value per round."""
    count = 20_000_000
    workers = processors()
    operations = count * FMAS_PER_LOOP * lanes * 2 * workers
    return [
        operations / seconds / 1e9
        for seconds in on_every_processor(loop, [count] * workers, rounds)
    ]


def product_rates(seconds):
    """Operations per second of NumPy's products."""
    random = np.random.default_rng(0)
    shape = (PRODUCT_SIZE, PRODUCT_SIZE)
    left, right = (random.standard_normal(shape, dtype=np.float32) for _ in range(2))
    out = np.empty_like(left)
    pieces = probe.Pieces(lambda: np.matmul(left, right, out=out), seconds)
    return [2 * PRODUCT_SIZE**3 / pieces.piece() / 1e9 for _ in range(5)]


def copy_rates(rounds):
    """Bytes per second of all threads together, one value per round."""
    source = np.ones(COPY_BYTES // 8)
    target = np.zeros_like(source)
    parts = [np.array_split(array, processors()) for array in (target, source)]
    seconds = on_every_processor(lambda pair: np.copyto(*pair), zip(*parts), rounds)
    return [2 * COPY_BYTES / value / 1e9 for value in seconds]


def sum_rates(rounds):
    """Bytes per second of all threads together that add two vectors, one value per round."""
    arrays = [np.ones(SUM_COUNT, np.float32) for _ in range(3)]
    parts = [np.array_split(array, processors()) for array in arrays]
    seconds = on_every_processor(lambda part: np.add(*part[:2], out=part[2]), zip(*parts), rounds)
    return [3 * arrays[0].nbytes / value / 1e9 for value in seconds]


def main():
    """Measure both."""
    options = probe.arguments(__doc__)
    if options.module != "numpy":
        probe.finish({"measurements": {}})
        return
    found = machine_loops()
    loops = [loop_rates(*loop, rounds=6) for loop in found]
    rates = max(loops or [product_rates(options.seconds)], key=statistics.median)
    moved = max(copy_rates(5), sum_rates(5), key=statistics.median)
    probe.finish(
        {
            "measurements": {
                "peak_flops": probe.measurement(rates, "GFLOP/s", higher_is_better=True),
                "peak_bandwidth": probe.measurement(moved, "GB/s", higher_is_better=True),
            },
            "peak_from": "multiply-add loop" if found else "NumPy product",
        }
    )


if __name__ == "__main__":
    main()

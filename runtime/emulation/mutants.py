#!/usr/bin/env python3
"""Plants faults in code for GPUs, one at a time, and says which the tests find on emulated ones.

    bazel build //emulation/...
    python3 emulation/mutants.py bazel-bin            # or: bazel-bin pack Softmax, for some of them

Each fault is compiled into a library of its own (of the executor: into a test program of its own),
with the objects of that build for the rest. It lies in a folder of its own with the test program,
which looks for the library beside itself. Words behind the folder choose the faults that have one
of them in their name, file or tests. Ends with 1 where a fault was not found.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

RUNTIME = Path(__file__).resolve().parent.parent
_COMPILE = (
    "g++", "-std=c++17", "-O1", "-fPIC", "-fno-math-errno", "-fno-trapping-math", "-Wno-psabi",
    "-w", "-c",
)  # fmt: skip
_AS_CUDA = ("-D__CUDACC__", "-include", "cuda_runtime.h", "-x", "c++")
SECONDS = 300  # of one run: a fault may make it endless
# What a program wants of its GPUs: as the .sh files here.
PROGRAMS = {
    "kernels_test": {"EMULATION_GPUS": "2"},
    "cuda_device_test": {"EMULATION_GPUS": "2,5", "EMULATION_STRICT": "1"},
    "steps_test": {"EMULATION_GPUS": "2,5", "EMULATION_STRICT": "1"},
    "large_test": {
        "EMULATION_GPUS": "1048576", "EMULATION_GIGABYTES": "64", "EMULATION_BLOCKS": "1024",
    },
}  # fmt: skip


class Fault(NamedTuple):
    """`old` becomes `new` in `file`; `unit` is what must be compiled, `tests` what should fail."""

    name: str
    file: str
    old: str
    new: str
    unit: str
    tests: str
    program: str = "kernels_test"

    def has_one_of(self, words: list[str]) -> bool:
        """Return whether a word is part of what the fault is called by."""
        return any(word in text for word in words for text in (self.name, self.file, self.tests))


_GROUP = "kernels/framework/cuda_group.cuh"
_SOFTMAX = "kernels/nn/softmax.cu"
_REDUCE = "kernels/framework/reduction.cu"
_COPY = "kernels/framework/strided_copy.cu"
_MAP = "kernels/framework/cuda_elementwise.cuh"
_ADD = "kernels/math/add.cu"
_CHAIN = "kernels/math/elementwise_chain.cu"
_DEVICE = "tensor/cuda_device.cc"
_LT = "kernels/framework/cuda_cublaslt.cc"
_EPILOGUE = "kernels/framework/epilogue.cu"
_CUDNN = "kernels/nn/cuda_cudnn.cc"
_CALLS = "kernels/nn/cuda_cudnn_calls.cc"
_GRAPH = "kernels/nn/cuda_cudnn_graph.cc"
_COPIES = "tensor/cuda_copies.cc"
_STAGING = "tensor/cuda_staging.cc"
_CAPTURE = "tensor/cuda_capture.cc"
_REPLAY = "executor/replay.cc"  # part of the test program
_SYNC = "__syncthreads();\n"

FAULTS = (
    Fault("no barrier before a tile is read", _COPY, _SYNC + "    for (int i", "for (int i",
          _COPY, "Transpose"),
    Fault("no barrier before a tile is written again", _COPY, _SYNC + "  }\n}", "}\n}",
          _COPY, "Transpose"),
    Fault("a tile beyond the edge", _COPY, "row < height && column < width) {\n        to[",
          "row <= height && column < width) {\n        to[", _COPY, "Transpose"),
    Fault("no barrier before partial results are read", _GROUP, _SYNC + "  value = ReduceInWarp",
          "value = ReduceInWarp", _SOFTMAX, "Softmax"),
    Fault("no barrier after partial results were read", _GROUP,
          "__syncthreads();  // the next reduction may write", "", _SOFTMAX, "Softmax"),
    Fault("a shuffle of half a warp", _GROUP, "0xffffffffu", "0x0000ffffu", _REDUCE, "Sum"),
    Fault("a shuffle under a branch", "kernels/math/argmax.cu",
          "best = BestInGroup<kLargest>(best, width, shared);",
          "if (output < outputs) best = BestInGroup<kLargest>(best, width, shared);",
          "kernels/math/argmax.cu", "DevicesAgree"),
    Fault("no barrier between rows of a block", _REDUCE, _SYNC + "    if (threadIdx.y == 0",
          "if (threadIdx.y == 0", _REDUCE, "Sum"),
    Fault("the end of a row and more", _REDUCE, "for (; i < end; i += step)",
          "for (; i <= end; i += step)", _REDUCE, "Sum"),
    Fault("a pack too many", _MAP, "for (int64_t i = FirstIndex(); i < packs; i += IndexStep()) {\n"
          "    map.Locate", "for (int64_t i = FirstIndex(); i <= packs; i += IndexStep()) {\n"
          "    map.Locate", _ADD, "Add"),
    Fault("packs of unaligned data", _MAP, "(map.x_step == 0 || IsAligned<N>(x)) &&", "", _ADD,
          "Add"),
    Fault("packs over the end of a broadcast row", _MAP,
          "map.outer == 0 || map.sizes[map.outer].size % N == 0", "true", _ADD, "DevicesAgree"),
    Fault("elements behind the last pack forgotten", _MAP,
          "for (int64_t i = packs * kN + FirstIndex(); i < count",
          "for (int64_t i = packs * kN + 1 + FirstIndex(); i < count", "kernels/math/neg.cu",
          "DevicesAgree"),
    Fault("a loop that does not go round the grid", "kernels/framework/cuda_launch.cuh",
          "return gridDim.x * int64_t{blockDim.x};", "return int64_t{1} << 40;", _ADD,
          "Add."),
    Fault("a window beyond the image", "kernels/nn/pooling.cuh", "min(input, at * stride",
          "min(input + 1, at * stride", "kernels/nn/pool.cu", "Pool"),
    Fault("the last maximum of a window", "kernels/nn/pooling.cuh",
          "if (start + before == i) return false;", "if (start + before == i) return true;",
          "kernels/nn/pool3d.cu", "Pool3D"),
    Fault("a window of volumes beyond the output", "kernels/nn/conv3d.cu",
          "window < line.output.size ?", "window <= line.output.size ?", "kernels/nn/conv3d.cu",
          "Conv3D"),
    Fault("padding at the wrong end", "kernels/nn/cuda_conv2d.cc",
          "window.pad_before - window.pad_after);\n}", "window.pad_after - window.pad_before);\n}",
          "kernels/nn/cuda_conv2d.cc", "Conv"),
    Fault("a draw beyond the end", "kernels/random/random.cu", "if (i < count) out[i]", "out[i]",
          "kernels/random/random.cu", "Random"),
    Fault("an optimiser beyond the end", "kernels/state/training.cu", "i < count; i += IndexStep()",
          "i <= count; i += IndexStep()", "kernels/state/training.cu", "Training"),
    Fault("a row beyond the tensor", "kernels/array/gather.cu", "row < rows;", "row <= rows;",
          "kernels/array/gather.cu", "Gather"),
    Fault("segments one column aside", "kernels/math/segment_sum.cu", "* inner.size + element;",
          "* inner.size + element + 1;", "kernels/math/segment_sum.cu", "SegmentSum"),
    Fault("casts that end too early", "kernels/math/cast.cu", "= -static_cast<Src>(kMin);",
          "= -static_cast<Src>(kMin) / 2;", "kernels/math/cast.cu", "Cast"),
    Fault("the second pass of many inputs", "kernels/math/add_n.cu", "if (next > 0) inputs",
          "if (next < 0) inputs", "kernels/math/add_n.cu", "AddN"),
    Fault("rows for columns of a product", "kernels/framework/cuda_gemm.cc",
          "gemm.transpose_b ? gemm.k : gemm.n", "gemm.transpose_b ? gemm.n : gemm.k",
          "kernels/framework/cuda_gemm.cc", "MatMul"),
    Fault("an index of 32 bits", "kernels/framework/cuda_launch.cuh",
          "blockIdx.x * int64_t{blockDim.x}", "blockIdx.x * blockDim.x", "kernels/math/equal.cu",
          "Large.Broadcast",
          "large_test"),
    Fault("a quotient of 32 bits", "kernels/framework/cuda_launch.cuh",
          "static_cast<int64_t>((__umul64hi", "static_cast<int>((__umul64hi", _COPY,
          "Large.ManyRows", "large_test"),
    Fault("a chain beyond its end", _CHAIN, "if (j < active) out[i + j]", "out[i + j]", _CHAIN,
          "ElementwiseChain"),
    Fault("a pack over the end of a short row", _CHAIN, "whole(stretch->period) &&", "true &&",
          _CHAIN, "ElementwiseChain"),
    Fault("a slot that another thread has", _CHAIN, "kChainSlot][threadIdx.x] = value",
          "kChainSlot][threadIdx.x / 2] = value", _CHAIN, "ElementwiseChain"),
    Fault("alignments that nobody has stated", _LT,
          "CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, AlignmentOf(product.read[0])",
          "CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, 256u", _LT, "FusedMatMul"),
    Fault("the other matrix transposed", _LT, "gemm.transpose_b ? CUBLAS_OP_T",
          "gemm.transpose_a ? CUBLAS_OP_T", _LT, "FusedMatMul"),
    Fault("no tensor added", _LT, "then.what.residual ? 1.0f : 0.0f", "0.0f", _LT, "FusedMatMul"),
    Fault("an activation for another", _LT, "? CUBLASLT_EPILOGUE_GELU_BIAS",
          "? CUBLASLT_EPILOGUE_RELU_BIAS", _LT, "FusedMatMul"),
    Fault("the first algorithm that works", "kernels/framework/cuda_algorithms.cuh",
          "if (*seconds >= least) continue;", "if (least < 1e9) continue;", _LT, "FusedMatMul"),
    Fault("a bias that begins anew too late", _EPILOGUE, "channels.Split(&channel);", "", _EPILOGUE,
          "Fused"),
    Fault("packs of a bias over its end", _EPILOGUE, "channels % kN == 0 &&", "", _EPILOGUE,
          "Fused"),
    Fault("no activation behind a product", _EPILOGUE, "Activate(activation, sum)", "sum",
          _EPILOGUE, "Fused"),
    Fault("no tensor added to images", _CALLS, "c.then.residual ? &one : &zero", "&zero", _CALLS,
          "FusedConv2D"),
    Fault("an activation that nobody asked for", _CALLS,
          "relu ? CUDNN_ACTIVATION_RELU : CUDNN_ACTIVATION_IDENTITY", "CUDNN_ACTIVATION_RELU",
          _CALLS, "FusedConv2D"),
    Fault("one plan for two activations", _CUDNN, "static_cast<int64_t>(c.then.activation),",
          "0,", _CUDNN, "FusedConv2D"),
    Fault("the first algorithm kept", _CUDNN, "(*best)->name()", "plan->ways.front()->name()",
          _CUDNN, "FusedConv2D"),
    Fault("a graph for better alignment than there is", _CUDNN,
          "bits |= reinterpret_cast<uintptr_t>(data);", "", _CUDNN, "Conv"),
    Fault("no way out of a graph", _CUDNN,
          "if (plan->ways.empty())", "if (false)", _CUDNN, "Conv"),
    Fault("a graph of the other layout", _GRAPH, "if (channels_last) return {",
          "if (!channels_last) return {", _GRAPH, "Conv"),
    Fault("rows padded as columns", _GRAPH, "{c_.rows.pad, c_.cols.pad}",
          "{c_.cols.pad, c_.rows.pad}", _GRAPH, "FusedConv2D"),
    Fault("an engine that rounds floats", _GRAPH,
          "(!allow_tf32 && has(CUDNN_NUMERICAL_NOTE_TENSOR_CORE))", "false", _GRAPH, "Conv"),
    Fault("an engine that makes halves of floats", _GRAPH,
          "has(CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS) ||", "", _GRAPH, "Conv"),
    Fault("a graph that adds no tensor", _GRAPH, "if (c_.then.residual)", "if (false)", _GRAPH,
          "FusedConv2D"),
    Fault("a bias of each image", _GRAPH, "{1, c_.out_channels, 1, 1}",
          "{c_.batch, c_.out_channels, 1, 1}", _GRAPH, "FusedConv2D"),
    Fault("a graph that makes a number of what is none", _GRAPH, "CUDNN_PROPAGATE_NAN",
          "CUDNN_NOT_PROPAGATE_NAN", _GRAPH, "FusedConv2D"),
    Fault("a bias that forgets where channels are", _EPILOGUE, "N == 1 ? area.Quotient(i) : i * N",
          "i * N", _EPILOGUE, "FusedConv2D"),
    Fault("a rest of memory that is in use", "tensor/cuda_allocator.cc",
          "AddFree(part->first + bytes,", "AddFree(part->first + bytes / 2,",
          "tensor/cuda_allocator.cc", "CudaDevice", "cuda_device_test"),
    Fault("neighbours that stay apart", "tensor/cuda_allocator.cc", "TakeIn(part, next);", "",
          "tensor/cuda_allocator.cc", "CudaDevice", "cuda_device_test"),
    Fault("pinned memory filled while it is read", _STAGING,
          "const cudaError_t error = cudaEventSynchronize(piece.event);",
          "const cudaError_t error = cudaSuccess;", _STAGING, "CudaDevice", "cuda_device_test"),
    Fault("pinned memory read before it is filled", _STAGING,
          "const cudaError_t error = cudaEventSynchronize(arrival.piece.event);",
          "const cudaError_t error = cudaSuccess;", _STAGING, "CudaDevice", "cuda_device_test"),
    Fault("a copy into memory that is in use", _COPIES, "return free_since->HoldUp(stream);",
          "return OkStatus();", _COPIES, "CudaDevice", "cuda_device_test"),
    Fault("a copy into memory of the pool that is in use", _COPIES,
          "ASSIGN_OR_RETURN(free_since, CudaMoment::Record(&events_, stream_));",
          "return OkStatus();", _COPIES, "CudaDevice", "cuda_device_test"),
    Fault("kernels that run before their inputs are there", _COPIES,
          "RETURN_IF_ERROR(arrived->HoldUp(stream_));", "", _COPIES, "CudaDevice",
          "cuda_device_test"),
    Fault("a copy to the host of what is not there yet", _COPIES,
          "RETURN_IF_ERROR(static_cast<CudaMoment*>(ready)->HoldUp(to_host_));", "", _COPIES,
          "CudaDevice", "cuda_device_test"),
    Fault("a peer that sends too early", _COPIES,
          "RETURN_IF_ERROR(static_cast<CudaMoment*>(ready)->HoldUp(from_peers_));", "", _COPIES,
          "CudaDevice", "cuda_device_test"),
    Fault("a peer that goes on while it is read", _COPIES,
          "return arrived->HoldUp(static_cast<CudaDevice*>(peer)->stream_);", "return OkStatus();",
          _COPIES, "CudaDevice", "cuda_device_test"),
    Fault("captured work whose memory goes to others", _CAPTURE, "if (ended_) GiveUpFree();",
          "GiveUpFree();", _CAPTURE, "CudaDevice", "cuda_device_test"),
    Fault("a capture that leaves a copy out", _COPIES,
          'RETURN_IF_ERROR(RefuseInCapture("a copy from the host"));', "", _COPIES, "CudaDevice",
          "cuda_device_test"),
    Fault("an index that is checked for the step of the capture", _DEVICE,
          "if (own.ok()) return (capture->fault = *own).get();", "", _DEVICE, "Steps",
          "steps_test"),
    Fault("a wrong index that its step does not look at", _CAPTURE,
          "if (fault_ != nullptr) device_->ExpectFault(step, fault_);", "", _CAPTURE, "Steps",
          "steps_test"),
    Fault("a wrong index reported twice", _DEVICE, "  *fault = IndexFault();\n  const auto&",
          "  const auto&", _DEVICE, "Steps", "steps_test"),
    Fault("convolutions that are not captured", _DEVICE, "if (cudnn_stream_ != wanted) {",
          "if (cudnn_stream_ == nullptr) {", _DEVICE, "Steps", "steps_test"),
    Fault("a workspace outside of the capture", _CUDNN,
          "context->AllocateTemp(DType::kUint8, Shape",
          "Tensor::Allocate(CudaDeviceOf(context)->arrivals(), DType::kUint8, Shape",
          _CUDNN, "Steps", "steps_test"),
    Fault("a step that does not wait for its checks", _DEVICE, "checking_.insert(step);", "",
          _DEVICE, "Steps", "steps_test"),
    Fault("inputs at other addresses", _REPLAY, ": value.raw() == seen.address;", ": true;",
          _REPLAY, "Steps", "steps_test"),
    Fault("inputs of other sizes", _REPLAY, "if (value.shape() != seen.shape) return false;", "",
          _REPLAY, "Steps", "steps_test"),
    Fault("other values on the host", _REPLAY,
          "? std::memcmp(value.raw(), seen.bytes.data(), seen.bytes.size()) == 0", "? true",
          _REPLAY, "Steps", "steps_test"),
    Fault("a result that somebody holds", _REPLAY, "OutputsAreIdle() && work_", "work_",
          _REPLAY, "Steps", "steps_test"),
    Fault("a variable that lies elsewhere", _REPLAY, "|| value.raw() != seen.address ||", "||",
          _REPLAY, "Steps", "steps_test"),
    Fault("a variable that somebody has read", _REPLAY, "|| !value.SoleOwner() ||", "||",
          _REPLAY, "Steps", "steps_test"),
)  # fmt: skip


def plant(fault: Fault, built: Path, folder: Path) -> None:
    """Make what has the fault, the library or the program; all else is copied beside it."""
    text = (RUNTIME / fault.file).read_text()
    if text.count(fault.old) < 1:
        raise SystemExit(f"{fault.name}: {fault.file} no longer has the words {fault.old!r}")
    changed = folder / "source" / fault.file
    changed.parent.mkdir(parents=True)
    changed.write_text(text.replace(fault.old, fault.new, 1))
    unit = folder / "source" / fault.unit
    if unit != changed:
        unit.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(RUNTIME / fault.unit, unit)
    for name in ("libcuda.so.1", "libtfbuild_cuda.so", fault.program):
        shutil.copy(built / "emulation" / name, folder)
    object_file = folder / "mutant.o"
    search = [f"-I{folder / 'source'}", f"-I{RUNTIME}", f"-I{RUNTIME / 'emulation' / 'include'}"]
    in_program = fault.unit == _REPLAY
    kind = () if in_program else _AS_CUDA
    compile_it = [*_COMPILE, *search, *kind, str(unit), "-o", str(object_file)]
    subprocess.run(compile_it, check=True)
    (link_program if in_program else link_library)(fault, built, folder, object_file)


def link_library(fault: Fault, built: Path, folder: Path, object_file: Path) -> None:
    """Make libtfbuild_cuda.so with this object in the place of that of the fault's unit."""
    unit = Path(fault.unit)
    name = unit.name if unit.suffix == ".cu" else unit.stem
    there = built / "emulation/_objs/libtfbuild_cuda.so"
    objects = [str(path) for path in sorted(there.glob("*.o")) if path.name != f"{name}.pic.o"]
    library = folder / "libtfbuild_cuda.so"
    library.unlink()
    link = ["g++", "-shared", "-Wl,-Bsymbolic-functions", "-o", str(library)]
    subprocess.run([*link, str(object_file), *objects, str(folder / "libcuda.so.1")], check=True)


def link_program(fault: Fault, built: Path, folder: Path, object_file: Path) -> None:
    """Link the test program as Bazel did, by the words that it has left beside it."""
    words = (built / "emulation" / f"{fault.program}-2.params").read_text().splitlines()
    ending = f"/{Path(fault.unit).stem}.pic.o"
    if not any(word.endswith(ending) for word in words):
        raise SystemExit(f"{fault.program} is not linked with an object {ending}")
    program = folder / fault.program
    program.unlink()
    words = [str(object_file) if word.endswith(ending) else word for word in words]
    words[words.index("-o") + 1] = str(program)
    # They are relative to the folder that bazel-out lies in.
    subprocess.run(["g++", *words], check=True, cwd=built.parents[2])


def run_tests(program: str, tests: str, built: Path, folder: Path, pool: str) -> str:
    """Run the tests with the library in the folder; return what they said, empty where they failed.

    A test that fails, a process that ends and one that never does are all the same, and so are
    tests of a name that there are none of.
    """
    solib = ":".join(str(path) for path in built.glob("_solib_*/*"))
    algorithms = tempfile.mkdtemp()  # nothing that an earlier run has found
    environment = os.environ | {
        "LD_LIBRARY_PATH": f"{folder}:{solib}", "TFBUILD_GPU_POOL": pool,
        "TFBUILD_GPU_ALGORITHMS": algorithms, **PROGRAMS[program],
    }  # fmt: skip
    words = [str(folder / program), tests]
    try:
        done = subprocess.run(
            words, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return ""
    finally:
        shutil.rmtree(algorithms, ignore_errors=True)
    return done.stdout if done.returncode == 0 else ""


def check_tests(faults: list[Fault], built: Path) -> None:
    """Refuse tests that fail without any fault, or that test nothing on a GPU."""
    there = built / "emulation"
    for program, tests in sorted({(fault.program, fault.tests) for fault in faults}):
        for pool in ("1", "0"):
            said = run_tests(program, tests, built, there, pool)
            if not said or "GPU support is off" in said:
                raise SystemExit(f"{program} {tests} does not pass without a fault (pool {pool})")


def main(words: list[str]) -> int:
    """Return 0 when every fault was found, in one of the two kinds of memory."""
    faults = [fault for fault in FAULTS if not words[1:] or fault.has_one_of(words[1:])]
    if not words or not faults:
        print(__doc__, file=sys.stderr)
        return 2
    built, missed = Path(words[0]).resolve(), 0
    check_tests(faults, built)
    for fault in faults:
        with tempfile.TemporaryDirectory() as folder:
            plant(fault, built, Path(folder))
            found = [
                pool for pool in ("1", "0")
                if not run_tests(fault.program, fault.tests, built, Path(folder), pool)
            ]  # fmt: skip
        missed += not found
        how = {"1": "with a pool", "0": "with a block each"}
        print(f"{fault.name}: {', '.join(how[pool] for pool in found) or 'NOT FOUND'}", flush=True)
    print(f"{len(faults) - missed} of {len(faults)} found")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

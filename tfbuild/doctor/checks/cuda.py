"""CUDA for compiling: the toolkit, its host compiler, kernels per architecture, one release."""

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tfbuild.core.paths import real_path
from tfbuild.core.records import Program
from tfbuild.core.safe_files import text_of
from tfbuild.doctor.checks.model import (
    CheckContext,
    CheckResult,
    CheckSpec,
    ProgramAnswer,
    accepts,
    compiler_of,
    error_line,
    failed,
    install,
    listed,
    passed,
    skipped,
    warned,
)
from tfbuild.doctor.checks.toolkits import (
    CudaToolkit,
    Tree,
    header_number,
    library_number,
    needed_kits,
    trees,
)

_KERNEL = "__global__ void nothing() {}\n"
_KERNEL_SECONDS = 60.0
_AT_ONCE = 4
_OLD_CUDNN = 90_000  # from cuDNN 9 on the number is major * 10000, before it was * 1000


def toolkit(context: CheckContext) -> CheckResult:
    """Which toolkits are installed, and whether one is of the needed version."""
    found, needs = context.tools.host.toolkits, context.needs
    kits = needed_kits(context)
    if kits:
        return passed(", ".join(f"{kit.version} at {kit.nvcc}" for kit in kits))
    here = listed(found) or "none installed"
    if needs.cuda == "none":
        return skipped(f"{here}; {needs.title} does without CUDA")
    if "cuda" in needs.fetches:
        return passed(f"{here}; a build with --cuda fetches one")
    fix = f"install the CUDA toolkit {needs.cuda}, or build in an nvidia/cuda container that has it"
    return failed(f"{here}; CUDA {needs.cuda} is needed", fix)


def host_compiler(context: CheckContext) -> list[CheckResult]:
    """Whether nvcc takes the g++ (and clang++) that the build takes."""
    kits = needed_kits(context)
    if not kits:
        return [skipped(_no_kit(context))]
    compilers = [c for family in ("g++", "clang++") if (c := compiler_of(context, family))]
    if not compilers:
        return [skipped("there is no host compiler here")]
    return [_accepts_compiler(context, kit, compiler) for kit in kits for compiler in compilers]


def kernels(context: CheckContext) -> list[CheckResult]:
    """Whether an empty kernel compiles for each needed architecture."""
    kits = needed_kits(context)
    if not kits:
        return [skipped(_no_kit(context))]
    names = context.needs.architectures or tuple(
        dict.fromkeys(gpu.architecture for gpu in context.tools.host.gpus)
    )
    if not names:
        return [skipped("no architecture is requested, and there is no GPU here")]
    source = context.write("kernel.cu", _KERNEL)
    return [_compiles_kernels(context, kit, source, names) for kit in kits]


def releases(context: CheckContext) -> list[CheckResult]:
    """Whether headers, libraries and nvcc of one toolkit are of one release."""
    found = [result for tree in trees(context) for result in [_one_cuda(context, tree)] if result]
    return found or [skipped("no headers of CUDA here, neither installed nor in the cache")]


def cudnn(context: CheckContext) -> list[CheckResult]:
    """Whether cuDNN's header and library are of one release, and of the needed one."""
    seen: set[Path] = set()
    found = [result for tree in trees(context) if (result := _one_cudnn(context, tree, seen))]
    return found or [skipped("no headers of cuDNN here, neither installed nor in the cache")]


# --- host compiler and kernels -----------------------------------------------------------------


def _accepts_compiler(context: CheckContext, kit: CudaToolkit, compiler: Program) -> CheckResult:
    name = f"nvcc {kit.version} with {compiler.name} {compiler.version}"
    source = context.write("empty.cu", "")
    target = str(context.folder / f"{compiler.name}.ii")
    answer = context.ask(kit.nvcc, "-ccbin", compiler.path, "-E", source, "-o", target)
    if answer.is_ok:
        return passed(f"{name}: accepted")
    is_clang = compiler.name.startswith("clang")
    detail = f"{name}: {error_line(answer.text)}"
    if "unsupported" in answer.text and not is_clang and (newest := _newest_gcc(kit)):
        wanted = install(context.tools, f"g++-{newest}", f"gcc-toolset-{newest}-gcc-c++")
        return failed(detail, f"{wanted}: CUDA {kit.version} takes g++ up to {newest}")
    fix = f"run `{kit.nvcc} -ccbin {compiler.path} -E empty.cu` and see what it says"
    if is_clang and context.needs.clang == "none":
        return warned(detail, "nothing, where the build takes g++")
    return failed(detail, fix)


def _newest_gcc(kit: CudaToolkit) -> int:
    """The newest major version of GCC that a toolkit's host_config.h lets pass."""
    for folder in kit.includes:
        for name in ("crt/host_config.h", "host_config.h"):
            path = folder / name
            if path.is_file():
                text = text_of(path)
                numbers = [int(n) for n in re.findall(r"__GNUC__ > (\d+)", text)]
                if numbers:
                    return max(numbers)
    return 0


def _compiles_kernels(
    context: CheckContext, kit: CudaToolkit, source: str, names: tuple[str, ...]
) -> CheckResult:
    answer = _compile(context, kit, source, names)
    if answer.is_ok:
        return passed(f"nvcc {kit.version} compiles for {' '.join(names)}")
    if "unsupported" in answer.text and "version" in answer.text:
        return skipped(f"nvcc {kit.version} does not take the compiler; see cuda.host-compiler")
    with ThreadPoolExecutor(_AT_ONCE) as pool:  # which of them it is, one by one
        answers = list(pool.map(lambda name: _compile(context, kit, source, (name,)), names))
    bad = [name for name, answer in zip(names, answers, strict=True) if not answer.is_ok]
    if len(bad) == len(names):
        fix = f"run `{kit.nvcc} -cubin` on a file with one kernel; install the toolkit again"
        return failed(f"nvcc {kit.version} compiles no kernel: {error_line(answer.text)}", fix)
    if not bad:
        return passed(f"nvcc {kit.version} compiles for {' '.join(names)}, one by one")
    why = next(error_line(answer.text) for answer in answers if not answer.is_ok)
    fix = f"take a CUDA that knows them (tfbuild resolve gpu={bad[0]}), or leave them out"
    return failed(f"nvcc {kit.version} does not compile for {' '.join(bad)}: {why}", fix)


def _compile(
    context: CheckContext, kit: CudaToolkit, source: str, names: tuple[str, ...]
) -> ProgramAnswer:
    compiler = compiler_of(context, "g++") or compiler_of(context, "clang++")
    target = str(context.folder / f"{len(names)}_{names[0]}.fatbin")
    with_compiler = ("-ccbin", compiler.path) if compiler else ()
    # Toolkits before 11.3 do not know --threads; they do with one thread as well.
    threads = ("--threads", "0") if len(names) > 1 and accepts(">=11.3", kit.version) else ()
    words = (kit.nvcc, *with_compiler, *threads, "-fatbin", *_codes(names), source, "-o", target)
    return context.ask(*words, seconds=_KERNEL_SECONDS)


def _codes(names: tuple[str, ...]) -> list[str]:
    """What nvcc is asked for: plain names share one run of the slow front end, by the oldest."""
    plain = sorted((int(name[3:]), name) for name in names if re.fullmatch(r"sm_\d+", name))
    words = []
    if plain:
        together = ",".join(name for _, name in plain)
        words += ["-gencode", f"arch=compute_{plain[0][0]},code=[{together}]"]
    for name in names:
        if not re.fullmatch(r"sm_\d+", name):  # compute_120, sm_90a
            words += ["-gencode", f"arch=compute_{name.rpartition('_')[2]},code={name}"]
    return words


# --- releases ----------------------------------------------------------------------------------


def _one_cuda(context: CheckContext, tree: Tree) -> CheckResult | None:
    """CUDA_VERSION, CUDART_VERSION, libcudart and nvcc of one tree, side by side."""
    driver = header_number(tree.includes, "cuda.h", "CUDA_VERSION")
    runtime = header_number(tree.includes, "cuda_runtime_api.h", "CUDART_VERSION")
    if not (driver or runtime):
        return None
    _, library = library_number(context, tree.libraries, "cudart")
    found = {
        "cuda.h": _cuda_text(driver[0]) if driver else "",
        "cuda_runtime_api.h": _cuda_text(runtime[0]) if runtime else "",
        "libcudart": _cuda_text(library) if library else "",
        "nvcc": ".".join(tree.nvcc_version.split(".")[:2]),
    }
    return _agree(tree.name, found, "install the toolkit's packages again, all of one release")


def _one_cudnn(context: CheckContext, tree: Tree, seen: set[Path]) -> CheckResult | None:
    """cuDNN's header beside its library; one that several toolkits share is reported once."""
    macros = ("CUDNN_MAJOR", "CUDNN_MINOR", "CUDNN_PATCHLEVEL")
    numbers: tuple[int, ...] = ()
    for name in ("cudnn_version.h", "cudnn.h"):  # before cuDNN 8 they stood in the latter
        where = next((f / name for f in tree.includes if (f / name).is_file()), None)
        numbers = header_number(tree.includes, name, *macros)
        if where and numbers:
            if real_path(where) in seen:
                return None
            seen.add(real_path(where))
            break
    if not numbers:
        return None
    header = ".".join(map(str, numbers))
    path, number = library_number(context, tree.libraries, "cudnn")
    if path is None:
        fix = f"install the library of cuDNN {header} beside its header"
        return warned(f"{tree.name}: cudnn_version.h {header}, and no libcudnn", fix)
    if not accepts(context.needs.cudnn, header):
        fix = f"install cuDNN {context.needs.cudnn}, header and library"
        return failed(f"{tree.name}: cuDNN {header}; {context.needs.cudnn} is needed", fix)
    library = _cudnn_text(number) or _soname_text(path, header)
    fix = "install header and library of one release: libcudnn and libcudnn-dev"
    return _agree(tree.name, {"cudnn_version.h": header, path.name: library}, fix)


def _agree(name: str, found: dict[str, str], fix: str) -> CheckResult:
    known = {what: version for what, version in found.items() if version}
    detail = f"{name}: {', '.join(f'{what} {version}' for what, version in known.items())}"
    if len(set(known.values())) > 1:
        return failed(f"{detail}: not one release", fix)
    return passed(detail)


def _cuda_text(number: int) -> str:
    return f"{number // 1000}.{number % 1000 // 10}"


def _cudnn_text(number: int) -> str:
    scale = 10_000 if number >= _OLD_CUDNN else 1000
    return f"{number // scale}.{number % scale // 100}.{number % 100}" if number else ""


def _soname_text(path: Path, header: str) -> str:
    """The version in the file's name, with as many numbers as it has; the rest as in the header."""
    words = real_path(path).name.partition(".so.")[2].split(".")
    rest = header.split(".")[len(words) :]
    return ".".join([*words, *rest][:3]) if words[0].isdigit() else ""


def _no_kit(context: CheckContext) -> str:
    here = listed(context.tools.host.toolkits)
    needs = context.needs
    if needs.cuda == "none" or not here:
        return "there is no nvcc here"
    return f"there is no nvcc {needs.cuda} here ({here})"


CHECKS = (
    CheckSpec(
        group="cuda",
        name="toolkit",
        looks_at="toolkits that are installed or in the cache",
        look=toolkit,
        seconds=0.1,
        needs_folder=True,
    ),
    CheckSpec(
        group="cuda",
        name="host-compiler",
        looks_at="whether nvcc takes the g++ of this machine",
        look=host_compiler,
        seconds=0.3,
        needs_folder=True,
    ),
    CheckSpec(
        group="cuda",
        name="kernels",
        looks_at="an empty kernel compiled for each requested architecture",
        look=kernels,
        seconds=0.5,
        needs_folder=True,
    ),
    CheckSpec(
        group="cuda",
        name="releases",
        looks_at="cuda.h, cuda_runtime_api.h, libcudart and nvcc being of one release",
        look=releases,
        seconds=0.3,
        needs_folder=True,
    ),
    CheckSpec(
        group="cuda",
        name="cudnn",
        looks_at="cuDNN's header and library being of one release",
        look=cudnn,
        seconds=0.3,
        needs_folder=True,
    ),
)

"""Small source trees that behave as documented of the releases of TensorFlow; none of its code.

The configure.py of a tree reads the same variables in the same ways, writes the same lines, and
has the same faults: it replaces what it does not like without a word.
"""

from dataclasses import dataclass, replace
from pathlib import Path

from tests.configure_scripts import configure_script


@dataclass(frozen=True, slots=True, kw_only=True)
class Era:
    """What distinguishes the releases, as far as a driver meets it."""

    release: str
    bazel: str = ""
    limits: tuple[str, str] = ("", "")  # of Bazel, which configure.py checks
    asks: tuple[str, ...] = ()  # with yes or no, for a build without CUDA
    asks_cuda: tuple[str, ...] = ("TF_NEED_TENSORRT",)
    takes_sm: bool = True
    hermetic: bool = False
    native_host: bool = False  # --host_copt=-march=native whatever is answered
    last: str = "test:v2 --build_tag_filters=-gpu"
    configs: tuple[str, ...] = ("cuda", "cuda_clang", "rocm", "v2", "nogcp", "nonccl", "xla")
    pythons: tuple[str, ...] = ()
    has_wheel_target: bool = False
    takes_gpu_word: bool = True


_OLD = ("TF_NEED_OPENCL_SYCL",)
ERAS = {
    era.release: era
    for era in (
        Era(
            release="1.15.5",
            limits=("0.24.1", "0.26.1"),
            asks=("TF_ENABLE_XLA", *_OLD, "TF_NEED_MPI", "TF_DOWNLOAD_CLANG"),
            takes_sm=False,
            native_host=True,
            last="test --build_tag_filters=-gpu",
            configs=("cuda", "cuda_clang", "rocm", "v1", "v2", "noaws", "nohdfs", "numa", "xla"),
        ),
        Era(
            release="2.4.0",
            bazel="3.1.0",
            limits=("3.1.0", "3.99.0"),
            asks=("TF_DOWNLOAD_CLANG",),
            native_host=True,
            configs=("cuda", "cuda_clang", "rocm", "v1", "v2", "noaws", "nohdfs", "numa", "ngraph"),
        ),
        Era(
            release="2.6.5",
            bazel="3.7.2",
            limits=("3.7.2", "3.99.0"),
            asks=("TF_DOWNLOAD_CLANG",),
            configs=("cuda", "cuda_clang", "rocm", "v1", "v2", "noaws", "nohdfs", "nogcp", "numa"),
        ),
        Era(
            release="2.14.1",
            bazel="6.1.0",
            asks=("TF_NEED_CLANG",),
            pythons=("3.9", "3.10", "3.11"),
            takes_gpu_word=False,
        ),
        Era(
            release="2.17.0",
            bazel="6.5.0",
            asks=("TF_NEED_CLANG",),
            pythons=("3.9", "3.10", "3.11", "3.12"),
            has_wheel_target=True,
        ),
        Era(
            release="2.19.0",
            bazel="6.5.0",
            asks=("TF_NEED_CLANG",),
            asks_cuda=(),
            hermetic=True,
            pythons=("3.9", "3.10", "3.11", "3.12"),
            has_wheel_target=True,
            configs=("cuda", "cuda_clang", "cuda_wheel", "rocm", "v2", "nogcp", "nonccl"),
        ),
        Era(
            release="2.21.0",
            bazel="7.4.1",
            asks=("TF_NEED_CLANG",),
            asks_cuda=(),
            hermetic=True,
            pythons=("3.10", "3.11", "3.12", "3.13"),
            has_wheel_target=True,
            configs=("cuda", "cuda_clang", "cuda_wheel", "rocm", "v2", "nogcp", "nonccl"),
        ),
    )
}


def make_tree(folder: Path, release: str, **changes: object) -> Path:
    """A tree of a release in a folder, which it returns."""
    era = replace(ERAS[release], **changes)  # type: ignore[arg-type]
    package = folder / "tensorflow/tools/pip_package"
    for place in (package, folder / "tools", folder / "third_party/systemlibs"):
        place.mkdir(parents=True, exist_ok=True)
    files = {
        "WORKSPACE": 'workspace(name = "org_tensorflow")\n',
        "BUILD": "",
        "LICENSE": "Apache License, Version 2.0\n",
        "RELEASE.md": f"# Release {release}\n\nWords.\n",
        "configure.py": configure_script(
            asks=era.asks,
            asks_cuda=era.asks_cuda,
            limits=era.limits,
            takes_sm=era.takes_sm,
            hermetic=era.hermetic,
            native_host=era.native_host,
            last=era.last,
        ),
        ".bazelrc": _bazelrc(era),
        "tensorflow/BUILD": _LIBRARY,
        "tensorflow/tools/pip_package/BUILD": _package_build(era),
        "tensorflow/tools/pip_package/build_pip_package.sh": _package_script(era),
        "tensorflow/tools/pip_package/setup.py": _setup(era),
        "third_party/systemlibs/syslibs_configure.bzl": _SYSTEM_LIBS,
        "tools/tf_env_collect.sh": "#!/usr/bin/env bash\n",
    }
    if era.release == "2.21.0":
        files["tensorflow/tf_version.bzl"] = f'TF_VERSION = "{era.release}"\n'
        files["tensorflow/tensorflow.bzl"] = 'load("//tensorflow:tf_version.bzl", "TF_VERSION")\n'
    else:
        files["tensorflow/tensorflow.bzl"] = f'VERSION = "{era.release}"\n'
    if era.bazel:
        files[".bazelversion"] = f"# a remark\n{era.bazel}\n# another\n"
    if era.pythons:
        names = "TF_PYTHON_VERSION" + (" HERMETIC_PYTHON_VERSION" if era.hermetic else "")
        listed = ", ".join(f'"{python}"' for python in era.pythons)
        files["third_party/py/python_repo.bzl"] = f"# {names}\nVERSIONS = [{listed}]\n"
    if era.hermetic:
        files["third_party/gpus/cuda/hermetic/cuda_redist_versions.bzl"] = _LISTS
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (package / "build_pip_package.sh").chmod(0o755)
    return folder


def make_cuda(folder: Path, cuda: str = "11.2", cudnn: str = "8.1.1") -> Path:
    """Headers of a CUDA toolkit and a cuDNN, as far as versions are read from them."""
    include = folder / "include"
    include.mkdir(parents=True)
    major, minor = cuda.split(".")
    (include / "cuda.h").write_text(f"#define CUDA_VERSION {int(major) * 1000 + int(minor) * 10}\n")
    parts = zip(("MAJOR", "MINOR", "PATCHLEVEL"), cudnn.split("."), strict=True)
    lines = (f"#define CUDNN_{name} {number}\n" for name, number in parts)
    (include / "cudnn_version.h").write_text("".join(lines))
    (include / "nvml.h").write_text("")
    return folder


# --- files of a tree -----------------------------------------------------------------------------

_SYSTEM_LIBS = """\
VALID_LIBS = [
    "curl",
    "zlib",
]
"""

_LISTS = """\
CUDA_REDIST_JSON_DICT = {
    "12.5.0": [],
    "12.5.1": [],
    "12.6.3": [],
}

CUDNN_REDIST_JSON_DICT = {
    "9.3.0": [],
    "9.6.0": [],
}
"""

_LIBRARY = """\
# Two libraries with headers; libtensorflow_cc.so and libtensorflow_framework.so.
genrule(name = "libs", outs = ["libtensorflow_cc.so", "libtensorflow_framework.so"],
    cmd = "for f in $(OUTS); do echo library > $$f; done")
genrule(name = "install_headers", outs = ["include/tensorflow/c.h"], cmd = "echo header > $@")
"""


def _package_build(era: Era) -> str:
    if era.has_wheel_target:
        name = f"tensorflow_cpu-{era.release}-py3-none-any.whl"
        return (
            "genrule(\n"
            '    name = "wheel",\n'
            f'    outs = ["wheel_house/{name}"],\n'
            '    srcs = ["setup.py"],\n'
            f'    cmd = "python3 $(SRCS) {era.release} $@",\n'
            ")\n"
        )
    return (
        "genrule(\n"
        '    name = "build_pip_package",\n'
        '    outs = ["build_pip_package"],\n'
        '    srcs = ["build_pip_package.sh"],\n'
        "    executable = 1,\n"
        '    cmd = "cp $< $@",\n'
        ")\n"
    )


def _package_script(era: Era) -> str:
    words = '"--cpu" "--gpu"' if era.takes_gpu_word else '"--cpu"'
    return f"""\
#!/bin/sh
# knows {words}
test -d bazel-bin/tensorflow || {{ echo "Could not find bazel-bin."; exit 1; }}
exec "$PYTHON_BIN_PATH" tensorflow/tools/pip_package/setup.py {era.release} \\
    "$1/tensorflow_cpu-{era.release}-py3-none-any.whl"
"""


def _setup(era: Era) -> str:
    return f"""\
import sys, zipfile
_VERSION = '{era.release}'
REQUIRED_PACKAGES = [
    'absl-py >= 1.0.0',  # a remark
    'numpy >= 1.23.5, < 2.0.0 ; python_version <= "3.11"',
    'grpcio' if sys.byteorder == 'little' else None,
]
if len(sys.argv) == 3:
    info = "tensorflow_cpu-" + sys.argv[1] + ".dist-info/"
    with zipfile.ZipFile(sys.argv[2], "w") as wheel:
        wheel.writestr("tensorflow/__init__.py", "__version__ = " + repr(sys.argv[1]))
        wheel.writestr(info + "METADATA", "Metadata-Version: 2.1\\nName: tensorflow-cpu\\n"
            "Version: " + sys.argv[1] + "\\n")
        wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\n"
            "Tag: py3-none-any\\n")
        wheel.writestr(info + "RECORD", "")
"""


def _bazelrc(era: Era) -> str:
    lines = ["# Options of every build.", "build -c opt", "build --announce_rc"]
    lines += [f"build:{name} --define=with_{name}=true" for name in era.configs]
    if era.hermetic:
        lines.append("build:cuda_clang --repo_env HERMETIC_CUDA_COMPUTE_CAPABILITIES=sm_60")
    else:
        lines.append("build:cuda_clang --repo_env TF_CUDA_COMPUTE_CAPABILITIES=sm_60")
    lines += ["build:cuda --repo_env TF_NEED_CUDA=1"]
    lines += [
        "try-import %workspace%/.tf_configure.bazelrc",
        "try-import %workspace%/.bazelrc.user",
    ]
    return "\n".join(lines) + "\n"

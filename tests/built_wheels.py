"""A wheel that was built with packages, and the packages themselves in a cache of downloads."""

import hashlib
import json
import shutil
from pathlib import Path

from tests.shared_libraries import compile_c, tiny_wheel
from tfbuild.core.records import Artifact
from tfbuild.wheels.components import Provenance

PACKAGES = {
    "glue": {"glue/src/glue.cpp": b"int glue;", "glue/include/glue.h": b""},
    "fast-devel": {"fast/include/fast.hpp": b""},
    "fast": {"fast.data/data/lib/libfast.so.3": b"the library"},
    "blas": {"blas/lib/libblas_gpu.so.13": b"", "blas/include/blas.h": b""},
    "driver-tools": {"driver/bin/assemble": b"", "driver/include/a.h": b""},
}
ORIGINS = {
    "components": [
        {"name": "tiny_thing", "purl": "pkg:pypi/tiny-thing@1.0"},
        {"name": "libgomp1", "purl": "pkg:deb/debian/libgomp1@12.2.0-14"},
    ]
}
LIBRARIES = {
    "tiny_thing/libtiny_thing.so": (),
    "tiny_thing.libs/libfast-0123abcd.so.3": ("-Wl,-soname,libfast-0123abcd.so.3",),
    "tiny_thing.libs/libgomp-4567abcd.so.1.0.0": ("-Wl,-soname,libgomp-4567abcd.so.1.0.0",),
}


def a_package(cache: Path, distribution: str, kind: str = "build") -> Artifact:
    """A package in the cache, and its entry in the lock."""
    folder = cache / "made"
    folder.mkdir(parents=True, exist_ok=True)
    name = distribution.replace("-", "_")
    wheel = tiny_wheel(
        folder, PACKAGES[distribution], name=name, version="3.1", tags="py3-none-any"
    )
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    target = cache / "sha256" / digest / wheel.name
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(wheel, target)
    return Artifact(
        distribution=distribution, version="3.1", filename=wheel.name, sha256=digest, kind=kind
    )


def a_built_wheel(folder: Path) -> Provenance:
    """A wheel with a library of its own, and two that were copied in."""
    compile_c(folder, "int blas;", "-Wl,-soname,libblas_gpu.so.13", name="libblas_gpu.so")
    files = {}
    for path, flags in LIBRARIES.items():
        own = "-Wl,--no-as-needed", f"-L{folder}", "-lblas_gpu"
        words = flags or own
        name = Path(path).name
        files[path] = compile_c(folder, "int answer;", *words, name=name).read_bytes()
    files["tiny_thing-1.0.dist-info/sboms/auditwheel.cdx.json"] = json.dumps(ORIGINS).encode()
    requires = ("numpy>=1.23", "blas>=3,<4; extra == 'cuda13'")
    cache = folder / "artifacts"
    return Provenance(
        wheel=tiny_wheel(folder, files, requires=requires),
        plan_id="0123456789abcdef",
        versions=(("python", "3.11"), ("gcc", "12")),
        tools=(("bazel", "4.2.3"), ("gcc", "12.2.0")),
        artifacts=(
            *(a_package(cache, name) for name in ("glue", "fast-devel", "fast")),
            *(a_package(cache, name, kind="cuda") for name in ("blas", "driver-tools")),
            Artifact(
                distribution="scikit-learn", version="1.9", sha256="0" * 64, kind="smoke",
                filename="scikit_learn-1.9-py3-none-any.whl",
            ),
        ),
    )  # fmt: skip

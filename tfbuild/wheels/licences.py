"""Under which licences the parts of a wheel stand, as SPDX expressions.

What is compiled or copied in brings its own: the wheel stands under all of them at once.
"""

import re
from collections.abc import Iterable

from packaging.utils import canonicalize_name

from tfbuild.wheels.wheel_texts import read_headers

OWN = "Apache-2.0"
# Packages whose metadata has no expression; their licence files were read.
_OF_PACKAGES = {
    "comma-deps-libjpeg": "IJG AND BSD-3-Clause AND Zlib",
    "nanobind": "BSD-3-Clause AND MIT",  # MIT: robin_map, which it brings along
    # Beside its own: Xbyak and the tracing API (BSD), hashes of Boost (BSL). What its file names of
    # tests, of GPUs and of other processors is not compiled into the library.
    "onednn-cpu-gomp": "Apache-2.0 AND BSD-3-Clause AND BSL-1.0",
    "onednn-devel-cpu-gomp": "Apache-2.0",
}
# Whose metadata states the licence of the packaging alone. Of Eigen, nothing is compiled in that is
# under another one (EIGEN_MPL2_ONLY; what its headers hold of half precision is not called).
_WHATEVER_IS_STATED = {"cmeel-eigen": "MPL-2.0"}
_GCC = "GPL-3.0-or-later WITH GCC-exception-3.1"
# Libraries of the system that may be copied in, by what stands before .so in their names.
_OF_LIBRARIES = {
    **dict.fromkeys(("libatomic", "libgcc_s", "libgfortran", "libgomp", "libstdc++"), _GCC),
    "libquadmath": "LGPL-2.1-or-later",
}


def licence_of_package(distribution: str, stated: str = "") -> str:
    """What its metadata states, else what is known of it; empty where nothing is."""
    name = canonicalize_name(distribution)
    return _WHATEVER_IS_STATED.get(name) or stated or _OF_PACKAGES.get(name, "")


def licence_of_library(name: str) -> str:
    """That of a library of the system by its file name; empty where it is not known."""
    return _OF_LIBRARIES.get(name.partition(".so")[0], "")


def stated_licence(metadata: bytes) -> str:
    """The expression in a METADATA file; empty where it has none."""
    return str(read_headers(metadata)["License-Expression"] or "")


def unknown_licence(name: str) -> str:
    """The expression that refers to a licence by whose it is, where nobody has named it."""
    return "LicenseRef-" + re.sub(r"[^A-Za-z0-9.-]+", "-", name)


def combined(expressions: Iterable[str]) -> str:
    """All of them at once, each named once, ours first."""
    terms: dict[str, None] = {}
    for expression in expressions:
        if " OR " in expression:
            terms[f"({expression})"] = None
        else:
            terms.update(dict.fromkeys(expression.split(" AND ")))
    return " AND ".join(sorted(terms, key=lambda term: (term != OWN, term)))

"""Licences of what is inside, and of all of it together."""

import pytest
from packaging.licenses import canonicalize_license_expression

from tfbuild.wheels.licences import (
    combined,
    licence_of_library,
    licence_of_package,
    stated_licence,
    unknown_licence,
)

GCC = "GPL-3.0-or-later WITH GCC-exception-3.1"


def test_what_the_metadata_states_comes_first() -> None:
    assert licence_of_package("nanobind") == "BSD-3-Clause AND MIT"
    assert licence_of_package("OneDNN_cpu.gomp") == "Apache-2.0 AND BSD-3-Clause AND BSL-1.0"
    assert licence_of_package("comma-deps-libjpeg") == "IJG AND BSD-3-Clause AND Zlib"
    assert licence_of_package("nanobind", "ISC") == "ISC"
    assert licence_of_package("cmeel-eigen", "Apache-2.0") == "MPL-2.0"  # stated of its packaging
    assert licence_of_package("other") == ""
    assert stated_licence(b"Name: a\nLicense-Expression: MIT OR ISC\n") == "MIT OR ISC"
    assert stated_licence(b"Name: a\nLicense: whatever\n") == ""


@pytest.mark.parametrize(
    ("name", "licence"),
    [
        ("libgomp.so.1.0.0", GCC),
        ("libstdc++.so.6", GCC),
        ("libquadmath.so.0", "LGPL-2.1-or-later"),
        ("libother.so.1", ""),
    ],
)
def test_libraries_of_the_system(name: str, licence: str) -> None:
    assert licence_of_library(name) == licence


def test_all_at_once_is_one_valid_expression() -> None:
    parts = ["Apache-2.0 AND BSD-3-Clause", GCC, "BSD-3-Clause", "MIT OR ISC"]
    found = combined([*parts, unknown_licence("libodd_thing")])
    assert found == (
        f"Apache-2.0 AND (MIT OR ISC) AND BSD-3-Clause AND {GCC} AND LicenseRef-libodd-thing"
    )
    assert canonicalize_license_expression(found) == found

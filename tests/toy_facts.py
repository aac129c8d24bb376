"""A small world of facts: few versions on few axes, so that an answer can be found by hand."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.matrix_files import Row, small_tables
from tfbuild.facts.rules import Facts, load_facts
from tfbuild.facts.tables import Tables

TESTED = {"tensorflow": "2.1.0", "platform": "linux", "python": "3.8 3.10", "bazel": "5.0.0"}
TOY: Mapping[str, Sequence[Row]] = {
    "tensorflow": [
        {"version": "2.2.0", "requires": {"python": ">=3.10", "bazel": ">=6"}},
        {
            "version": "2.1.0",
            "requires": {"python": ">=3.8,<3.11", "numpy": "<2", "bazel": ">=5,<6"},
            "wheels": {"linux-x86_64": "3.8 3.10"},
        },
        {
            "version": "2.0.0",
            "requires": {"python": "<3.9", "numpy": "<1.20"},
            "wheels": {"linux-x86_64": "3.8"},
        },
    ],
    "runtime": [{"version": "0.1.0", "requires": {"python": ">=3.10", "cuda": "11.2"}}],
    "python": [{"version": "3.11"}, {"version": "3.10"}, {"version": "3.8"}],
    "numpy": [
        {"version": "2.0.0", "requires": {"python": ">=3.9"}},
        {"version": "1.26.4", "requires": {"python": ">=3.9"}},
        {"version": "1.19.5", "requires": {"python": "<3.10"}},
    ],
    "bazel": [{"version": "6.0.0"}, {"version": "5.0.0"}],
    "gcc": [{"version": "12.2"}, {"version": "9.3"}],
    "cuda": [
        {"version": "11.2", "architectures": ["sm_70", "sm_80", "sm_86"]},
        {
            "version": "11.0",
            "architectures": ["sm_70", "sm_80"],
            "requires": {"gcc": "<10"},
            "evidence": "measured",
        },
    ],
    "cuda_absent": [{"version": "11.9", "says": "CUDA 11.9 was never released."}],
    "cudnn": [{"version": "8.1", "requires": {"cuda": "any"}}],
    "glibc": [{"version": "2.36"}, {"version": "2.31"}],
    "driver": [{"version": "460.32.03"}, {"version": "450.80.02"}],
    "gpus": [
        {"name": "GeForce RTX 3090", "capability": "8.6"},
        {"name": "A100", "capability": "8.0"},
        {"name": "Tesla V100", "capability": "7.0"},
    ],
    "rules": [
        {
            "id": "gpu-needs-cuda",
            "when": {"gpu": "any"},
            "requires": {"cuda": "any"},
            "effect": "conflict",
            "says": "Code for a GPU is compiled by CUDA.",
            "fix": "Name a CUDA.",
        },
        {
            "id": "cuda-cudnn",
            "when": {"cuda": "any"},
            "requires": {"cudnn": "any"},
            "effect": "conflict",
            "says": "A CUDA build needs cuDNN.",
        },
    ],
    "tested": [
        {**TESTED, "device": "cpu", "gcc": "9.3.1"},
        {**TESTED, "device": "cuda", "gcc": "9.3.1", "cuda": "11.2", "cudnn": "8.1"},
    ],
}


def toy_tables(folder: Path, **files: Sequence[Row]) -> Tables:
    """Tables of the small world, some of its files replaced."""
    return small_tables(folder / "matrices", **{**TOY, **files})


def toy_facts(folder: Path, **files: Sequence[Row]) -> Facts:
    """The facts of the small world."""
    return load_facts(toy_tables(folder, **files))

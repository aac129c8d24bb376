"""Reports as people paste them."""

import time

import pytest

from tfbuild.facts.reports import read_report

OLD_FORM = """
<em>Please make sure that this is a build/installation issue.</em>

**System information**
- OS Platform and Distribution (e.g., Linux Ubuntu 16.04): Linux Ubuntu 20.04
- Mobile device (e.g. iPhone 8, Pixel 2, Samsung Galaxy) if the issue happens on mobile device: N/A
- TensorFlow installed from (source or binary): source
- TensorFlow version: v2.4.0-rc4-71-g582c8d236cb 2.4.0
- Python version: Python 3.8.10 :: Anaconda, Inc.
- Installed using virtualenv? pip? conda?: conda
- Bazel version (if compiling from source): 3.1.0
- GCC/Compiler version (if compiling from source): c++ (Ubuntu 9.4.0-1ubuntu1~20.04.1) 9.4.0
- CUDA/cuDNN version: 11.2 / 8.1
- GPU model and memory: GeForce GTX 1080 Ti (11GB)

**Describe the problem**
"""

NEW_FORM = """
<details><summary>Click to expand!</summary>

 ### Issue Type

Build/Install

### Have you reproduced the bug with TF nightly?

No

### Source

binary

### Tensorflow Version

v2.12.0-rc1-12-g0db597d0d75 2.12.0

### Custom Code

No

### OS Platform and Distribution

Windows 10

### Mobile device

-

### Python version

3.10.10

### GCC/Compiler version

_No response_

### CUDA/cuDNN version

11.8 / 8.6

### GPU model and memory

1050ti 4 GB

### Current Behaviour?

```shell
Supporting GPU calcs
```
"""


def words_of(text: str) -> dict[str, str]:
    return {
        axis: value for axis, _, value in (word.partition("=") for word in read_report(text).words)
    }


def test_a_form_of_old_gives_its_words_in_its_own_writing() -> None:
    assert words_of(OLD_FORM) == {
        "tensorflow": "v2.4.0-rc4-71-g582c8d236cb 2.4.0",
        "python": "Python 3.8.10 :: Anaconda, Inc.",
        "cuda": "11.2 / 8.1",
        "gpu": "GeForce GTX 1080 Ti (11GB)",
        "bazel": "3.1.0",
        "gcc": "c++ (Ubuntu 9.4.0-1ubuntu1~20.04.1) 9.4.0",
        "os": "Linux Ubuntu 20.04",
    }
    assert not read_report(OLD_FORM).is_published


def test_a_form_of_headings_gives_what_stands_below_them() -> None:
    assert words_of(NEW_FORM) == {
        "tensorflow": "v2.12.0-rc1-12-g0db597d0d75 2.12.0",
        "python": "3.10.10",
        "cuda": "11.8 / 8.6",
        "gpu": "1050ti 4 GB",
        "os": "Windows 10",
    }
    assert read_report(NEW_FORM).is_published


@pytest.mark.parametrize(
    ("line", "axis", "value"),
    [
        ("Betriebssystem: Debian 12", "os", "Debian 12"),
        ("Grafikkarte: RTX 4070 Ti 12 GB", "gpu", "RTX 4070 Ti 12 GB"),
        ("Treiber: 525.147.05", "driver", "525.147.05"),
        ("Système d'exploitation : Fedora 38", "os", "Fedora 38"),
        ("显卡\uff1a2x RTX 2080Ti", "gpu", "2x RTX 2080Ti"),
        ("系统: Ubuntu 18.04", "os", "Ubuntu 18.04"),
        ("| CUDA version | 12.1 |", "cuda", "12.1"),
        ("* **cuDNN version**: 7.6.5", "cudnn", "7.6.5"),
        ("tensorflow-gpu==2.4.1", "tensorflow", "2.4.1"),
        ("protobuf                  3.19.6                   pypi_0    pypi", "protobuf", "3.19.6"),
        ("Python 3.8.10 (default, Mar 13 2023, 10:26:41)", "python", "3.8.10"),
        ("Cuda compilation tools, release 11.2, V11.2.67", "cuda", "11.2"),
        ("| NVIDIA-SMI   Driver Version: 470.57.02  CUDA Version: 11.4 |", "driver", "470.57.02"),
        ("gcc (GCC) 4.8.5 20150623", "gcc", "(GCC) 4.8.5 20150623"),
        ("Build label: 0.26.1", "bazel", "0.26.1"),
        ("- ROCm/MIOpen version: 4.0.0", "rocm", "4.0.0"),
        ("> - Python version: 3.6", "python", "3.6"),
    ],
)  # fmt: skip
def test_a_line_names_its_axis(line: str, axis: str, value: str) -> None:
    assert words_of(line) == {axis: value}


@pytest.mark.parametrize(
    "line",
    [
        "",
        "- Mobile device: Pixel 2",
        "I tried to build it three times: it failed",
        "- Exact command to reproduce: bazel build //tensorflow/tools/pip_package",
        "TensorFlow version:",
        "### Bazel version\n\n_No response_",
        "x" * 100_000,
        "(" * 300 + ":",
    ],
)
def test_other_lines_say_nothing(line: str) -> None:
    assert words_of(line) == {}


def test_of_two_values_the_first_counts() -> None:
    assert words_of("CUDA version: 11.2\nCUDA version: 10.1") == {"cuda": "11.2"}


def test_an_empty_field_does_not_take_the_next_one_for_its_value() -> None:
    assert words_of("GPU model and memory:\nPython version: 3.9") == {"python": "3.9"}


@pytest.mark.parametrize(
    "line", ["a " + "1.1" * 130 + "!", "a" + " " * 390 + "b"], ids=["versions", "blanks"]
)
def test_a_line_that_fits_nowhere_is_left_as_quickly_as_any(line: str) -> None:
    started = time.process_time()
    read_report("\n".join([line] * 3000))
    assert time.process_time() - started < 2  # a fifth of a second where nothing is tried twice

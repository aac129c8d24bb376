"""What TensorFlow's own tests had found wrong, against what TensorFlow 2.21's compat.v1 computed."""

import json
from pathlib import Path

import own_tests_programs
import programs
import pytest
import tfbuild_runtime.compat.v1 as tf
from test_programs import assert_alike

TOLD = json.loads(Path(__file__).with_name("own_tests_programs.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", sorted(own_tests_programs.PROGRAMS))
def test_a_program_computes_what_tensorflow_computes(name):
    assert_alike(programs.plain(own_tests_programs.PROGRAMS[name](tf)), TOLD[name])

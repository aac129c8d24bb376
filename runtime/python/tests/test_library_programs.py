"""Losses, tables, strings and matrices against what TensorFlow 2.21's compat.v1 computed."""

import json
from pathlib import Path

import library_programs
import programs
import pytest
import tfbuild_runtime.compat.v1 as tf
from test_programs import assert_alike

THEIRS = json.loads(Path(__file__).with_name("library_programs.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", sorted(library_programs.PROGRAMS))
def test_a_program_computes_what_tensorflow_computes(name):
    assert_alike(programs.plain(library_programs.PROGRAMS[name](tf)), THEIRS[name])

"""What a configure.py reads and asks, by its syntax alone."""

import sys
from types import FrameType

import pytest

from tfbuild.sources.configure_script import read_script

SCRIPT = """
import os
_TF_MIN_BAZEL_VERSION = '3.1.0'
_TF_MAX_BAZEL_VERSION = '3.99.0'
raise SystemExit('a script that is run, and not read, ends here')

def get_input(question):
  return input(question)

def get_var(environ_cp, var_name):
  return environ_cp.get(var_name) or get_input(var_name)

def text(environ_cp, var_name, default):
  return environ_cp.get(var_name) or get_input(var_name) or default

def path(environ_cp, title, env_var):
  return text(environ_cp, env_var, None)

def left_over(environ_cp):
  get_var(environ_cp, 'TF_OF_AN_EARLIER_RELEASE')

def write_to_bazelrc(line):
  pass

def main():
  environ_cp = dict(os.environ)
  get_var(environ_cp, 'TF_NEED_X')
  text(environ_cp, var_name='TF_PATH', default='')
  path(environ_cp, 'CUDA', 'LOCAL_CUDA_PATH')
  if 'LD_LIBRARY_PATH' in environ_cp:
    print(environ_cp['TF_LOOKED_UP'])
  environ_cp['TF_ONLY_SET'] = '1'
  names = ['TF_FIRST', 'TF_SECOND']
  for name in names:
    if name in environ_cp:
      write_to_bazelrc('build --action_env %s' % name)
"""


def test_it_finds_what_is_read_and_what_is_asked() -> None:
    script = read_script(SCRIPT)
    assert script.reads == {
        "TF_NEED_X", "TF_PATH", "LOCAL_CUDA_PATH", "LD_LIBRARY_PATH", "TF_LOOKED_UP", "TF_FIRST",
        "TF_SECOND",
    }  # fmt: skip
    assert script.asks == {"TF_NEED_X", "TF_PATH", "LOCAL_CUDA_PATH"}
    assert script.yes_no == {"TF_NEED_X"}
    assert script.bazel == ("3.1.0", "3.99.0")
    assert script.writes == {"build --action_env "}
    assert (script.takes_sm, script.takes_workspace) == (False, False)


def test_what_is_no_python_is_said_to_be_so() -> None:
    with pytest.raises(ValueError, match="no Python"):
        read_script("def main(:\n")
    with pytest.raises(ValueError, match="no Python"):
        read_script("x = " + "(" * 5000)


def test_a_long_chain_of_functions_takes_work_in_proportion_to_it() -> None:
    calls = 0

    def count(frame: FrameType, event: str, _: object) -> None:
        nonlocal calls
        calls += event == "call" and "configure_script" in frame.f_code.co_filename

    def script(length: int) -> str:
        chain = [f"def f{at}(env, x):\n f{at + 1}(env, x)\n" for at in range(length)]
        end = f"def f{length}(env, x):\n input(env.get(x))\n"
        return "".join((*chain, end, "def main():\n f0(1, 'TF_A')\n"))

    counted = []
    for length in (50, 200):
        calls = 0
        sys.setprofile(count)
        try:
            found = read_script(script(length))
        finally:
            sys.setprofile(None)
        assert found.reads == found.asks == {"TF_A"}
        counted.append(calls)
    assert counted[1] < 5 * counted[0]

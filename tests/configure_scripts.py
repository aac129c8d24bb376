"""The configure.py of the source trees that tests make: TensorFlow's manners in other words."""

_HEAD = r'''"""A configure.py with the manners of TensorFlow's, written for tests."""
import argparse
import os
import re
import subprocess
import sys

LIMITS
_RC = ''


def ask(question):
  try:
    return input(question)
  except EOFError:
    return ''


def write_to_bazelrc(line):
  with open(_RC, 'a') as stream:
    stream.write(line + '\n')


def action_env(name, value):
  write_to_bazelrc('build --action_env {}="{}"'.format(name, value))


def get_input(question):
  return ask(question)


def get_var(environ_cp, var_name, default):
  text = environ_cp.get(var_name)
  if text is None:
    text = get_input('%s? ' % var_name) or ('y' if default else 'n')
  if text.strip().lower() not in ('1', 't', 'true', 'y', 'yes', '0', 'f', 'false', 'n', 'no'):
    raise ValueError('Environment variable %s must be set as a boolean' % var_name)
  return text.strip().lower() in ('1', 't', 'true', 'y', 'yes')


def yes_no(environ_cp, var_name, default):
  value = get_var(environ_cp, var_name, default)
  environ_cp[var_name] = '1' if value else '0'
  if value and var_name == 'TF_ENABLE_XLA':
    write_to_bazelrc('build --config=xla')
  return value


def text(environ_cp, var_name, default):
  return environ_cp.get(var_name) or get_input('%s: ' % var_name) or default


def check_bazel():
  try:
    said = subprocess.check_output(['bazel', '--version']).decode()
  except OSError:
    print('Cannot find bazel. Please install bazel.')
    sys.exit(STATUS_WITHOUT_BAZEL)
  print(said)


def set_python(environ_cp):
  python = text(environ_cp, 'PYTHON_BIN_PATH', sys.executable)
  if not os.access(python, os.X_OK):
    python = sys.executable
  library = environ_cp.get('PYTHON_LIB_PATH') or get_input('library: ') or '/unstable'
  action_env('PYTHON_BIN_PATH', python)
  action_env('PYTHON_LIB_PATH', library)
  write_to_bazelrc('build --python_path="{}"'.format(python))
  with open(os.path.join(os.path.dirname(_RC), 'tools', 'python_bin_path.sh'), 'w') as stream:
    stream.write('export PYTHON_BIN_PATH="{}"'.format(python))


def capabilities(environ_cp, var_name):
  asked = ''.join(text(environ_cp, var_name, '3.5,7.0').split())
  if not all(re.match(r'PATTERN', word) for word in asked.split(',')):
    asked = '3.5,7.0'
  return asked
'''.replace("STATUS_WITHOUT_BAZEL", "1")

_CUDA = """

def set_cuda(environ_cp):
  found = environ_cp.get('TF_CUDA_PATHS', '')
  if found and not os.path.isdir(found.split(',')[0]):
    raise ValueError('Invalid CUDA setting were provided 10 times in a row.')
  for name in ['TF_CUDA_VERSION', 'TF_CUDNN_VERSION', 'TF_NCCL_VERSION', 'TF_CUDA_PATHS']:
    if name in environ_cp:
      action_env(name, environ_cp[name])
  name = 'TF_CUDA_COMPUTE_CAPABILITIES'
  action_env(name, capabilities(environ_cp, 'TF_CUDA_COMPUTE_CAPABILITIES'))
"""

_HERMETIC_CUDA = """

def repo_env(name, value):
  if value:
    write_to_bazelrc('build:cuda --repo_env {}="{}"'.format(name, value))


def set_cuda(environ_cp):
  repo_env('HERMETIC_CUDA_VERSION', text(environ_cp, 'HERMETIC_CUDA_VERSION', ''))
  repo_env('HERMETIC_CUDNN_VERSION', text(environ_cp, 'HERMETIC_CUDNN_VERSION', ''))
  name = 'HERMETIC_CUDA_COMPUTE_CAPABILITIES'
  repo_env(name, capabilities(environ_cp, 'HERMETIC_CUDA_COMPUTE_CAPABILITIES'))
  repo_env('LOCAL_CUDA_PATH', text(environ_cp, 'LOCAL_CUDA_PATH', ''))
  repo_env('LOCAL_CUDNN_PATH', text(environ_cp, 'LOCAL_CUDNN_PATH', ''))
  repo_env('LOCAL_NCCL_PATH', text(environ_cp, 'LOCAL_NCCL_PATH', ''))
"""

_MAIN = """

def main():
  global _RC
  parser = argparse.ArgumentParser()
  parser.add_argument('--workspace', default=os.path.abspath(os.path.dirname(__file__)))
  _RC = os.path.join(parser.parse_args().workspace, '.tf_configure.bazelrc')
  environ_cp = dict(os.environ)
  check_bazel()
  open(_RC, 'w').close()
  set_python(environ_cp)
  YES_NO
  if yes_no(environ_cp, 'TF_NEED_ROCM', False):
    write_to_bazelrc('build --config=rocm')
  if yes_no(environ_cp, 'TF_NEED_CUDA', False):
    CUDA_ASKS
    set_cuda(environ_cp)
    if environ_cp.get('LD_LIBRARY_PATH', '1') != '1':
      action_env('LD_LIBRARY_PATH', environ_cp.get('LD_LIBRARY_PATH'))
    if yes_no(environ_cp, 'TF_CUDA_CLANG', True):
      action_env('CLANG_CUDA_COMPILER_PATH', text(environ_cp, 'CLANG_CUDA_COMPILER_PATH', ''))
      write_to_bazelrc('build --config=cuda_clang')
    else:
      gcc = os.path.realpath(text(environ_cp, 'GCC_HOST_COMPILER_PATH', 'gcc'))
      action_env('GCC_HOST_COMPILER_PATH', gcc)
      write_to_bazelrc('build --config=cuda')
  if environ_cp['TF_NEED_ROCM'] == '1' and environ_cp['TF_NEED_CUDA'] == '1':
    raise ValueError('CUDA / ROCm are mututally exclusive.')
  for flag in text(environ_cp, 'CC_OPT_FLAGS', '-Wno-sign-compare').split():
    write_to_bazelrc('build:opt --copt=%s' % flag)
    write_to_bazelrc('build:opt --host_copt=%s' % HOST_FLAG)
  libs = environ_cp.get('TF_SYSTEM_LIBS', '')
  if libs:
    action_env('TF_SYSTEM_LIBS', ','.join(sorted(libs.split(','))))
  yes_no(environ_cp, 'TF_SET_ANDROID_WORKSPACE', False)
  write_to_bazelrc('test --test_size_filters=small,medium')
  write_to_bazelrc('LAST')


if __name__ == '__main__':
  main()
"""


def configure_script(
    *,
    asks: tuple[str, ...],
    asks_cuda: tuple[str, ...],
    limits: tuple[str, str],
    takes_sm: bool,
    hermetic: bool,
    native_host: bool,
    last: str,
) -> str:
    """The text of a configure.py that asks these questions, and ends with the line last."""
    pattern = r"([0-9]+\.[0-9]|(sm|compute)_[0-9]+)" if takes_sm else r"[0-9]+\.[0-9]"
    yes_no = "".join(f"    yes_no(environ_cp, '{name}', False)\n" for name in asks)
    cuda = _HERMETIC_CUDA if hermetic else _CUDA
    cuda_asks = "".join(f"    yes_no(environ_cp, '{name}', False)\n" for name in asks_cuda)
    host = "'-march=native'" if native_host else "flag"
    head = _HEAD.replace("PATTERN", pattern)
    checked = "".join(
        f"_TF_{name}_BAZEL_VERSION = '{limit}'\n"
        for name, limit in zip(("MIN", "MAX"), limits, strict=True)
        if limit
    )
    main = _MAIN.replace("  YES_NO\n", yes_no.replace("    ", "  ")).replace("HOST_FLAG", host)
    main = main.replace("    CUDA_ASKS\n", cuda_asks).replace("LAST", last)
    return head.replace("LIMITS\n", checked) + cuda + main

"""Who compiles, as part of the key of every action: results of another toolchain are never taken.

Bazel's own keys know the path of a compiler and not what is in it, nor in the headers and
libraries that it brings along.
"""

import hashlib

from tfbuild.core.environments import Services
from tfbuild.core.interfaces import Environment, literal
from tfbuild.core.records import Command
from tfbuild.core.versions import contains

VARIABLE = "TFBUILD_TOOLCHAIN"
# What a toolchain is, in lines: its versions, and digests of its programs and libraries. Paths are
# not in it: the same compiler may be elsewhere on another machine.
IDENTITY_SCRIPT = r"""
set -u
cc=$1
"$cc" -dumpfullversion -dumpversion
"$cc" -dumpmachine
uname -m
getconf GNU_LIBC_VERSION || true
digest() { sha256sum < "$1" | cut -c1-64; }
self=$(command -v "$cc") && digest "$self"
for name in cc1plus collect2 as ld ar; do
  path=$("$cc" -print-prog-name=$name)
  path=$(command -v "$path" || true)
  if [ -n "$path" ]; then echo "$name $(digest "$path")"; fi
done
for name in libstdc++.so libgcc.a crt1.o; do
  path=$("$cc" -print-file-name=$name)
  if [ -f "$path" ]; then echo "$name $(digest "$path")"; fi
done
"""


def toolchain_identity(env: Environment, *, toolkit_is_input: bool = False) -> str:
    """Twenty-four digits that differ where compiler, its libraries, image, CUDA or Bazel differ.

    Where each action that uses the CUDA toolkit has it among its inputs, Bazel's own keys know it:
    with toolkit_is_input it is left out, so that all other results serve builds without CUDA too.
    """
    chain = env.toolchain
    toolkit = [a.sha256 for a in chain.lock.artifacts if a.kind == "cuda" and not toolkit_is_input]
    parts = [compiler_identity(env), chain.bazel_version, chain.image, *sorted(toolkit)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:24]


def compiler_identity(env: Environment) -> str:
    """What the environment's compiler says of itself, in lines; empty where none is known."""
    if not env.toolchain.compiler:
        return ""
    words = ("sh", "-c", IDENTITY_SCRIPT, "sh", literal(env.toolchain.compiler))
    return env.run(Command(argv=words, purpose="ask the compiler who it is", quiet=True)).stdout


def identity_flags(identity: str, services: Services, bazel: str) -> tuple[str, ...]:
    """What puts the identity into the keys.

    The variable reaches compilations and most other actions. The property reaches all of them, but
    farms refuse properties that they do not know, and a Bazel before 3 may have no such option.
    """
    variable = f"--action_env={VARIABLE}={identity}"
    if services.executor or not contains(">=3", bazel):
        return (variable,)
    return variable, f"--remote_default_exec_properties=tfbuild-toolchain={identity}"

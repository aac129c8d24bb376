#!/usr/bin/env python3
"""Write .configure.bazelrc: where this machine keeps what the runtime is built from.

Answers come from flags, else from a JSON file (--answers), else from questions on the terminal.
Standard library only, Python 3.8 or newer, so that any build container can run it.
"""

from __future__ import annotations  # for Python 3.8

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
STAND_INS = ("rules_cc", "rules_java", "rules_proto", "bazel_skylib", "remote_coverage_tools")
# What Bazel 7 loads by name, and where a distribution's Bazel keeps it below --bazel-rules.
RULES_OF_7 = {
    "rules_cc": "rules/cc",
    "rules_java": "rules/java",
    "rules_java_builtin": "rules/java",
    "rules_license": "rules/license",
    "rules_proto": "rules/proto",
    "rules_python": "rules/python",
    "bazel_features": "tools/features",
    "bazel_skylib": "tools/skylib",
}
# name of the answer, question, answer when nobody answers (None: there must be one)
QUESTIONS = (
    ("onednn", "Folder of the unpacked package onednn-cpu-gomp", None),
    ("onednn_devel", "Folder of the unpacked package onednn-devel-cpu-gomp", None),
    ("libjpeg", "Folder of the unpacked package comma-deps-libjpeg", None),
    ("nanobind", "Folder of the unpacked package nanobind", None),
    ("eigen", "Folder of the unpacked package cmeel-eigen", None),
    ("python", "Python that the extension module is for", sys.executable),
    ("python_include", "Folder of its Python.h (empty: ask it)", ""),
    ("compiler", "C++ compiler (empty: what Bazel finds)", ""),
    ("device", "Device: cpu or cuda", "cpu"),
    ("cuda", "Folder of the CUDA toolkit, cuDNN included", ""),
    ("architectures", "GPU architectures, as in sm_80 sm_90 compute_90", ""),
    ("bazel_version", "Version of Bazel (empty: older than 7)", ""),
    ("bazel_rules", "Folder with the rule sets of Bazel 7 (empty: it fetches them)", ""),
    ("work", "Folder for the generated repositories", str(HERE / ".configure")),
)
# repository -> its links: name, answer, folder below the answer, a file that must be there
REPOSITORIES = {
    "onednn": (
        ("include", "onednn_devel", "include", "oneapi/dnnl/dnnl.hpp"),
        ("lib", "onednn", "lib", "libdnnl.so.3"),
    ),
    "libjpeg": (
        ("include", "libjpeg", "libjpeg/install/include", "jpeglib.h"),
        ("lib", "libjpeg", "libjpeg/install/lib", "libjpeg.a"),
    ),
    "nanobind": (("nanobind", "nanobind", "nanobind", "src/nb_combined.cpp"),),
    "eigen": (("include", "eigen", "cmeel.prefix/include/eigen3", "Eigen/Core"),),
    "python_headers": (("include", "python_include", "", "Python.h"),),
    "cuda": (("toolkit", "cuda", "", "bin/nvcc"),),
}
ARCHITECTURE = re.compile(r"(sm|compute)_[1-9][0-9]+[af]?")


class Refused(Exception):
    """An answer that cannot be right; code is the exit code."""

    def __init__(self, message: str, code: int = 5) -> None:
        super().__init__(message)
        self.code = code


def parse(words: list[str]) -> argparse.Namespace:
    """Return the flags; argparse ends the program with 2 on a wrong one."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--answers", metavar="FILE", help="a JSON object with the same names")
    parser.add_argument("--output", metavar="FILE", default=str(HERE / ".configure.bazelrc"))
    for name, question, _ in QUESTIONS:
        parser.add_argument("--" + name.replace("_", "-"), help=question.replace("%", "%%"))
    return parser.parse_args(words)


def read_answers(path: str) -> dict[str, str]:
    """Return the JSON object in path with text values; lists become words."""
    try:
        loaded = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise Refused(f"cannot read {path}: {error.strerror}", 2) from error
    except ValueError as error:
        raise Refused(f"{path} is not JSON: {error}", 2) from error
    if not isinstance(loaded, dict):
        raise Refused(f"{path} must hold one JSON object", 2)
    unknown = sorted(set(loaded) - {name for name, _, _ in QUESTIONS})
    if unknown:
        raise Refused(f"{path} has unknown names: {', '.join(unknown)}", 2)
    return {k: " ".join(map(str, v)) if isinstance(v, list) else str(v) for k, v in loaded.items()}


def collect(flags: argparse.Namespace) -> dict[str, str]:
    """Return one answer per question; asks only on a terminal and without --answers."""
    answers = read_answers(flags.answers) if flags.answers else {}
    answers.update({n: getattr(flags, n) for n, _, _ in QUESTIONS if getattr(flags, n) is not None})
    may_ask = not flags.answers and sys.stdin.isatty()
    for name, question, default in QUESTIONS:
        if name not in answers and may_ask:
            answers[name] = input(f"{question}{f' [{default}]' if default else ''}: ").strip()
        answers[name] = answers.get(name) or default
        if answers[name] is None:
            raise Refused(f"no answer for {name}: give --{name.replace('_', '-')}", 2)
    if not answers["python_include"]:
        answers["python_include"] = ask_python(answers["python"])
    return answers


def ask_python(python: str) -> str:
    """Return the folder of Python.h as that interpreter names it."""
    words = [python, "-c", "import sysconfig; print(sysconfig.get_path('include'))"]
    try:
        return subprocess.run(words, check=True, stdout=subprocess.PIPE).stdout.decode().strip()
    except (OSError, subprocess.CalledProcessError) as error:
        raise Refused(f"python: {python} cannot be asked for its headers: {error}") from error


def make_repository(name: str, answers: dict[str, str]) -> Path:
    """Make the folder of one external repository: links and a BUILD file; return it."""
    folder = Path(answers["work"]).expanduser().absolute() / name
    folder.mkdir(parents=True, exist_ok=True)
    for link, answer, below, needed in REPOSITORIES[name]:
        target = (Path(answers[answer]).expanduser().absolute() / below).resolve()
        if not (target / needed).is_file():
            raise Refused(f"{answer}: {target / needed} is not there")
        replace_link(folder / link, target)
    build = (HERE / "bazel" / "repositories" / f"{name}.BUILD").read_text(encoding="utf-8")
    write(folder / "BUILD.bazel", build)
    write(folder / "WORKSPACE", f'workspace(name = "{name}")\n')
    return folder


def replace_link(link: Path, target: Path) -> None:
    """Let link point to target; a link that does so already keeps its time."""
    if link.is_symlink() and os.readlink(link) == str(target):  # noqa: PTH115  (newer than 3.8)
        return
    aside = link.with_name(f"{link.name}.{os.getpid()}.part")
    aside.symlink_to(target)
    aside.replace(link)


def major(version: str) -> int:
    """Return the first number of a Bazel version; 0 for an empty one."""
    if not version:
        return 0
    found = re.match(r"(\d+)\.\d+", version)
    if not found:
        raise Refused(f"bazel_version: {version!r} is no version such as 4.2.3", 2)
    return int(found.group(1))


def architectures(text: str) -> list[str]:
    """Return the architectures, checked; the rc file keeps their order."""
    names = text.replace(",", " ").split()
    for name in names:
        if not ARCHITECTURE.fullmatch(name):
            raise Refused(f"architectures: {name!r} is neither like sm_90 nor compute_90", 2)
    return names


def rule_sets(version: int, rules: str) -> list[str]:
    """Return rc lines that replace every rule set which Bazel would fetch."""
    stand_ins = {name: HERE / "bazel" / "standins" / name for name in STAND_INS}
    if version < 7:
        return [override(name, path) for name, path in sorted(stand_ins.items())]
    lines = ["common --noenable_bzlmod", "common --enable_workspace"]
    if not rules:
        return lines
    found = {name: Path(rules).absolute() / below for name, below in RULES_OF_7.items()}
    found = {name: path for name, path in found.items() if path.is_dir()}
    found["remote_coverage_tools"] = stand_ins["remote_coverage_tools"]
    return lines + [override(name, path) for name, path in sorted(found.items())]


def override(name: str, path: Path, command: str = "build") -> str:
    """Return the rc line that puts a folder in the place of an external repository."""
    return f"{command} {quoted(f'--override_repository={name}={path}')}"


def quoted(word: str) -> str:
    """Return word as the rc file reads it back, spaces included."""
    if re.search(r'[\n"\\]', word):
        raise Refused(f"a path with a line break, quote or backslash cannot be used: {word!r}")
    return f'"{word}"' if re.search(r"[\s#']", word) else word


def render(answers: dict[str, str]) -> str:
    """Make the repositories and return the text of the rc file."""
    lines = ["# Written by configure.py; run it again instead of editing."]
    lines += rule_sets(major(answers["bazel_version"]), answers["bazel_rules"])
    for name in ("eigen", "libjpeg", "nanobind", "onednn", "python_headers"):
        lines.append(override(name, make_repository(name, answers)))
    if answers["compiler"]:
        compiler = Path(answers["compiler"])
        if not os.access(compiler, os.X_OK):
            raise Refused(f"compiler: {compiler} cannot be run")
        lines.append("build " + quoted(f"--repo_env=CC={compiler}"))
    return "\n".join(lines + cuda_lines(answers)) + "\n"


def cuda_lines(answers: dict[str, str]) -> list[str]:
    """Return the rc lines of --config=cuda; none for the CPU."""
    if answers["device"] == "cpu":
        return []
    if answers["device"] != "cuda":
        raise Refused(f"device: {answers['device']!r} is neither cpu nor cuda", 2)
    if not answers["cuda"]:
        raise Refused("device is cuda, so cuda must name the folder of a CUDA toolkit", 2)
    names = architectures(answers["architectures"])
    if not names:
        raise Refused("device is cuda, so architectures is needed, as in 'sm_80 sm_90'", 2)
    return [
        override("cuda", make_repository("cuda", answers), "build:cuda"),
        f"build:cuda --define=tfbuild_cuda_architectures={':'.join(names)}",
    ]


def write(path: Path, text: str) -> None:
    """Write beside path and move into place; a file that says so already keeps its time."""
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return
    aside = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        aside.write_text(text, encoding="utf-8")
        aside.replace(path)
    finally:
        if aside.exists():
            aside.unlink()


def main(words: list[str]) -> int:
    """Return the exit code: 0 written, 2 wrong use, 5 an answer that does not hold."""
    flags = parse(words)
    try:
        text = render(collect(flags))
        write(Path(flags.output), text)
    except Refused as refused:
        print(f"configure.py: {refused}", file=sys.stderr)
        return refused.code
    except OSError as error:
        print(f"configure.py: {error.filename}: {error.strerror}", file=sys.stderr)
        return 5
    except (EOFError, KeyboardInterrupt):
        print("configure.py: stopped, nothing written", file=sys.stderr)
        return 130
    print(flags.output)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

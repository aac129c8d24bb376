"""Sets programs side by side: keeps one of each subject alive and lets them work in turns.

    python side_by_side.py SUBJECTS.json

A whole process differs from the next by more than most kernels do, and a machine's speed drifts
over seconds: pieces of some tens of milliseconds, one after the other in changing order, see the
same machine. The last line that is printed is the result; those before it show how far it is.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from busyness import Busyness

_LEAST_ROUNDS = 7
# After so many the rest is spared where the better half of each subject's values, and so the
# quarter that speaks for it, lies within this share: more rounds would show the same.
_STEADY_ROUNDS, _STEADY_WITHIN = 11, 0.03
_PAUSE = 0.002  # seconds in which the threads of the one before go to sleep


class Gone(Exception):
    """Raised where a subject's program has ended; its text says why."""


class Subject:
    """One program that is kept alive."""

    def __init__(self, python, module, asked):
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115  (it lives as long as the program)
        words = [python, asked["probe"], "--module", module, "--seconds", str(asked["seconds"])]
        words += ["--clock", asked.get("clock", "wall")]
        self.program = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors
        )
        self.reason, self.names, self.failed = "", {}, {}

    def answer(self, line=""):
        """What it says to a line; Gone where it has ended."""
        try:
            if line:
                self.program.stdin.write(line.encode() + b"\n")
                self.program.stdin.flush()
            said = self.program.stdout.readline()
        except OSError:
            said = b""
        if not said:
            self.reason = self._end()
            raise Gone(self.reason)
        return json.loads(said.decode())

    def close(self):
        """Let it end."""
        self.program.stdin.close()
        try:
            self.program.wait(10)
        except subprocess.TimeoutExpired:
            self.program.kill()
            self.program.wait()

    def _end(self):
        code = self.program.wait()
        self.errors.seek(0)
        lines = self.errors.read().decode(errors="replace").strip().splitlines()
        return f"signal {-code}" if code < 0 else (lines[-1] if lines else f"code {code}")


def prepare(subjects, name):
    """The numbers of the subjects that have the quantity ready."""
    able = []
    for number, subject in enumerate(subjects):
        if name not in subject.names or subject.reason:
            continue
        try:
            failed = subject.answer("start " + name).get("failed")
        except Gone:
            continue
        if failed:
            subject.failed[name] = failed
        else:
            able.append(number)
    return able


def is_steady(values, higher_is_better):
    """Whether the better half of the values lies close together."""
    ranked = sorted(values, reverse=higher_is_better)
    if len(ranked) < _STEADY_ROUNDS:
        return False
    best, middle = ranked[0], ranked[len(ranked) // 2]
    return abs(middle - best) <= _STEADY_WITHIN * min(abs(middle), abs(best))


def take_turns(subjects, able, rounds, limit, higher_is_better):
    """The values of each round for those that are able: {number: [...]}."""
    values = {number: [] for number in able}
    began = time.perf_counter()
    for turn in range(rounds):
        if not values or (turn >= _LEAST_ROUNDS and time.perf_counter() - began > limit):
            break
        if all(is_steady(each, higher_is_better) for each in values.values()):
            break
        # There and back again, from another one each time: nobody is always after the same one.
        first = turn % len(values)
        order = [*values][first:] + [*values][:first]
        found = {}
        for number in order if turn % 2 else reversed(order):
            time.sleep(_PAUSE)
            try:
                found[number] = subjects[number].answer("piece")["value"]
            except Gone:
                del values[number]  # a round is whole or is none
                break
        else:
            for number, value in found.items():
                values[number].append(value)
    return values


def main():
    """Measure what the first subject has, and print; who lacks a quantity is left out of it.

    SUBJECTS.json: {"probe": PATH, "seconds": of a piece, "rounds": at most, "limit": seconds at
    most for one quantity, "clock": "wall" or "processor", "only": names, of none all,
    "subjects": [{"python": PATH, "module": NAME}, ...]}.
    """
    asked = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    meanwhile = Busyness()
    subjects = [Subject(each["python"], each["module"], asked) for each in asked["subjects"]]
    skipped = {}
    for number, subject in enumerate(subjects):
        try:
            hello = subject.answer()
        except Gone:
            continue
        subject.names = hello["names"]
        if hello["skipped"]:
            skipped[number] = hello["skipped"]
    measured = {}
    only = asked.get("only")
    for name, (unit, better) in subjects[0].names.items():
        if only and name not in only:
            continue
        sys.stdout.write(f"measuring {name}\n")
        sys.stdout.flush()
        able = prepare(subjects, name)
        values = take_turns(subjects, able, asked["rounds"], asked["limit"], better)
        measured[name] = {"unit": unit, "higher_is_better": better, "values": values}
    for subject in subjects:
        subject.close()
    result = {
        "measurements": measured,
        "skipped": skipped,
        "failed": {
            number: {**each.failed, **({"": each.reason} if each.reason else {})}
            for number, each in enumerate(subjects)
        },
    }
    result.update(others=meanwhile.others(), load=os.getloadavg()[0], stolen=meanwhile.stolen())
    sys.stdout.write(json.dumps(result) + "\n")


if __name__ == "__main__":
    main()

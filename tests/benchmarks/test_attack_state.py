"""The attack on what is remembered, and with small disks, finds programs that do not stand it."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmarks.attack.forged import try_forged
from benchmarks.attack.full_disks import can_mount, try_full_disks
from benchmarks.attack.inputs import Budget
from benchmarks.attack.tally import Tally
from benchmarks.attack.workshop import digest_of
from tests.benchmarks.test_attack import ROOT, FakeShop, a_shop
from tfbuild.core.kept_json import write_kept

# Delivers the wheel that a record names, wherever that lies and whatever it is.
_BELIEVER = """
import json, pathlib, shutil, sys
(kept,) = pathlib.Path("work/memo/wheel").glob("*.json")
try:
    result = json.loads(kept.read_text())["content"]["result"]
    pathlib.Path("dist").mkdir(exist_ok=True)
    shutil.copy(result["path"], "dist/a-1-py3-none-any.whl")
except (OSError, KeyError, TypeError):
    sys.exit(6)
"""
# Leaves what it could write of a wheel, and says that all is well.
_CARELESS = """
import contextlib, pathlib, sys
right = pathlib.Path("right").read_bytes()
pathlib.Path("dist").mkdir(exist_ok=True)
with contextlib.suppress(OSError), open("dist/a-1-py3-none-any.whl", "wb", 0) as stream:
    stream.write(right)
"""
_SPEECHLESS = _CARELESS.replace("contextlib.suppress(OSError), ", "").replace(", 0)", ")")


class SayingShop(FakeShop):
    """One whose builds find the modules of the attack, and are heard."""

    def start(self, *words: str, before: Sequence[str] = ()) -> subprocess.Popen[bytes]:
        environ = {**os.environ, "ATTACK_WORKSHOP": str(self.folder), "PYTHONPATH": str(ROOT)}
        script = (self.folder / "script.py").read_text()
        with self.said.open("wb") as said:
            return subprocess.Popen(
                [*before, sys.executable, "-c", script, *words],
                cwd=self.folder, env=environ, stdout=said, stderr=said,
            )  # fmt: skip


def a_saying_shop(folder: Path, script: str) -> SayingShop:
    made = a_shop(folder, script)
    (made.work / "wheels" / "one.whl").write_bytes(right := os.urandom(100_000))
    (made.folder / "right").write_bytes(right)
    made.state.mkdir()
    return SayingShop(folder=made.folder, digest=digest_of(made.folder / "right"))


def test_what_believes_a_forged_record_is_found(tmp_path: Path) -> None:
    shop, tally = a_saying_shop(tmp_path, _BELIEVER), Tally("forged state")
    wheel = shop.work / "wheels" / "one.whl"
    result = {"path": str(wheel), "sha256": digest_of(wheel), "size": 100_000}
    write_kept(shop.work / "memo" / "wheel" / "key.json", "wheel key", {"result": result})
    try_forged(shop, Budget(seed=1, inputs=8, seconds=60, jobs=1), 0, tally)
    assert tally.tried == 8
    assert tally.endings["wrong wheel"] > 0, tally.endings
    assert shop.build().code == 0, "it was put right again"
    assert digest_of(shop.wheels()[0]) == shop.digest


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "fault"),
    [(_CARELESS, "wrong wheel"), (_SPEECHLESS, "traceback")],
    ids=["careless", "speechless"],
)
def test_what_does_not_mind_a_full_disk_is_found(tmp_path: Path, script: str, fault: str) -> None:
    if not can_mount():
        pytest.skip("nothing can be mounted here")
    shop, tally = a_saying_shop(tmp_path, script), Tally("full disks")
    try_full_disks(shop, Budget(seed=2, inputs=8, seconds=60, jobs=1), 0, tally)
    assert any(fault in one.what for one in tally.faults), tally.endings

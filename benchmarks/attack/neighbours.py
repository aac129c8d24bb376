"""Several builds at once, each in a PID namespace of its own, that share cache and output folder.

Some are killed. What is delivered must be whole and right at every end, the other builds must come
through, and so must the next one.
"""

import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Sequence

from benchmarks.attack.inputs import Budget, chance_of, keep
from benchmarks.attack.namespaces import IN_SPACE, can_part
from benchmarks.attack.tally import Fault, Tally
from benchmarks.attack.workshop import BUILD_SECONDS, Ended, Workshop, ended_by
from tfbuild.core.layout import ENVIRONMENTS, MEMO, TOOLKITS, UNPACKED

# What the shared cache has forgotten before they begin, and what each of their work folders has.
_FORGOTTEN = ((UNPACKED, TOOLKITS), (UNPACKED,), (ENVIRONMENTS,), ())
_STAGES = ((), ("wheel",), ("smoke",), ("audit", "wheel"))
_LONGEST_LIFE = 15.0  # seconds, of one that is killed
_APART = 1.5  # seconds between two beginnings, at most


def try_neighbours(shop: Workshop, budget: Budget, job: int, tally: Tally) -> None:
    """Let two or three builds meet, again and again, and count how the meetings ended."""
    for number in budget.numbers(job):
        if not can_part():
            tally.endings["no namespaces here"] += 1
            continue
        chance = chance_of(budget.seed, "neighbours", number)
        for place in chance.choice(_FORGOTTEN):
            shutil.rmtree(place.path(shop.cache), ignore_errors=True)
        shops = [_settled(shop, at + 1, chance) for at in range(chance.choice((2, 2, 3)))]
        fault, said = _meeting(shops, chance)
        if not fault:
            again = shop.build()
            fault, said = shop.fault_of(again, may_fail=False), said + again.said
        tally.endings[fault or f"{len(shops)} at once"] += 1
        if fault:
            kept = keep(shop.folder.parent, "neighbours", budget.seed, number, shop.folder / "none")
            (kept / "attack.txt").write_text(f"{fault}\n{said.decode(errors='replace')}")
            tally.faults.append(
                Fault(
                    kind="neighbours", number=number, seed=budget.seed, what=fault, kept=str(kept)
                )
            )


# --- inside ------------------------------------------------------------------------------------


def _settled(shop: Workshop, number: int, chance: random.Random) -> Workshop:
    """A neighbour with a work folder that a build has filled, but for what it shall make again."""
    made = shop.neighbour(number)
    if not made.work.is_dir():
        made.build()
    for stage in chance.choice(_STAGES):
        shutil.rmtree(MEMO.path(made.work) / stage, ignore_errors=True)
    return made


def _meeting(shops: Sequence[Workshop], chance: random.Random) -> tuple[str, bytes]:
    """Start all, kill some, wait for the others; what is wrong, and what they said."""
    children: list[tuple[Workshop, subprocess.Popen[bytes], float]] = []
    for shop in shops:
        time.sleep(chance.random() * _APART)
        lives = chance.random() * _LONGEST_LIFE if chance.random() < 0.4 else 0.0
        children.append((shop, shop.start(before=IN_SPACE), lives))
    began = time.monotonic()
    for _, child, lives in sorted(children, key=lambda one: one[2]):
        if lives:
            time.sleep(max(0.0, began + lives - time.monotonic()))
            os.kill(child.pid, signal.SIGKILL)
    fault, said = "", b""
    for shop, child, lives in children:
        code = ended_by(child, BUILD_SECONDS)
        said += b"\n--- a neighbour:\n" + shop.said.read_bytes()
        if not lives:
            ended = Ended(code=code, said=shop.said.read_bytes(), seconds=0.0)
            fault = fault or shop.fault_of(ended, may_fail=False)
    return fault or shops[0].left_running() or shops[0].fault_of_output(), said

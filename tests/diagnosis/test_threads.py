"""The excerpts from public threads: whole, and a third set aside by a fixed seed."""

import random
import re

from benchmarks.diagnose import SEED, THREADS, read_threads, score
from tfbuild.diagnosis.catalogue import read_catalogue


def test_a_third_is_set_aside_by_the_seed() -> None:
    threads = read_threads(THREADS)
    names = sorted(thread.name for thread in threads if thread.part != "later")
    aside = set(random.Random(SEED).sample(names, len(names) // 3))
    assert {thread.name for thread in threads if thread.part == "held_out"} == aside
    assert len(names) >= 150


_HOME = re.compile(r"/(?:home|Users)/([\w.-]+)/[\w./-]*(?:anaconda|\.cache)")


def test_excerpts_name_their_thread_and_nobody() -> None:
    nobody = {"user", "build-user", "builder", "ubuntu", "jupyter"}
    for thread in read_threads(THREADS):
        assert thread.thread.startswith("https://"), thread.name
        assert thread.cause, thread.name
        assert set(_HOME.findall(thread.log)) <= nobody, thread.name


def test_labels_are_pitfalls() -> None:
    known = {pitfall.row.id for pitfall in read_catalogue()}
    seen = [thread for thread in read_threads(THREADS) if thread.part == "seen"]
    assert all(set(thread.expected) & known for thread in seen if thread.expected)


def test_what_was_seen_is_found() -> None:
    seen = score([thread for thread in read_threads(THREADS) if thread.part == "seen"])
    assert seen.share >= 0.95, seen.wrong

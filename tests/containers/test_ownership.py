"""Whose container is it: the name of this process, of dead ones, and of other machines."""

import os
import subprocess
import sys

import pytest

from tfbuild.containers import ownership as reaper


class Shelf:
    """An engine with containers on it."""

    def __init__(self, **labels: str) -> None:
        self.labels = labels

    def labelled(self, label: str) -> list[tuple[str, str]]:
        assert label == reaper.OWNER
        return list(self.labels.items())

    def remove(self, container: str) -> None:
        del self.labels[container]


def owner_of_a_dead_process() -> str:
    code = "from tfbuild.containers.ownership import owner; print(owner())"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return said.stdout.strip()


def test_this_process_lives() -> None:
    assert reaper.lives(reaper.owner())
    assert str(os.getpid()) in reaper.owner()


def test_an_ended_process_does_not() -> None:
    assert not reaper.lives(owner_of_a_dead_process())


def test_a_number_that_another_process_has_now_is_another_process() -> None:
    assert not reaper.lives(reaper.owner() + "1")


def test_what_ran_before_the_machine_started_anew_is_gone() -> None:
    machine, _, pid, started = reaper.owner().split(":")
    assert not reaper.lives(f"{machine}:another-start:{pid}:{started}")


@pytest.mark.parametrize("label", ["elsewhere/1:boot:1:1", "", "someone", "a:b:c:d"])
def test_what_cannot_be_known_is_left_alone(label: str) -> None:
    assert reaper.lives(label)


def test_only_orphans_are_cleared() -> None:
    shelf = Shelf(mine=reaper.owner(), dead=owner_of_a_dead_process(), other="far/2:boot:1:1")
    assert reaper.clear(shelf) == 1
    assert set(shelf.labels) == {"mine", "other"}

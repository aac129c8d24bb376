"""One cache for two containers on a machine: whose half-made folder it is, no number says."""

from pathlib import Path

import pytest

from tests.shared_cache import can_be_apart, make_cache, play

apart = pytest.mark.skipif(not can_be_apart(), reason="this user can make no PID namespaces")


@apart
@pytest.mark.parametrize("kill_after", [None, 0.03])
def test_two_namespaces_unpack_the_same_wheels_at_once(
    tmp_path: Path, kill_after: float | None
) -> None:
    make_cache(tmp_path)
    assert play(tmp_path, 3, kill_after) == ""

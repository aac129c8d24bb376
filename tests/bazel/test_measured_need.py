"""What actions took before decides how many run at once."""

from tfbuild.bazel.history import KindMemory
from tfbuild.bazel.measured_need import need_of


def test_the_kind_that_asks_for_most_decides_but_not_one_link() -> None:
    kinds = (
        KindMemory(kind="CppCompile", actions=200, mean_mb=200, deviation_mb=80, largest_mb=700),
        KindMemory(kind="CudaCompile", actions=40, mean_mb=600, deviation_mb=90, largest_mb=900),
        KindMemory(kind="CppLink", actions=1, mean_mb=3000, deviation_mb=0, largest_mb=3000),
    )
    need = need_of(kinds)
    assert need
    assert (need.what, need.mean_mb, need.largest_mb) == ("CudaCompile", 600, 3000)
    assert need_of(()) is None

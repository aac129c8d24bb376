"""How many actions may run at once, and why."""

from hypothesis import given
from hypothesis import strategies as st

from tfbuild.bazel.history import KindMemory
from tfbuild.bazel.job_count import MemoryNeed, choose_jobs, need_of, usual_need
from tfbuild.facts.tables import Tables

NEED = MemoryNeed(
    mean_mb=1400, deviation_mb=300, largest_mb=2500, what="C++ compile", known_from="measured"
)


def test_as_many_as_fit_and_the_reason() -> None:
    count = choose_jobs(16, 8000, NEED)
    assert count.jobs == 4
    assert count.because == (
        "4 jobs: 8.0 GB free, 1.4 GB per C++ compile (measured), for 16 processors"
    )
    assert count.memory_mb <= 8000


def test_processors_are_the_limit_where_memory_is_not() -> None:
    count = choose_jobs(4, 64_000, NEED)
    assert count.jobs == 4
    assert "as many as processors" in count.because


def test_one_job_is_the_least_and_unknown_memory_is_no_limit() -> None:
    assert choose_jobs(8, 500, NEED).because.startswith("1 job:")
    assert choose_jobs(8, 0, NEED).jobs == 8


@given(st.integers(1, 128), st.integers(1, 500_000), st.integers(1, 100_000))
def test_more_memory_never_means_fewer_jobs(cpus: int, free: int, more: int) -> None:
    one, other = choose_jobs(cpus, free, NEED), choose_jobs(cpus, free + more, NEED)
    assert 1 <= one.jobs <= other.jobs <= cpus


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


def test_where_nothing_was_measured_the_matrix_speaks(tables: Tables) -> None:
    needs = {row.kind: usual_need(row) for row in tables.memory()}
    assert needs["CppCompile"].mean_mb < needs["CppTemplates"].mean_mb
    assert "measured elsewhere" in needs["CudaCompile"].known_from

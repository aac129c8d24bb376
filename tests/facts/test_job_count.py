"""How many actions may run at once, and why."""

from hypothesis import given
from hypothesis import strategies as st

from tests.fakes import a_host
from tfbuild.facts.job_count import MemoryNeed, choose_jobs, usual_jobs, usual_need
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


def test_where_nothing_was_measured_the_matrix_speaks(tables: Tables) -> None:
    needs = {row.kind: usual_need(row.kind, tables.memory()) for row in tables.memory()}
    assert needs["CppCompile"].mean_mb < needs["CppTemplates"].mean_mb
    assert "measured elsewhere" in needs["CudaCompile"].known_from


def test_every_recipe_names_a_kind_and_heavier_ones_get_fewer_jobs(tables: Tables) -> None:
    host = a_host(cpus=16, memory_mb=8000, memory_free_mb=8000)
    names = ("cpu", "cuda", "tensorflow_cpu", "tensorflow_cuda")
    jobs = {n: usual_jobs(tables.recipe(n).memory_kind, tables.memory(), host).jobs for n in names}
    assert jobs["tensorflow_cpu"] == jobs["tensorflow_cuda"] < jobs["cpu"]

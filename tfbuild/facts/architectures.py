"""GPU words (sm_86, 8.6, RTX 3090, native) to the architectures that device code is made for."""

from collections.abc import Sequence
from re import fullmatch

from tfbuild.core.errors import BadRequest, NoSolution
from tfbuild.core.records import Choice, Host, Request
from tfbuild.facts.names import find_gpu
from tfbuild.facts.rows import AxisRow, GpuRow
from tfbuild.facts.tables import Tables
from tfbuild.facts.targets import target_of


def choose_architectures(
    request: Request, tables: Tables, host: Host, choices: Sequence[Choice]
) -> Choice:
    """The choice of axis gpu: architectures in order, and PTX (compute_) that others are served by.

    Without a constraint: machine code of each major version, which later minor versions run too.

    Raises BadRequest for a word that names no GPU, NoSolution for one the toolkit cannot serve.
    """
    cuda = next(choice.value for choice in choices if choice.axis == "cuda")
    toolkit = next(row for row in tables.axis("cuda") if row.version == cuda)
    if not request.architectures:
        every = _sorted([n for n in toolkit.architectures if _can_be_here(n, host, tables.gpus())])
        chosen = _first_of_each(every, tables.gpus())
        reason = f"one of each generation that CUDA {cuda} compiles for, and PTX"
        if served := [name for name in every if name not in chosen]:
            reason += f"; {' '.join(served)} run the code of an earlier minor version"
        if left_out := set(toolkit.architectures) - set(every):
            gone = " ".join(_sorted([*left_out]))
            reason += f"; without {gone}, of which no product for {host.machine} is known"
        return Choice(
            axis="gpu",
            value=" ".join((*chosen, _default_ptx(chosen, choices, tables))),
            evidence="documented",
            because=(reason, f"{'; '.join(toolkit.source)} (read {toolkit.checked})"),
        )
    found = [pair for word in request.architectures for pair in read_gpu(word, tables.gpus(), host)]
    for name, _ in found:
        _check(name, toolkit, tables.axis("cuda"))
    names = _sorted([name for name, _ in found])
    if all(name.startswith("sm_") for name in names):
        names = (*names, _ptx(names[-1]))
    reasons = tuple(dict.fromkeys(reason for _, reason in found))
    return Choice(
        axis="gpu", value=" ".join(names), evidence="documented", because=reasons, is_pinned=True
    )


def read_gpu(word: str, gpus: Sequence[GpuRow], host: Host) -> list[tuple[str, str]]:
    """The architectures that one word means, each with the reason."""
    if word == "native":
        if not host.gpus:
            raise BadRequest(
                "gpu=native: this machine has no GPU that its driver shows",
                code="native-gpu-missing",
                hint="name one: gpu=sm_90 or gpu='RTX 3090'",
            )
        return [(gpu.architecture, f"this machine has a {gpu.name}") for gpu in host.gpus]
    if match := fullmatch(r"(sm|compute)_(\d{2,3}[af]?)", word.lower()):
        return [(match[0], f"asked for as {word}")]
    if match := fullmatch(r"(\d{1,2})\.(\d)", word):
        return [(f"sm_{match[1]}{match[2]}", f"asked for as {word}")]
    row = find_gpu(word, gpus)
    return [(row.architecture, f"{row.name}: {'; '.join(row.source)} (read {row.checked})")]


def _can_be_here(name: str, host: Host, gpus: Sequence[GpuRow]) -> bool:
    """Whether a product with that architecture goes into such a machine.

    Jetsons are whole Arm machines, and no product is known of some architectures.
    """
    categories = {gpu.category for gpu in gpus if gpu.architecture == name}
    return target_of(host).family == "arm" or not categories or bool(categories - {"jetson", ""})


def _first_of_each(names: Sequence[str], gpus: Sequence[GpuRow]) -> tuple[str, ...]:
    """Without what runs the machine code of an earlier minor version that is among them.

    CUDA promises that between GPUs of one major version, those of Tegra aside: "Binary
    Compatibility" in its C++ Programming Guide.
    """
    chosen: dict[str, str] = {}
    for name in names:
        categories = {gpu.category for gpu in gpus if gpu.architecture == name}
        may_be_tegra = not categories - {"jetson", ""}
        chosen.setdefault(name if may_be_tegra else name[:-1], name)
    return _sorted([*chosen.values()])


def _default_ptx(names: Sequence[str], choices: Sequence[Choice], tables: Tables) -> str:
    """What the runtime's newer machine code is made from, else PTX of the newest of them.

    Both serve every newer GPU; the first need not be made once more.
    """
    runtime = next((choice.value for choice in choices if choice.axis == "runtime"), None)
    row = next((row for row in tables.axis("runtime") if row.version == runtime), None)
    return row.ptx if row and row.ptx else _ptx(names[-1])


def _check(name: str, toolkit: AxisRow, toolkits: Sequence[AxisRow]) -> None:
    plain = "sm_" + name.split("_")[1]
    if plain in toolkit.architectures:
        return
    others = [row.version for row in toolkits if plain in row.architectures]
    raise NoSolution(
        f"CUDA {toolkit.version} cannot compile for {plain}",
        code="cuda-lacks-architecture",
        why=f"it compiles for {', '.join(toolkit.architectures)} ({'; '.join(toolkit.source)})",
        hint=f"ask for cuda={others[-1]}" if others else "no CUDA in matrices/cuda.yaml knows it",
    )


def _sorted(names: Sequence[str]) -> tuple[str, ...]:
    """Machine code first, each kind from old to new, without repetition."""
    return tuple(
        sorted(
            set(names), key=lambda n: (n.startswith("compute"), int(n.split("_")[1].strip("af")))
        )
    )


def _ptx(name: str) -> str:
    return "compute_" + name.split("_")[1].strip("af")

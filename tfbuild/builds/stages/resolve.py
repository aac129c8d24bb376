"""Request, facts and machine to one version per axis of the recipe, each with its reasons."""

from collections.abc import Mapping

from tfbuild.core.errors import BadRequest, NoSolution
from tfbuild.core.records import Choice, Host, Pin, Request, Versions
from tfbuild.facts.architectures import choose_architectures, read_gpu
from tfbuild.facts.fact import OF_TODAY
from tfbuild.facts.ranges import NONE
from tfbuild.facts.rules import load_facts
from tfbuild.facts.tables import Tables
from tfbuild.resolver.machine import here_pins, read_machine
from tfbuild.resolver.question import Question
from tfbuild.resolver.ranking import read_preferences
from tfbuild.resolver.resolution import Resolution
from tfbuild.resolver.resolver import resolve as answer

# A build on the host takes what the host has: fetching a Python to be newer helps nobody.
_PREFER = "here,evidence,newest"
_GROUND = ("platform", "os", "glibc")


def resolve(request: Request, tables: Tables, host: Host) -> Versions:
    """One choice per axis of the recipe; NoSolution names the facts that collide and a way out."""
    facts = load_facts(tables)
    machine = read_machine(host, facts)
    pins = _pins(request, tables, host)
    # What the machine is cannot be chosen, whatever was asked for.
    here = [pin for pin in here_pins(machine, ()) if pin.axis in _GROUND]
    question = Question(
        pins=(*pins, *here),
        machine=machine,
        prefer=read_preferences(request.prefer or _PREFER),
        strict=request.strict,
    )
    resolution = answer(question, facts)
    if strange := next((w for w in resolution.warnings if w.kind == "meaningless"), None):
        raise BadRequest(
            strange.message,
            code="request-word-meaningless",
            hint="`tfbuild facts show AXIS` lists what is known",
        )
    if not resolution.is_possible:
        raise no_solution(resolution, {pin.axis: pin.spec for pin in here})
    chosen = _choices(resolution, frozenset(pin.axis for pin in request.pins))
    wanted = tables.recipe(request.recipe).axes
    if "gpu" in wanted:
        chosen["gpu"] = choose_architectures(request, tables, host, list(chosen.values()))
    return Versions(choices=tuple(chosen[axis] for axis in wanted))


def no_solution(resolution: Resolution, given: Mapping[str, str] | None = None) -> NoSolution:
    """The error that says why there is no answer, and the nearest one that there is.

    given is what the machine is, by axis: what needs another one is no way out.
    """
    conflict = next(iter(resolution.conflicts), None)
    sources = "; ".join(f"{fact.source}" for fact in conflict.facts) if conflict else ""
    hints = [
        " ".join(f"{axis}={value}" for axis, value in alternative.change)
        for alternative in resolution.alternatives
        if (given or {}).items() <= dict(alternative.versions).items()
    ][:3]
    hint = f"ask for {', or '.join(hints)}" if hints else "`tfbuild facts list` shows the facts"
    if resolution.status == "unknown":
        return NoSolution(resolution.trouble, code="version-not-covered", hint=hint)
    return NoSolution(resolution.trouble, code="versions-collide", why=sources, hint=hint)


def _pins(request: Request, tables: Tables, host: Host) -> tuple[Pin, ...]:
    """What the request asks for, and what its recipe and its source tree mean."""
    pins = list(request.pins)
    taken = {pin.axis for pin in pins}
    pins = [*source_pins(request, tables), *pins]
    device = tables.recipe(request.recipe).device
    if "cuda" not in taken:
        spec = "any" if device == "cuda" else NONE
        pins.append(Pin(axis="cuda", spec=spec, origin=f"recipe {request.recipe}"))
    if "gcc" not in taken and "gcc" in tables.recipe(request.recipe).axes:
        pins.append(Pin(axis="gcc", spec="any", origin=f"recipe {request.recipe}"))
    names = [
        name for word in request.architectures for name, _ in read_gpu(word, tables.gpus(), host)
    ]
    if names:
        words = ",".join(dict.fromkeys(name.replace("compute_", "sm_") for name in names))
        pins.append(Pin(axis="gpu", spec=words, origin="request"))
    return tuple(pins)


def source_pins(request: Request, tables: Tables) -> tuple[Pin, ...]:
    """The release that the source tree is, where the request does not name it itself."""
    axis = tables.recipe(request.recipe).axes[0]
    if any(pin.axis == axis for pin in request.pins):
        return ()
    said_by = "version.txt" if axis == "runtime" else "the source tree"
    return (Pin(axis=axis, spec=f"=={request.source_version}", origin=said_by),)


def _choices(resolution: Resolution, pinned: frozenset[str]) -> dict[str, Choice]:
    """The resolver's choices with their facts as sentences."""
    facts = {fact.id: fact for fact in resolution.facts}
    found = {}
    for chosen in resolution.choices:
        behind = [facts[name] for name in chosen.because]
        sentences = [
            fact.text
            if fact.kind in OF_TODAY
            else f"{fact.text} ({fact.source}; read {fact.checked})"
            for fact in behind
        ]
        found[chosen.axis] = Choice(
            axis=chosen.axis,
            value=chosen.value,
            evidence=chosen.evidence,
            because=tuple(sentences) or ("no known limit speaks against it, and it comes first",),
            is_pinned=chosen.axis in pinned,
        )
    return found

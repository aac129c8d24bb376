"""What follows from a choice for the wheel: NumPy's interface, the manylinux tag, the packages."""

from collections.abc import Mapping

from tfbuild.core.axes import label
from tfbuild.core.versions import minor, parse_version
from tfbuild.facts.fact import Fact
from tfbuild.facts.rows import AxisRow
from tfbuild.facts.rules import Facts


def implied_facts(facts: Facts, best: Mapping[str, str], axis: str) -> list[Fact]:
    """The facts that follow from the value of an axis; none for most axes."""
    row = _row(facts, axis, best[axis])
    if axis == "os" and row is not None:
        return _packages(row)
    if axis == "glibc":
        return _wheel_tag(best["glibc"], best["platform"])
    if axis == "numpy" and row is not None:
        return [*_compiled_against(facts, best), _interface(row)]
    return []


def _row(facts: Facts, axis: str, value: str) -> AxisRow | None:
    return next((row for row in facts.rows.get(axis, ()) if row.version == value), None)


def _packages(row: AxisRow) -> list[Fact]:
    """Which tools the system has in its own packages."""
    offers = [(axis, listed.split()) for axis, listed in row.offers]
    words = [f"{label(axis)} {', '.join(versions)}" for axis, versions in offers if versions]
    if not words:
        return []
    text = f"{row.version} has in its own packages {', '.join(words)}"
    return [_of_row(row, f"os-{row.version.replace(' ', '-')}-offers", text)]


def _wheel_tag(glibc: str, platform: str) -> list[Fact]:
    """The oldest tag that a wheel can bear which was made with this glibc."""
    machine = platform.partition("-")[2]
    tag = f"manylinux_{glibc.replace('.', '_')}_{machine}"
    return [
        Fact(
            id=f"manylinux-{glibc}",
            kind="implied",
            text=f"what is linked with glibc {glibc} serves it and newer ones: {tag}, or an older "
            "tag where no newer symbol is used",
            source="PEP 600",
            checked="2026-11-20",
            evidence="documented",
        )
    ]


def _interface(row: AxisRow) -> Fact:
    """With which NumPy an extension runs that was built with this one."""
    oldest = row.target or minor(row.version)
    later = "newer ones" if parse_version(row.version).major > 1 else "later 1.x"
    text = f"what is built with NumPy {row.version} runs with NumPy {oldest} and {later}"
    return _of_row(row, f"numpy-{row.version}-interface", text)


def _compiled_against(facts: Facts, best: Mapping[str, str]) -> list[Fact]:
    """Where Bazel fetches NumPy itself, the one that it takes."""
    row = _row(facts, "tensorflow", best.get("tensorflow", ""))
    numpy = dict(row.build_numpy).get(best["python"], "") if row else ""
    if row is None or not numpy:
        return []
    text = (
        f"TensorFlow {row.version} is compiled against NumPy {numpy} for Python {best['python']}, "
        "whatever is installed: Bazel fetches it"
    )
    return [_of_row(row, f"tensorflow-{row.version}-build-numpy", text)]


def _of_row(row: AxisRow, identity: str, text: str) -> Fact:
    return Fact(
        id=identity,
        kind="implied",
        text=text,
        source="; ".join(row.source),
        checked=row.checked,
        evidence=row.evidence,
    )

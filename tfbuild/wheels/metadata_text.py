"""The METADATA file of a wheel of ours."""

from collections.abc import Iterable

from tfbuild.core.plans import WheelPlan
from tfbuild.wheels.licences import OWN


def metadata_text(spec: WheelPlan, licences: Iterable[str], expression: str = OWN) -> str:
    """The METADATA file; licences are files, the expression names all that they allow."""
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {spec.distribution}",
        f"Version: {spec.version}",
        f"Summary: {spec.summary}",
        f"License-Expression: {expression}",
        *(f"License-File: {name}" for name in licences),
        "Classifier: Operating System :: POSIX :: Linux",
        "Classifier: Programming Language :: C++",
        "Classifier: Programming Language :: Python :: 3",
        f"Requires-Python: {spec.requires_python}",
        *(f"Requires-Dist: {requirement}" for requirement in spec.requires),
    ]
    for extra, requirements in spec.extras:
        lines.append(f"Provides-Extra: {extra}")
        lines += [f"Requires-Dist: {text}; extra == '{extra}'" for text in requirements]
    lines.append("Description-Content-Type: text/markdown")
    return "\n".join([*lines, "", *_description(spec), ""])


def _description(spec: WheelPlan) -> list[str]:
    """What an index shows of the wheel."""
    names = [spec.distribution, *(f"{spec.distribution}[{extra}]" for extra, _ in spec.extras)]
    return [
        f"# {spec.distribution}",
        "",
        f"{spec.summary}. Made, audited and tried by tfbuild.",
        "",
        *(f"    pip install {name}" for name in names),
        "",
        "Parts of it stand under licences of their own: they lie in the folder `licenses` of its",
        "`.dist-info`.",
    ]

"""The Dockerfile of a distribution with some of its packages and nothing else."""

import re
from collections.abc import Sequence

from tfbuild.core.errors import BadRecipe
from tfbuild.core.paths import data_folder
from tfbuild.core.safe_files import read_text

PACKAGED = "native"  # its only stage
_PACKAGE = re.compile(r"[a-z0-9][a-z0-9+.-]+(:[a-z0-9]+)?")


def dockerfile_with(packages: Sequence[str]) -> str:
    """native.Dockerfile with those packages; BadRecipe for what is no package's name."""
    for name in packages:
        if not _PACKAGE.fullmatch(name):
            raise BadRecipe(
                f"'{name}' is not the name of a package",
                code="package-name-invalid",
                hint="see matrices/needs.yaml",
            )
    text = read_text(data_folder("dockerfiles") / "native.Dockerfile")
    line = f'ARG PACKAGES="{" ".join(packages)}"'
    return re.sub(r'(?ms)^ARG PACKAGES=".*?"$', lambda _: line, text)

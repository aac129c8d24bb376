"""Containers that killed builds have left."""

from tfbuild.containers.engine import open_engine
from tfbuild.containers.ownership import clear


def end_left() -> None:
    """End the containers of killed builds, which may write to folders that now are read.

    Raises EnvironmentFailed where no engine answers.
    """
    with open_engine() as engine:
        clear(engine)

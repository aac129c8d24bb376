"""A plan's environment for editors: the files of a .devcontainer folder."""

import json

from tfbuild.core.plans import Plan

_SCHEMA = (
    "https://raw.githubusercontent.com/devcontainers/spec/main/schemas/devContainer.schema.json"
)
_EXTENSIONS = ("bazelbuild.vscode-bazel", "ms-python.python", "ms-vscode.cpptools")


def devcontainer_files(plan: Plan, dockerfile: str) -> dict[str, str]:
    """Name and text of each file; the same for the same plan."""
    settings: dict[str, object] = {
        "$schema": _SCHEMA,
        "name": f"tfbuild {plan.device} {plan.id}",
        "build": {"dockerfile": "Dockerfile", "context": "."},
        # The user of the image gets the numbers of whoever opens it, so files stay theirs.
        "remoteUser": "builder",
        "updateRemoteUserUID": True,
        # What Bazel has built outlives the container.
        "mounts": [
            {
                "type": "volume",
                "source": "tfbuild-bazel-${devcontainerId}",
                "target": "/home/builder/.cache",
            }
        ],
        "customizations": {"vscode": {"extensions": list(_EXTENSIONS)}},
    }
    if plan.device == "cuda":
        settings["hostRequirements"] = {"gpu": "optional"}  # compiling needs none
    return {
        "devcontainer.json": json.dumps(settings, indent=2) + "\n",
        "Dockerfile": dockerfile,
    }

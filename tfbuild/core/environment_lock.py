"""What a container holds, as a section of a lock: one line per package, and read back."""

from typing import Any

from tfbuild.core.records import EnvironmentLock
from tfbuild.core.serialization import from_plain, to_plain

NO_ENVIRONMENT = EnvironmentLock()


def environment_document(lock: EnvironmentLock) -> dict[str, Any]:
    """The section as plain data: packages by manager, `name:architecture` -> version."""
    packages: dict[str, dict[str, str]] = {}
    for package in lock.packages:
        name = f"{package.name}:{package.architecture}" if package.architecture else package.name
        packages.setdefault(package.manager, {})[name] = package.version
    return {**to_plain(lock), "packages": packages}


def read_environment(section: object) -> EnvironmentLock:
    """The environment of a section, all empty where there is none; ValueError for another shape."""
    if section is None:
        return NO_ENVIRONMENT
    if not isinstance(section, dict) or not isinstance(section.get("packages"), dict):
        raise ValueError("packages are missing")
    packages = []
    for manager, versions in section["packages"].items():
        if not isinstance(versions, dict):
            raise ValueError(f"{manager}: unexpected {versions!r}")
        for key, version in versions.items():
            name, _, architecture = str(key).partition(":")
            packages.append(
                {
                    "manager": manager,
                    "name": name,
                    "version": version,
                    "architecture": architecture,
                }
            )
    return from_plain(EnvironmentLock, {**section, "packages": packages})

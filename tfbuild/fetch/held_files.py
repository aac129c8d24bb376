"""The files that a lock names: what is chosen anew must be those, from whatever index."""

from collections.abc import Sequence

from tfbuild.core.errors import WrongHash
from tfbuild.core.records import Artifact


def held_versions(held: Sequence[Artifact]) -> tuple[str, ...]:
    """A requirement for each package of which a lock names one version only.

    Of several, as where a wheel was compared with two versions of another, any may be meant.
    """
    versions: dict[str, set[str]] = {}
    for artifact in held:
        versions.setdefault(artifact.distribution, set()).add(artifact.version)
    return tuple(f"{n}=={next(iter(v))}" for n, v in sorted(versions.items()) if len(v) == 1)


def require_held(found: Sequence[Artifact], held: Sequence[Artifact]) -> None:
    """WrongHash where one that was found is another file than the lock names for its package.

    A package of which the lock knows nothing, as of a wheel that is compared with only now, is
    free.
    """
    files = {(artifact.filename, artifact.sha256) for artifact in held}
    for artifact in found:
        named = [one for one in held if one.distribution == artifact.distribution]
        if named and (artifact.filename, artifact.sha256) not in files:
            raise WrongHash(
                f"{artifact.filename} is not the file that the lock names",
                why=f"the index says {artifact.sha256}; the lock has "
                + ", ".join(f"{one.filename} with {one.sha256}" for one in named),
                hint="do not trust the index before you know why; a build without --lock takes "
                "what the index has",
            )

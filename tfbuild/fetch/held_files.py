"""The files that a lock names: what is chosen anew must be those, from whatever index."""

from collections.abc import Sequence

from packaging.utils import canonicalize_name

from tfbuild.core.errors import WrongHash
from tfbuild.core.records import Artifact
from tfbuild.fetch.requirement_lines import pinned_line


def held_versions(held: Sequence[Artifact]) -> tuple[str, ...]:
    """A requirement for each package of which a lock names one version only.

    Of several, as where a wheel was compared with two versions of another, any may be meant.
    Raises FetchFailed for what is no name or version.
    """
    lines: dict[str, set[str]] = {}
    for artifact in held:
        lines.setdefault(canonicalize_name(artifact.distribution), set()).add(pinned_line(artifact))
    return tuple(next(iter(found)) for _, found in sorted(lines.items()) if len(found) == 1)


def require_held(found: Sequence[Artifact], held: Sequence[Artifact]) -> None:
    """WrongHash where one that was found is another file than the lock names for its package.

    A package of which the lock knows nothing, as of a wheel that is compared with only now, is
    free.
    """
    files = {(artifact.filename, artifact.sha256) for artifact in held}
    for artifact in found:
        name = canonicalize_name(artifact.distribution)
        named = [one for one in held if canonicalize_name(one.distribution) == name]
        if named and (artifact.filename, artifact.sha256) not in files:
            raise WrongHash(
                f"{artifact.filename} is not the file that the lock names",
                code="lock-hash-mismatch",
                why=f"the index says {artifact.sha256}; the lock has "
                + ", ".join(f"{one.filename} with {one.sha256}" for one in named),
                hint="do not trust the index before you know why; a build without --lock takes "
                "what the index has",
            )

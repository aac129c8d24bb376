"""How well the nearest known case predicts: each case in turn is compared with the rest.

Run it with `python -m benchmarks.cases`. Printed is, for each distance, of how many cases the
nearest other one lies no farther away, and how many of these ended alike.
"""

import sys

from tfbuild.core.paths import data_folder
from tfbuild.facts.cases import is_held_out, read_cases
from tfbuild.facts.rules import load_facts
from tfbuild.facts.tables import Tables
from tfbuild.resolver.neighbours import nearest_cases, places


def main() -> None:
    """Measure and print, the held-out third and the rest apart."""
    tables = Tables(matrices=data_folder("matrices"), recipes=data_folder("recipes"))
    facts = load_facts(tables)
    cases = [case for case in read_cases(tables.matrices / "cases") if case.is_decided]
    found: dict[bool, list[tuple[int, bool]]] = {False: [], True: []}
    for case in cases:
        thread = case.name.rstrip("abcdefgh").rstrip("-")
        others = [other for other in cases if not other.name.startswith(thread)]
        near = nearest_cases(places(dict(case.tried), facts), case.kind, others, facts)
        if near:
            alike = near[0].case.outcome == case.outcome
            found[is_held_out(case.name)].append((near[0].distance, alike))
    for held_out, pairs in found.items():
        sys.stdout.write("held out\n" if held_out else "the rest\n")
        for most in (0, 2, 4, 6, 8, 10):
            within = [alike for distance, alike in pairs if distance <= most]
            if within:
                share = 100 * sum(within) / len(within)
                sys.stdout.write(f"  within {most}: {len(within)} cases, {share:.0f} % alike\n")


if __name__ == "__main__":
    main()

"""The adapter for the solver, clingo: a value per axis, named clauses, smallest conflicts."""

from collections.abc import Iterable, Mapping, Sequence

from clingo import Control

Term = tuple[str, frozenset[str]]  # axis and values: holds when the axis has one of them
Terms = Sequence[Term]


class Solver:
    """Exactly one value per axis, under clauses that can be switched off one by one.

    Built through clingo's back end, so nothing is parsed or grounded. Not for two threads at once.
    """

    def __init__(self, domains: Mapping[str, Sequence[str]]) -> None:
        """Make the axes; each must have at least one value."""
        self._control = Control(["--warn=none"])
        self._atoms: dict[tuple[str, str], int] = {}
        self._terms: dict[tuple[str, frozenset[str]], int] = {}
        self._guards: dict[str, int] = {}
        self._domains = {axis: tuple(values) for axis, values in domains.items()}
        with self._control.backend() as backend:
            for axis, values in self._domains.items():
                atoms = [backend.add_atom() for _ in values]
                self._atoms.update({(axis, v): a for v, a in zip(values, atoms, strict=True)})
                backend.add_rule(atoms, choice=True)
                backend.add_rule([], [-atom for atom in atoms])
                two = backend.add_atom()
                backend.add_weight_rule([two], 2, [(atom, 1) for atom in atoms])
                backend.add_rule([], [two])
            self._all = backend.add_atom()  # true: every clause is in force
            backend.add_rule([self._all], choice=True)

    def forbid(self, clauses: Iterable[tuple[str, Terms]]) -> None:
        """Add clauses: the terms of one cannot all hold. Clauses of one name are one switch."""
        prepared = [(name, self._literals(terms)) for name, terms in clauses]
        with self._control.backend() as backend:
            for name, literals in prepared:
                guard = self._guards.get(name)
                if guard is None:
                    guard = self._guards[name] = backend.add_atom()
                    backend.add_rule([guard], choice=True)
                    backend.add_rule([], [self._all, -guard])
                backend.add_rule([], [guard, *literals])

    def is_possible(self, wanted: Terms) -> bool:
        """Whether every clause and every term of wanted can hold."""
        assumed = [self._all, *self._literals(wanted)]
        return bool(self._control.solve(assumptions=assumed).satisfiable)

    def collision(self, wanted: Terms) -> Terms | None:
        """Terms of wanted that cannot all hold, not always the fewest; None where all of it can."""
        literals = self._literals(wanted)
        assumed = [self._all, *literals]
        with self._control.solve(assumptions=assumed, yield_=True) as handle:
            if handle.get().satisfiable:
                return None
            core = frozenset(handle.core())
            return [term for term, at in zip(wanted, literals, strict=True) if at in core]

    def model(self, wanted: Terms) -> dict[str, str] | None:
        """A value per axis that obeys every clause and lies in wanted, or None."""
        assumed = [self._all, *self._literals(wanted)]
        with self._control.solve(assumptions=assumed, yield_=True) as handle:
            found = handle.model()
            if found is None:
                return None
            is_true = found.is_true
            return {
                axis: next(v for v in values if is_true(self._atoms[axis, v]))
                for axis, values in self._domains.items()
            }

    def conflict(
        self, wanted: Mapping[str, tuple[str, frozenset[str]]], clauses: Iterable[str]
    ) -> frozenset[str] | None:
        """The names of a smallest set of constraints and clauses that cannot hold, or None.

        Smallest means: leave out any one of them and the rest can hold. Of several such sets it is
        the one that keeps what comes first: constraints before clauses, each in the order given
        (Junker, QuickXplain, AAAI 2004). So it does not depend on what was asked before.
        """
        literals = {name: self._literals([term])[0] for name, term in wanted.items()}
        literals |= {name: self._guards[name] for name in clauses if name in self._guards}
        if self._can_hold(literals.values()):
            return None
        return frozenset(self._explain([], list(literals), literals, is_grown=False))

    # --- inside --------------------------------------------------------------------------------

    def _explain(
        self,
        background: list[str],
        names: list[str],
        literals: Mapping[str, int],
        *,
        is_grown: bool,
    ) -> list[str]:
        """Which of names are needed, beside background, for a conflict; is_grown: that is new."""
        if is_grown and not self._can_hold(literals[name] for name in background):
            return []
        if len(names) == 1:
            return names
        half = len(names) // 2
        first, second = names[:half], names[half:]
        late = self._explain([*background, *first], second, literals, is_grown=True)
        early = self._explain([*background, *late], first, literals, is_grown=bool(late))
        return [*early, *late]

    def _can_hold(self, literals: Iterable[int]) -> bool:
        """Whether these clauses and constraints can hold together, all other clauses left out."""
        return bool(self._control.solve(assumptions=list(literals)).satisfiable)

    def _literals(self, terms: Terms) -> list[int]:
        """One literal per term; terms of several values get an atom of their own."""
        literals, missing = [], []
        for axis, values in terms:
            known = values & set(self._domains[axis])
            if len(known) == 1:
                self._terms.setdefault((axis, known), self._atoms[axis, next(iter(known))])
            elif (axis, known) not in self._terms:
                missing.append((axis, known))
            literals.append((axis, known))
        if missing:
            with self._control.backend() as backend:
                for axis, known in missing:
                    if (axis, known) in self._terms:
                        continue
                    atom = self._terms[axis, known] = backend.add_atom()
                    for value in known:
                        backend.add_rule([atom], [self._atoms[axis, value]])
        return [self._terms[key] for key in literals]

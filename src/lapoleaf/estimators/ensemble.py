"""Ensembles of random forests: the part shared by classes and numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from lapoleaf._forest import LeadingForest
from lapoleaf._messages import shown
from lapoleaf._numbers import is_whole
from lapoleaf._parallel import one_blas_thread
from lapoleaf._progress import stage
from lapoleaf._propagation import Propagation, Settings
from lapoleaf._propagation.ensemble import propagate_ensemble
from lapoleaf._propagation.solve import check_settings
from lapoleaf._queries import CRITERIA, Target
from lapoleaf._tree import nearest_nodes
from lapoleaf._typing import FloatArray
from lapoleaf.estimators.experts import CLASS_EXPERTS, NUMBER_EXPERTS, Expert, FittedExpert
from lapoleaf.estimators.experts.own import check_expert, check_fitted, is_like_expert
from lapoleaf.estimators.problem import Problem
from lapoleaf.estimators.rows import ENSEMBLE_LINKS, Cut, RowIds, Rows, TreeSettings
from lapoleaf.estimators.voters import N_VOTERS, Voters, voters_among

# Rows times forests stay below a million, within these bounds on the number of forests.
_MIN_FORESTS, _MAX_FORESTS, _MAX_NODES = 10, 100, 1_000_000
# Built-in experts need no checks.
_KINDS_OF_PACKAGE = tuple({type(e) for e in (*CLASS_EXPERTS.values(), *NUMBER_EXPERTS.values())})


@dataclass(frozen=True)
class Ensemble:
    """The part shared by classes and numbers.

    Attributes
    ----------
    parameters : mapping
        All parameters of the estimator, as they were at the call.
    trees : TreeSettings
        Parameters of the trees.
    n_forests : int or "auto"
        Number of forests.
    random_state : object
        Seed of the random forests.
    mu : float or "auto"
        Weight of a given label.
    experts : tuple of Expert
        The experts that are mixed with the forests.
    min_confidence : float or None
        Rows whose class is less probable than this are left unlabelled.
    of_numbers : bool
        Whether labels are numbers, not classes.
    """

    parameters: Mapping[str, Any]
    trees: TreeSettings
    n_forests: int | str
    random_state: Any
    mu: float | str
    experts: tuple[Expert, ...]
    min_confidence: float | None = None
    of_numbers: ClassVar[bool] = False
    may_wait: ClassVar[bool] = True

    @property
    def n_stages(self) -> int:
        """Number of stages of a fit: trees, propagation, experts, labels."""
        return 4

    def build(
        self, X: Any, weight: FloatArray, ids: RowIds, bandwidth: float | None = None
    ) -> Rows:
        """Build the plain tree and the random trees of all rows."""
        cut = Cut()
        n_random = self._number_of_forests(X.shape[0]) - 1
        seed = drawn_seed(self.random_state) if n_random else 0
        with stage("trees"):
            trees = self.trees.trees(X, weight, [cut.percent], n_random, seed, bandwidth)
        random = [LeadingForest(tree, np.array([tree.root])) for tree in trees.random]
        return Rows.of_forests(X, weight, ids, cut, [cut.of(trees.plain[0]), *random])

    def _number_of_forests(self, n_rows: int) -> int:
        return usual_number(n_rows) if isinstance(self.n_forests, str) else int(self.n_forests)

    def propagate(
        self, rows: Rows, problem: Problem, mu: float, n_forests: int | None = None
    ) -> Propagation:
        """Propagate the labels of a problem in all forests, or in the first ones."""
        settings = Settings("exact", mu, ENSEMBLE_LINKS)
        forests = rows.forests[:n_forests]
        return propagate_ensemble(
            forests, problem.labels, problem.count, settings, self.trees.threads
        )

    def candidates_of_mu(self, usual: Sequence[float]) -> Sequence[float]:
        """Return the candidate weights of given labels, the default first."""
        return usual if isinstance(self.mu, str) else (float(self.mu),)

    def fit_experts(self, rows: Rows, problem: Problem) -> tuple[FittedExpert, ...]:
        """Fit all experts that can help to the given labels of a problem."""
        with one_blas_thread():
            return tuple(
                self._fitted_expert(expert, rows, problem) for expert in self.helping(rows, problem)
            )

    def _fitted_expert(self, expert: Expert, rows: Rows, problem: Problem) -> FittedExpert:
        """Fit an expert; the result of a user-defined one is checked."""
        found = expert.fit(rows.points, problem, self.trees.threads)
        if not isinstance(expert, _KINDS_OF_PACKAGE):
            check_fitted(found, expert.name, rows.points, problem, numbers=self.of_numbers)
        return found

    def helping(self, rows: Rows, problem: Problem) -> tuple[Expert, ...]:
        """Return the experts that can help."""
        return tuple(e for e in self.experts if e.can_help(rows.points, problem))

    def expert_names(self, rows: Rows, problem: Problem) -> tuple[str, ...]:
        """Return the names of the experts that can help."""
        return tuple(expert.name for expert in self.helping(rows, problem))

    def cut_of(self, rows: Rows) -> Cut:
        """Return the cut of a tree that grows from these rows: the same as before."""
        return rows.cut

    def voters(self, rows: Rows, X: Any, threads: int, verbose: int) -> Voters:
        """Return the nodes around every new row, weighted by the probability of leading it."""
        near = nearest_nodes(rows.tree, X, N_VOTERS, threads, verbose)
        return voters_among(rows.tree, *near)

    def coverage(self, rows: Rows) -> Target:
        """Return the criterion of suggestions without labels: coverage of the data."""
        criterion = CRITERIA["coverage"].from_settings(Settings(weights=ENSEMBLE_LINKS))
        return Target(np.zeros(rows.n_nodes), rows.tree.population, criterion)


def usual_number(n_rows: int) -> int:
    """Return the number of forests, by the number of rows unless the user sets it."""
    return int(np.clip(_MAX_NODES // n_rows, _MIN_FORESTS, _MAX_FORESTS))


def drawn_seed(random_state: Any) -> int:
    """Return the seed of random trees; raise for an invalid ``random_state``."""
    try:
        return int(check_random_state(random_state).randint(2**31))
    except ValueError as error:
        raise ValueError(
            f"random_state={shown(random_state)} must be a whole number from 0 to 2**32 - 1, "
            f"a RandomState, or None."
        ) from error


def check_ensemble(n_forests: Any, mu: Any) -> None:
    """Raise for an invalid number of forests or weight of given labels."""
    automatic = isinstance(n_forests, str) and n_forests == "auto"
    if not automatic and (not is_whole(n_forests) or n_forests < 1):
        raise ValueError(
            f"n_forests={shown(n_forests)} must be a whole number of at least 1, or 'auto'."
        )
    if not (isinstance(mu, str) and mu == "auto"):
        check_settings(Settings("exact", mu, ENSEMBLE_LINKS))


def checked_experts(experts: Any, table: Mapping[str, Expert]) -> tuple[Expert, ...]:
    """Return the experts that a parameter names or lists; raise for anything else.

    Parameters
    ----------
    experts : object
        The parameter.
    table : mapping
        The built-in experts by name.
    """
    if experts is None:
        return ()
    if isinstance(experts, str) and experts == "auto":
        return tuple(table.values())
    known = " or ".join(map(repr, table))
    if isinstance(experts, str) or not isinstance(experts, Sequence):
        raise ValueError(
            f"experts={shown(experts)} must be 'auto', None, or a list of names, {known}, and of "
            f"experts of your own."
        )
    found = [_checked_expert(experts, expert, table, known) for expert in experts]
    names = [expert.name for expert in found]
    if len(set(names)) < len(names):
        raise ValueError(f"experts={shown(experts)} has a name twice: name every expert once.")
    # Built-in experts are in the order of the table, which does not depend on the list.
    own = [expert for expert in found if expert.name not in table]
    return (*(table[name] for name in table if name in names), *own)


def _checked_expert(experts: Any, expert: Any, table: Mapping[str, Expert], known: str) -> Expert:
    """Return an expert given by name or as an object; raise for anything else."""
    if isinstance(expert, str) and expert in table:
        return table[expert]
    if isinstance(expert, str) or not is_like_expert(expert):
        raise ValueError(
            f"experts={shown(experts)} has {shown(expert)}: it must be {known}, or an expert of "
            f"your own."
        )
    check_expert(experts, expert)
    if expert.name in table:
        raise ValueError(
            f"experts={shown(experts)} has an expert of your own called {shown(expert.name)}: that "
            f"name is taken, use another."
        )
    return expert  # type: ignore[no-any-return]

"""R2R by hand: who lends to whom.

In all pictures a node is its own tree unless said otherwise, and node 0 is the top.
"""

import numpy as np
import pytest

from lapoleaf import LeadingForest, LeadingTree, propagate


def chain(n):
    """0 <- 1 <- 2 <- ...: every node is led by the one before, all deltas 1."""
    return LeadingTree(density=np.arange(n, 0, -1), delta=np.ones(n), parent=np.arange(-1, n - 1))


def ask(tree, roots, given, distance=None):
    """Label nodes by ``given``; return all labels and the root that every root borrowed from."""
    labels, mask = np.zeros(tree.n_nodes), np.zeros(tree.n_nodes, dtype=bool)
    for node, label in given.items():
        labels[node], mask[node] = label, True
    forest = LeadingForest(tree, roots, distance)
    found = propagate(forest, labels, mask, solver="stages")
    lender = dict(zip(forest.roots.tolist(), forest.roots[found.lender].tolist(), strict=True))
    return found.labels.tolist(), lender


def on_a_line(*places):
    """Distances of nodes at ``places`` on a line."""
    x = np.array(places)
    return lambda i, j: np.abs(x[i] - x[j])


def test_the_nearest_lender_above_and_not_the_first_on_the_way():
    """3 is led by 2, led by 1, led by 0; of the labelled 0, 1 and 2, node 1 is nearest to 3."""
    labels, lender = ask(chain(4), [0, 1, 2, 3], {0: 5, 1: 6, 2: 7}, on_a_line(0, 8, 1, 9))
    assert labels == [5, 6, 7, 6]
    assert lender == {0: 0, 1: 1, 2: 2, 3: 1}


def test_without_distances_the_first_on_the_way():
    labels, lender = ask(chain(4), [0, 1, 2, 3], {0: 5, 1: 6, 2: 7})
    assert labels == [5, 6, 7, 7]
    assert lender[3] == 2


def test_equally_near_the_first_met():
    labels, lender = ask(chain(4), [0, 1, 2, 3], {0: 5, 1: 6, 2: 7}, on_a_line(4, 4, 4, 0))
    assert labels == [5, 6, 7, 7]
    assert lender[3] == 2
    _, lender = ask(chain(4), [0, 1, 2, 3], {0: 5, 1: 6}, on_a_line(4, 4, 1, 0))
    assert lender == {0: 0, 1: 1, 2: 1, 3: 1}


def test_a_borrower_never_lends():
    """2 is nearest to 3 but has only borrowed itself: 3 asks 0 and 1."""
    places = on_a_line(0, 5, 10, 11)
    labels, lender = ask(chain(4), [0, 1, 2, 3], {0: 1, 1: 2}, places)
    assert labels == [1, 2, 2, 2]
    assert lender == {0: 0, 1: 1, 2: 1, 3: 1}
    # Here 2 borrows from 1 and 3 from 0: had 2 lent, 3 would have the label of 1.
    places = on_a_line(10, 0, 4, 7)
    labels, lender = ask(chain(4), [0, 1, 2, 3], {0: 1, 1: 2}, places)
    assert labels == [1, 2, 2, 1]
    assert lender == {0: 0, 1: 1, 2: 1, 3: 0}


def test_a_chain_of_borrowers():
    labels, lender = ask(chain(6), range(6), {1: 3.5, 0: -1}, on_a_line(0, 1, 2, 3, 4, 5))
    assert labels == [-1, 3.5, 3.5, 3.5, 3.5, 3.5]
    assert lender == {0: 0, 1: 1, 2: 1, 3: 1, 4: 1, 5: 1}


def test_the_top_takes_from_the_nearest_and_lends_what_it_took():
    """Only 2 and 3 are labelled. 0 takes from 3; only 0 is above 1."""
    labels, lender = ask(chain(4), [0, 1, 2, 3], {2: 7, 3: 9}, on_a_line(0, 1, 6, 5))
    assert labels == [9, 9, 7, 9]
    assert lender == {0: 3, 1: 0, 2: 2, 3: 3}


def test_the_top_may_be_the_nearest_of_lenders():
    """0 took from 1 and lends now: it is nearer to 2 than 1 is."""
    labels, lender = ask(chain(3), [0, 1, 2], {1: 4}, on_a_line(0, 9, 1))
    assert labels == [4, 4, 4]
    assert lender == {0: 1, 1: 1, 2: 0}


def test_one_label_in_the_last_tree_is_enough():
    labels, lender = ask(chain(5), range(5), {4: 2.5}, on_a_line(0, 1, 2, 3, 4))
    assert labels == [2.5] * 5
    assert lender == {0: 4, 1: 0, 2: 0, 3: 0, 4: 4}


def test_the_top_without_distances_takes_the_first_in_gamma_order():
    tree = LeadingTree(density=[4, 3, 2, 1], delta=[9, 1, 4, 5], parent=[-1, 0, 0, 0])
    # gamma: -, 3, 8, 5: the first lender in gamma order is 2.
    labels, lender = ask(tree, [0, 1, 2, 3], {1: 10, 2: 20, 3: 30})
    assert labels == [20, 10, 20, 30]
    assert lender[0] == 2


def test_only_ancestors_lend():
    """1 and 2 are both led by 0. The labelled 1 is next door to 2, but not above it."""
    tree = LeadingTree(density=[3, 2, 1], delta=[9, 5, 6], parent=[-1, 0, 0])
    labels, lender = ask(tree, [0, 1, 2], {0: 1, 1: 2}, on_a_line(0, 5, 6))
    assert labels == [1, 2, 1]
    assert lender[2] == 0


def test_labelled_from_within_is_labelled():
    """2 is no root: it labels its root 1 by C2P, and 3 borrows from 1."""
    labels, lender = ask(chain(4), [0, 1, 3], {0: 1, 2: 8}, on_a_line(0, 6, 7, 8))
    assert labels == [1, 8, 8, 8]
    assert lender == {0: 0, 1: 1, 3: 1}


def test_distances_are_those_between_roots():
    """The leader of 4 is 3, far down in the tree of 1; what counts is how far 1 and 0 are."""
    tree = chain(5)
    labels, lender = ask(tree, [0, 1, 4], {0: 1, 1: 2}, on_a_line(6, 0, 8, 9, 10))
    assert labels == [1, 2, 2, 2, 1]
    assert lender[4] == 0


def test_a_borrowed_label_goes_down():
    """The tree 2, 3, 4 has no label: its root borrows, and hands it down."""
    labels, _ = ask(chain(5), [0, 2], {0: 1, 1: 3}, on_a_line(0, 1, 2, 3, 4))
    assert labels == [1, 3, 1, 1, 1]


def test_distance_is_asked_for_what_is_needed_only():
    asked = []

    def distance(i, j):
        asked.extend(zip(i.tolist(), j.tolist(), strict=True))
        return np.abs(i - j) * 1.0

    tree = chain(6)
    ask(tree, range(6), {0: 1, 1: 1, 2: 1, 4: 1}, distance)
    # The lenders above 3, then above 5.
    assert sorted(asked) == [(3, 0), (3, 1), (3, 2), (5, 0), (5, 1), (5, 2), (5, 4)]
    asked.clear()
    ask(tree, range(6), dict.fromkeys(range(6), 1), distance)
    assert asked == []


@pytest.mark.parametrize("n", [2000])
def test_very_many_borrowers(n):
    """Every second of 2,000 trees in a chain borrows: half a million pairs, in parts."""
    given = {i: float(i) for i in range(0, n, 2)}
    labels, _ = ask(chain(n), range(n), given, lambda i, j: np.abs(i - j) * 1.0)
    assert labels == [float(i - i % 2) for i in range(n)]

"""Who answers for a new row: against the chances worked out one by one."""

import numpy as np
from lapoleaf.estimators.voting import voters
from scipy.stats import norm

from lapoleaf import leading_tree
from lapoleaf._tree import nearest_nodes
from lapoleaf._tree.random_trees import LOG_DENSITY_NOISE

X = np.random.default_rng(0).normal(size=(40, 2))


def test_weights_are_the_chances_of_being_the_first_that_is_denser():
    tree = leading_tree(X)
    nodes, distances = nearest_nodes(tree, X[:5] + 0.1, 10)
    found = voters(tree, nodes, distances)
    for row in range(5):
        left, chances = 1.0, []
        for node in nodes[row]:
            ratio = np.log(distances[row, -1] / tree.scale[node])
            denser = norm.cdf(ratio / (LOG_DENSITY_NOISE * np.sqrt(2)))
            chances.append(left * denser)
            left *= 1 - denser
        np.testing.assert_allclose(found.weights[row], np.array(chances) / sum(chances), atol=1e-9)

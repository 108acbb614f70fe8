"""Insertion into a sorted list of the nearest, against sorting all."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lapoleaf._points.insertion_kernels import insert_sorted


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@given(st.permutations(range(12)), st.lists(st.integers(0, 3), min_size=12, max_size=12))
def test_the_nearest_are_kept_in_order(dtype, order, whole):
    nodes, lengths = np.empty(5, dtype=dtype), np.empty(5)
    count = 0
    for step, node in enumerate(order, 1):
        count = insert_sorted(float(whole[node]), node, count, nodes, lengths)
        assert count == min(step, 5)
        expected = sorted((whole[node], node) for node in order[:step])[:5]
        listed = zip(lengths[:count].tolist(), nodes[:count].tolist(), strict=True)
        assert list(listed) == expected

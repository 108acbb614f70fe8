"""The self-tuned weight of a link, its inverse, and back to a length."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lapoleaf._tree import link_kernels

lengths = st.floats(1e-3, 1e3)


@given(st.lists(st.tuples(lengths, lengths, lengths), min_size=1, max_size=20))
def test_strength_is_the_formula(links):
    d, s, t = np.array(links).T
    expected = np.maximum(np.exp(-2 * d**2 / (s * t)), 1e-12)
    np.testing.assert_allclose(link_kernels.link_strengths(d, s, t), expected, rtol=1e-12)


@given(st.floats(1e-2, 3.5), lengths, lengths)
def test_a_length_comes_back_from_its_resistance(ratio, s, t):
    d = ratio * np.sqrt(s * t)
    resistance = 1 / link_kernels.link_strengths(*np.array([[d], [s], [t]]))
    found = link_kernels.lengths_of_resistances(resistance, np.array([s]), np.array([t]))
    assert found == pytest.approx(d, rel=1e-9)


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_lengths_of_any_size(scale):
    d, s, t = np.array([[1.0, 1e9, 1e-9], [1.0, 1.0, 1.0], [2.0, 1.0, 1.0]]) * scale
    assert link_kernels.link_strengths(d, s, t) == pytest.approx([np.exp(-1.0), 1e-12, 1.0])

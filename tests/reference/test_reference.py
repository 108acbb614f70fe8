"""The default and the paper's model answer as they were recorded to.

A change that alters results on purpose records them again: ``reference/record.py``.
"""

import numpy as np
import pytest
from reference.cases import CASES, answers
from reference.expected import expected

# Sums in another order, by another BLAS, differ in the last digits.
CLOSE = 1e-12


def test_every_case_is_recorded():
    assert set(expected()) == set(CASES)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CASES)
def test_answers_are_as_recorded(name):
    found, wanted = answers(name), expected()[name]
    assert list(found) == list(wanted)
    for key, value in wanted.items():
        assert found[key].shape == value.shape, key
        if name.endswith("as published") or value.dtype.kind not in "f":
            np.testing.assert_array_equal(found[key], value, key)
        else:
            scale = max(1.0, float(np.abs(value[np.isfinite(value)]).max(initial=0.0)))
            np.testing.assert_allclose(found[key], value, rtol=0.0, atol=CLOSE * scale, err_msg=key)

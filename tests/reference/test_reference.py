"""The default and the paper's model answer as they were recorded to.

A change that alters results on purpose records them again: ``reference/record.py``.
"""

import numpy as np
import pytest
from reference.cases import CASES, answers
from reference.expected import expected, same_arithmetic

# Sums in another order differ in the last digits; near singular systems magnify that.
CLOSE, ELSEWHERE = 1e-12, 1e-5


def follows_rounding(name, key):
    """Whether an answer is decided by last digits: how far an answer with next to no error is off.

    The two targets of these waves are smooth and without noise.
    """
    return "waves" in name and key.endswith(("deviations", "low", "high"))


def numbers_of(values):
    """Return recorded texts as numbers, where they are the answers of a regressor."""
    return values.astype(float) if values.dtype.kind == "U" else values


def test_every_case_is_recorded():
    assert set(expected()) == set(CASES)


@pytest.mark.sampled(12)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CASES)
def test_answers_are_as_recorded(name):
    if "approximate" in name and not same_arithmetic():
        pytest.skip("approximate builds follow the rounding of another linear algebra library")
    found, wanted = answers(name), expected()[name]
    assert list(found) == list(wanted)
    close = CLOSE if same_arithmetic() else ELSEWHERE
    for key, value in wanted.items():
        assert found[key].shape == value.shape, key
        if follows_rounding(name, key) and not same_arithmetic():
            continue
        if name.startswith("numbers"):
            found[key], value = numbers_of(found[key]), numbers_of(value)
        if name.endswith("as published") or value.dtype.kind != "f":
            np.testing.assert_array_equal(found[key], value, key)
        else:
            scale = max(1.0, float(np.abs(value[np.isfinite(value)]).max(initial=0.0)))
            np.testing.assert_allclose(found[key], value, rtol=0.0, atol=close * scale, err_msg=key)

"""Labels: missing ones are marked, numbers stay numbers, and what looks wrong is named."""

import warnings

import numpy as np
import pandas as pd
import pytest

from lapoleaf.inputs import read


def labels_of(values, **options):
    frame = pd.DataFrame({"a": np.arange(len(values)) * 1.5, "kind": values})
    return read(frame, label="kind", **options).labels


def quiet(values, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return labels_of(values, **options)


def test_strings():
    found = quiet(["x", None, "y", "NA", ""])
    assert found.dtype == object
    assert found.tolist() == ["x", None, "y", None, None]


def test_numbers():
    assert quiet([1, 2, 1]).dtype == np.int64
    found = quiet([1.0, None, 2.5])
    np.testing.assert_array_equal(found, [1.0, np.nan, 2.5])


def test_booleans_and_categories():
    assert quiet([True, False, None]).tolist() == [True, False, None]
    assert quiet(pd.Categorical(["x", None, "?"])).tolist() == ["x", None, None]


def test_a_column_label_is_taken(tmp_path):
    frame = pd.DataFrame({"a": [1.5, 2.5], "label": ["x", None]})
    assert read(frame).labels.tolist() == ["x", None]
    data = read(frame, ignore="label")
    assert data.labels is None
    assert list(data.frame.columns) == ["a"]


def test_case_and_blanks():
    with pytest.warns(UserWarning, match=r"differ only by case or blanks") as caught:
        labels_of(["Cat", "cat", "cat ", "dog", "sea gull", "Seagull"])
    text = str(caught[0].message)
    assert "'Cat' (1) and 'cat' (1) and 'cat ' (1)" in text
    assert "'Seagull' (1) and 'sea gull' (1)" in text
    assert "dog" not in text
    assert caught[0].filename == __file__


@pytest.mark.parametrize("mark", ["unknown", "None", "-1", "Unlabelled", "-"])
def test_marks(mark):
    with pytest.warns(UserWarning, match=rf"look like marks of missing ones: '{mark}' \(2\)") as w:
        labels_of(["x", "y", mark, mark])
    assert f"pass missing={{'kind': ['{mark}']}}" in str(w[0].message)
    assert quiet(["x", "y", mark, mark], missing={"kind": [mark]}).tolist() == [
        "x",
        "y",
        None,
        None,
    ]


def test_minus_one_among_numbers():
    with pytest.warns(UserWarning, match=r"look like marks of missing ones: -1 \(1\)"):
        labels_of([0, 1, -1, 1])
    found = quiet([0, 1, -1, 1], missing={"kind": [-1]})
    np.testing.assert_array_equal(found, [0, 1, np.nan, 1])
    # Not among amounts, nor among numbers that are negative otherwise.
    quiet([-1.5, -1, 0.5, 1])
    quiet([-2, -1, 0, 1])


def test_one_class_of_nearly_all():
    with pytest.warns(UserWarning, match=r"95 of the 100 labels in column 'kind' are 'x'.*95%"):
        labels_of(["x"] * 95 + ["y"] * 5 + [None] * 50)
    quiet(["x"] * 94 + ["y"] * 6)
    quiet(["x"] * 9)


def test_the_same_column_twice():
    frame = pd.DataFrame({"a": [1.5, 2.5], "b": ["x", None]})
    with pytest.raises(ValueError, match="label='b' cannot be an id, a text or ignored, too"):
        read(frame, label="b", ignore=["b"])

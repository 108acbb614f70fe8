"""Any table is encoded or refused in a sentence of ours, and no number changes on the way."""

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from encoding.drawn_tables import NUMERIC, in_polars, number_of, tables
from hypothesis import example, given, settings

from lapoleaf import TableEncoder, load, save
from lapoleaf._encoding import Number, needs_encoding

# Sentences of ours and scikit-learn's about the shape of a table.
SENTENCES = (
    "X has no column that can be encoded", "X has one row (n_samples=1)", "Column ",
    "Found array with 0",
)  # fmt: skip


def is_ours(error, beginnings):
    """Check that an error is a sentence of ours."""
    assert str(error).startswith(beginnings), error


def fitted(frame):
    """Return an encoder and the numbers, or None where a table is refused in one sentence."""
    encoder = TableEncoder(text_encoder="tfidf")
    try:
        return encoder, encoder.fit(frame).transform(frame)
    except (ValueError, TypeError) as error:
        is_ours(error, SENTENCES)
        assert not vars(encoder).keys() & {"plan_", "n_features_in_"}
        return None


def check_numbers(frame, kinds, encoder, rows):
    """Columns of numbers decode to their cells."""
    start = 0
    for place, (plan, kind) in enumerate(zip(encoder.plan_.columns, kinds, strict=True)):
        if isinstance(plan, Number) and kind in NUMERIC:
            block = rows[:, start]
            back = block * plan.std + plan.mean
            cells = [number_of(cell) for cell in frame.iloc[:, place].tolist()]
            held = np.array([cell is not None for cell in cells])
            # In the unit of the plan the largest is between 1 and 2, so that nothing overflows.
            expected = np.array([cell for cell in cells if cell is not None]) / plan.unit
            np.testing.assert_allclose(back[held], expected, rtol=1e-9, atol=1e-12)
            np.testing.assert_allclose(back[~held], plan.median / plan.unit, rtol=1e-9, atol=1e-12)
            assert plan.n_missing == (~held).sum()
        start += plan.width


def check_splits(frame, encoder, rows):
    """Rows alone, in parts and in another order have the same bits."""
    cut = len(frame) // 3
    parts = [encoder.transform(part) for part in (frame[:cut], frame[cut:]) if len(part)]
    assert np.vstack(parts).tobytes() == rows.tobytes()
    order = np.random.default_rng(len(frame)).permutation(len(frame))
    assert encoder.transform(frame.iloc[order]).tobytes() == rows[order].tobytes()
    assert encoder.transform(frame[-1:]).tobytes() == rows[-1:].tobytes()


def check_saved(frame, encoder, rows):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "encoder")
        save(encoder, path)
        for mmap in (False, True):
            loaded = load(path, mmap=mmap)
            assert loaded.transform(frame).tobytes() == rows.tobytes()
            assert loaded.summary() == encoder.summary()


def check(table):
    frame, kinds = table
    needs_encoding(frame)
    found = fitted(frame)
    if found is None:
        return
    encoder, rows = found
    assert rows.dtype == np.float64
    assert np.isfinite(rows).all()
    assert rows.shape == (len(frame), len(encoder.get_feature_names_out()))
    assert len(encoder.summary().splitlines()) >= frame.shape[1]
    again = TableEncoder(text_encoder="tfidf").fit(frame)
    assert again.transform(frame).tobytes() == rows.tobytes()
    check_numbers(frame, kinds, encoder, rows)
    check_splits(frame, encoder, rows)
    check_saved(frame, encoder, rows)


@settings(max_examples=30)
@given(tables())
def test_any_table(table):
    check(table)


@settings(max_examples=30)
@given(tables(max_rows=12))
@example((pd.DataFrame({"id": [-(2**63) - 1]}), ["huge"]))
@example((pd.DataFrame({"id": [2**70, 3, 4], "x": [1.5, 2.5, 4.0]}), ["huge", "number"]))
def test_any_frame_of_polars(table):
    frame = in_polars(table[0])
    if frame is not None:
        needs_encoding(frame)
        found = fitted(frame)
        assert found is None or np.isfinite(found[1]).all()


@settings(max_examples=30)
@given(tables(max_rows=20), tables(max_rows=20))
def test_any_new_rows(table, other):
    """New rows are encoded, or refused in a sentence."""
    frame, _ = table
    found = fitted(frame)
    width = min(frame.shape[1], other[0].shape[1])
    if found is None or frame.shape[1] != width:
        return
    new = other[0].iloc[:, :width].set_axis(frame.columns, axis="columns")
    try:
        assert np.isfinite(found[0].transform(new)).all()
    except (ValueError, TypeError) as error:
        is_ours(error, "Column ")


@pytest.mark.slow
@settings(max_examples=3000)
@given(tables())
def test_thousands_of_tables(table):
    check(table)


@pytest.mark.slow
@settings(max_examples=3000)
@given(tables(max_rows=20), tables(max_rows=20))
def test_thousands_of_new_rows(table, other):
    test_any_new_rows.hypothesis.inner_test(table, other)

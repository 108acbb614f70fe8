"""The full build beside the least it has to do."""

import numpy as np

from lapoleaf.bench import speed_full


def test_rows_of_the_table():
    rows = speed_full.full_build_rows(((600, 3), (700, 5)), threads=2, repeats=2)
    assert [row[:3] for row in rows] == [(600, 3, 2), (700, 5, 2)]
    assert all(len(row) == len(speed_full.COLUMNS) for row in rows)
    assert all(row[5] == row[4] / row[3] > 0 for row in rows)


def test_every_pair_is_multiplied_once(monkeypatch):
    monkeypatch.setattr(speed_full, "_TILE", 4)
    sizes = []
    exp = np.exp

    def counted(product, out):
        sizes.append(product.shape)
        return exp(product, out=out)

    monkeypatch.setattr(speed_full.np, "exp", counted)
    speed_full.product_and_exp(speed_full.heaps(10, 2), 1)
    # Tiles of 4, 4 and 2 rows: half of them, the diagonal whole.
    assert sorted(sizes) == [(2, 2), (4, 2), (4, 2), (4, 4), (4, 4), (4, 4)]

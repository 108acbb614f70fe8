"""``python -m benchmarks growth``, on small data."""

import csv

import numpy as np
import pytest

from benchmarks.data.clustered import overlapping_groups
from benchmarks.data.water import readings
from benchmarks.runner.command import main


def read(path):
    with path.open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


@pytest.mark.slow
def test_single_rows_are_measured_and_drawn(tmp_path, capsys):
    arguments = ["growth", "--quick", "--only", "single", "--sizes", "300", "600"]
    assert main([*arguments, "--output", str(tmp_path)]) == 0
    assert "one prediction plus one insertion" in capsys.readouterr().out
    rows = read(tmp_path / "growth-single.csv")
    assert [row["model"] for row in rows] == ["as_published()", "as_published()", "default"]
    for row in rows:
        assert 0 < float(row["median"]) <= float(row["99th percentile"])
    pytest.importorskip("matplotlib")
    assert (tmp_path / "growth-single.png").stat().st_size > 0
    assert "<img " in (tmp_path / "growth.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_batches_are_measured_beside_a_refit(tmp_path):
    arguments = ["growth", "--quick", "--only", "batch", "--output", str(tmp_path)]
    assert main(arguments) == 0
    for row in read(tmp_path / "growth-batch.csv"):
        assert float(row["refit / joining"]) > 1
        assert abs(float(row["accuracy grown"]) - float(row["accuracy refit"])) < 0.05


def test_series_are_those_of_the_folder_or_made(tmp_path, capsys):
    made = readings(None, 500)
    assert made.shape == (500,)
    assert len(np.unique(made)) < 500
    np.testing.assert_array_equal(readings(tmp_path, 500), made)
    assert "has no series" in capsys.readouterr().err
    (tmp_path / "water").mkdir()
    lines = "".join(f"2019,{7 + k / 10},9,0\n" for k in range(10))
    (tmp_path / "water" / "a.csv").write_text("timestamp,ph,do,filled\n" + lines)
    np.testing.assert_allclose(readings(tmp_path, 10), 7 + np.arange(10) / 10)


def test_groups_have_all_classes():
    X, truth = overlapping_groups(2000)
    assert X.shape == (2000, 16)
    assert len(np.unique(truth)) == 20


def test_sizes_must_be_enough(capsys):
    assert main(["growth", "--sizes", "10"]) != 0
    assert "must be 300 or more" in capsys.readouterr().err

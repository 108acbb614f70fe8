"""``python -m benchmarks clusters``, on small data."""

import csv

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from benchmarks.clusters.agreement import made_case, n_clusters
from benchmarks.methods import select
from benchmarks.methods.clusterers import DecisionGraph, elbow
from benchmarks.runner.command import main
from lapoleaf.estimators.cluster_cuts import CLUSTER_CUTS


def read(path):
    with path.open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


@pytest.mark.slow
def test_a_quick_run_writes_every_table(tmp_path, capsys):
    assert main(["clusters", "--quick", "--output", str(tmp_path)]) == 0
    assert "Mean adjusted Rand index" in capsys.readouterr().out
    agreement = read(tmp_path / "clusters-agreement.csv")
    assert [row["data set"] for row in agreement] == ["iris", "wine"]
    means = read(tmp_path / "clusters-mean.csv")[-1]
    for name in select("clusters", "agreement"):
        scores = [float(row[name]) for row in agreement]
        assert float(means[name]) == pytest.approx(np.mean(scores))
        assert max(scores) > 0.3
    blobs = [row for row in read(tmp_path / "clusters-made.csv") if row["points"] == "five blobs"]
    assert blobs[0]["prominence"] == "5 to 5"
    assert all(float(row["stability"]) > 0 for row in read(tmp_path / "clusters-time.csv"))


def test_all_cuts_are_measured():
    assert set(select("clusters", "time")) == set(CLUSTER_CUTS)


def test_elbow_by_hand():
    assert elbow(np.array([10.0, 9.0, 1.0, 0.0, 0.0, 0.0])) == 2
    assert elbow(np.ones(5)) == elbow(np.array([3.0, 1.0])) == 1


def test_decision_graph_finds_blobs():
    """One centre more than there are blobs is before the elbow."""
    X, truth = make_blobs(300, centers=5, cluster_std=0.5, random_state=3)
    labels = DecisionGraph().fit(X).labels_
    assert n_clusters(labels) == 6
    assert adjusted_rand_score(truth, labels) > 0.9


def test_rows_without_a_cluster_are_none():
    assert n_clusters(np.array([-1, 0, 0, 2, -1])) == 2


@pytest.mark.parametrize("kind", ["two moons", "five blobs", "one blob", "a square"])
def test_made_points(kind):
    assert made_case(kind, 50, 0).shape == (50, 2)


def test_rows_must_be_enough(capsys):
    assert main(["clusters", "--rows", "0"]) == 2
    assert "--rows 0 must be 1 or more" in capsys.readouterr().err

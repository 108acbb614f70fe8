"""``python -m benchmarks layout``, on small data."""

import csv

import numpy as np
import pytest

from benchmarks.layout import SETS, sets_to_map
from benchmarks.layout.sets import Source, count_rows, missing, read_set
from benchmarks.layout.work import map_once, purity
from benchmarks.methods import select
from benchmarks.runner.command import main, make_parser


def test_purity_by_hand():
    places = np.repeat([[0.0, 0.0], [100.0, 0.0]], 12, axis=0) + np.arange(24)[:, None] / 100
    classes = np.repeat([0, 1], 12)
    assert purity(places, classes) == 1.0
    classes[0] = 1
    # Eleven have it among their ten nearest, or not; its own neighbours are all of the other class.
    assert 0.9 < purity(places, classes) < 1.0


def test_data_that_are_not_there(tmp_path):
    nowhere = Source(None, str(tmp_path), quick=True)
    assert missing("digits", nowhere) is missing("table", nowhere) is None
    for name in ("fashion", "usps", "texts"):
        assert "left out" in missing(name, nowhere)
    for name in ("digits", "table", "million"):
        data = read_set(name, nowhere)
        assert 50 < len(data.X) == len(data.y) == count_rows(name, nowhere) <= 300
    assert count_rows("digits", nowhere._replace(quick=False)) == 1_797
    assert count_rows("million", nowhere._replace(quick=False)) == 1_000_000


def test_maps_are_measured_and_kept(tmp_path):
    for method in ("lapoleaf", "PCA"):
        figures = map_once(method, "digits", None, str(tmp_path), True, str(tmp_path / "places"))
        assert 0.7 < figures["trustworthiness"] <= 1
        assert 0 < figures["purity"] <= 1
        assert figures["seconds"] > 0
        with np.load(tmp_path / "places" / f"digits-{method}.npz") as kept:
            assert kept["places"].shape == (300, 2)


@pytest.mark.parametrize(
    ("argument", "message"),
    [("--limit 0", "--limit 0 must be more than 0"), ("--methods SNE", "--methods SNE is not")],
)
def test_arguments_that_make_no_sense(capsys, argument, message):
    assert main(["layout", "--quick", "--only", "digits", *argument.split()]) == 2
    assert message in capsys.readouterr().err


def test_every_method_is_named():
    assert list(select("maps", "layout")) == [
        "lapoleaf",
        "PCA",
        "UMAP",
        "UMAP-pca",
        "PaCMAP",
        "openTSNE",
    ]


@pytest.mark.parametrize(
    ("argument", "sets"),
    [
        ("", SETS),
        ("--quick", ("digits", "table")),
        ("--quick --only million fashion", ["million", "fashion"]),
    ],
)
def test_sets_that_are_mapped(argument, sets):
    """Every map is made in a process that compiles: all sets would take ten minutes."""
    assert sets_to_map(make_parser().parse_args(["layout", *argument.split()])) == sets


@pytest.mark.slow
def test_a_quick_run_writes_tables_and_a_picture(tmp_path, capsys):
    arguments = ["--quick", "--only", "digits", "million", "--methods", "lapoleaf", "PCA"]
    assert main(["layout", *arguments, "--output", str(tmp_path)]) == 0
    assert "Maps in two dimensions" in capsys.readouterr().out
    with (tmp_path / "layout-maps.csv").open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) == 4
    trust = {(row["data"], row["method"]): float(row["trustworthiness"]) for row in rows}
    assert trust["digits", "lapoleaf"] > trust["digits", "PCA"]
    assert (tmp_path / "layout-maps.png").stat().st_size > 1000
    assert (tmp_path / "layout-coloured.png").stat().st_size > 1000
    with (tmp_path / "layout-coloured.csv").open(encoding="utf-8") as lines:
        assert [row["data"] for row in csv.DictReader(lines)] == ["digits", "million"]
    assert (tmp_path / "layout.html").read_text(encoding="utf-8").count("<img ") == 2

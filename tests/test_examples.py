"""Every script of the gallery runs."""

import runpy
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))
# Those that try many values of a parameter, read many readings, or load a network.
LONG = (
    "plot_percent", "plot_n_trees", "plot_water", "plot_pictures", "plot_many_forests",
    "plot_regression",
)  # fmt: skip


def test_there_are_examples():
    assert EXAMPLES


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.stem, marks=[pytest.mark.slow] if path.stem in LONG else [])
        for path in EXAMPLES
    ],
)
def test_example(path, tmp_path, monkeypatch):
    """Without a screen, in an empty folder, every warning an error."""
    monkeypatch.chdir(tmp_path)
    plt.switch_backend("Agg")
    try:
        runpy.run_path(str(path), run_name="__main__")
        if path.stem.startswith("plot_"):
            assert plt.get_fignums()
    finally:
        plt.close("all")

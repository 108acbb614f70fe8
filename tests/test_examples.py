"""Every script of the gallery runs."""

import runpy
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))


def test_there_are_examples():
    assert EXAMPLES


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
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

"""The first fit waits for the compiler and for imports as little as possible."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_digits

import lapoleaf

PROGRAM = """
import json, sys
import numpy as np
from lapoleaf import LaPOLeaFClassifier

digits = np.load(sys.argv[1])
found = LaPOLeaFClassifier().fit(digits["X"], digits["given"]).transduction_
kernels = {
    f"{module.__name__}.{name}": len(kernel.signatures)
    for module in list(sys.modules.values())
    if module.__name__.startswith("lapoleaf.")
    for name, kernel in vars(module).items()
    if hasattr(kernel, "signatures") and hasattr(kernel, "py_func") and not isinstance(kernel, type)
    and kernel.py_func.__module__ == module.__name__
}
print(json.dumps([np.mean(found == digits["y"]), kernels, sorted(sys.modules)]))
"""


@pytest.fixture(scope="module")
def first_fit(tmp_path_factory):
    """Fit digits with default settings in a new process; other tests compile for other types."""
    path = tmp_path_factory.mktemp("digits") / "digits.npz"
    X, y = load_digits(return_X_y=True)
    np.savez(path, X=X / 16, y=y, given=np.where(np.arange(len(y)) % 20 == 0, y, -1))
    found = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(path)],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(lapoleaf.__file__).parents[1],
    )
    return json.loads(found.stdout)


def test_every_kernel_is_compiled_for_one_kind_of_arguments(first_fit):
    accuracy, kernels, _ = first_fit
    assert accuracy > 0.9
    used = {name: count for name, count in kernels.items() if count > 0}
    assert len(used) >= 10
    assert {name: count for name, count in used.items() if count > 1} == {}


def test_a_fit_loads_nothing_slow_that_it_does_not_need(first_fit):
    _, _, loaded = first_fit
    unneeded = {"sklearn.metrics", "sklearn.neighbors", "matplotlib", "lapoleaf._points.pairwise"}
    assert unneeded.isdisjoint(loaded)

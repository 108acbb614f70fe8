"""Compiled code is kept on disk where that is possible, and nothing fails where it is not."""

import gc
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import lapoleaf
from lapoleaf._compilation import kernel

FIT = """
import warnings

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    from lapoleaf import LeadingForestClassifier, propagate, leading_tree, lodog
    found = LeadingForestClassifier().fit([[0.0], [0.1], [5.0], [5.1]], [0, -1, 1, -1])
    assert found.transduction_.tolist() == [0, 0, 1, 1]
for warning in caught:
    print(warning.category.__name__, warning.filename, warning.message, sep="|")
"""


@pytest.fixture
def package(tmp_path):
    """Return a copy of the package without compiled code."""
    without = shutil.ignore_patterns("__pycache__")
    return shutil.copytree(Path(lapoleaf.__file__).parent, tmp_path / "lapoleaf", ignore=without)


def fit_in_a_process(package, **environment):
    """Fit with the copied package; return a line for each warning."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    found = subprocess.run(
        [sys.executable, "-c", FIT],
        capture_output=True,
        text=True,
        env={**kept, "PYTHONPATH": str(package.parent), **environment},
        cwd=package.parent,
    )
    assert found.returncode == 0, found.stderr
    return found.stdout.splitlines()


def nothing_can_be_written_in(package):
    """Put a file where every folder of compiled code would be; also root cannot write there."""
    for folder in [package, *(path for path in package.rglob("*") if path.is_dir())]:
        (folder / "__pycache__").write_text("")


@pytest.mark.slow
def test_without_any_place_kernels_are_compiled_in_memory_with_one_warning(package):
    nothing_can_be_written_in(package)
    no_home = str(package / "__init__.py")
    (line,) = fit_in_a_process(package, HOME=no_home, XDG_CACHE_HOME=no_home)
    category, place, message = line.split("|")
    assert category == "RuntimeWarning"
    assert place == "<string>"
    assert "set the environment variable NUMBA_CACHE_DIR to a folder" in message


@pytest.mark.slow
def test_the_named_folder_is_used_without_a_warning(package, tmp_path):
    nothing_can_be_written_in(package)
    folder = tmp_path / "compiled"
    assert fit_in_a_process(package, NUMBA_CACHE_DIR=str(folder)) == []
    written = {path: path.stat().st_mtime_ns for path in folder.rglob("*.nbc")}
    assert written
    # The second process finds all of them.
    assert fit_in_a_process(package, NUMBA_CACHE_DIR=str(folder)) == []
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*.nbc")} == written


@pytest.mark.slow
def test_damaged_files_are_not_used(package, tmp_path):
    folder = tmp_path / "compiled"
    fit_in_a_process(package, NUMBA_CACHE_DIR=str(folder))
    for path in folder.rglob("*.nbi"):
        path.write_bytes(path.read_bytes()[:40])
    (line,) = fit_in_a_process(package, NUMBA_CACHE_DIR=str(folder))
    assert line.startswith("RuntimeWarning|<string>|Compiled code cannot be kept on disk")


def test_a_folder_that_is_full_later(tmp_path, monkeypatch):
    from numba.core.caching import FunctionCache

    from lapoleaf import _compilation

    def full(self, signature, compiled):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(FunctionCache, "save_overload", full)
    monkeypatch.setattr(_compilation, "_warned", False)

    @_compilation.kernel
    def twice(value):
        return 2 * value

    @_compilation.kernel
    def thrice(value):
        return 3 * value

    with pytest.warns(RuntimeWarning, match="No space left on device") as caught:
        assert twice(2) == 4
    assert len(caught) == 1
    # One warning is enough: another would be an error here.
    assert thrice(2) == 6
    assert twice(2.5) == 5.0


def test_processes_that_compile_at_the_same_time_keep_their_own_code(tmp_path, monkeypatch):
    """Both read an empty index before either writes: numba would number both files 1."""
    from lapoleaf._compilation import _SharedFiles

    whole, real = _SharedFiles(tmp_path, "f", 0), _SharedFiles(tmp_path, "f", 0)
    monkeypatch.setattr(_SharedFiles, "_load_index", lambda self: {})
    whole.save("whole numbers", "code for whole numbers")
    real.save("real numbers", "code for real numbers")
    monkeypatch.undo()
    # The first one's entry is lost, its code is not another's.
    assert real.load("whole numbers") is None
    assert real.load("real numbers") == "code for real numbers"
    whole.save("whole numbers", "code for whole numbers")
    assert real.load("whole numbers") == "code for whole numbers"
    assert real.load("real numbers") == "code for real numbers"
    assert len(list(tmp_path.glob("*.nbc"))) == 2
    # Another version of the source finds nothing, and its files take the place of the old ones.
    changed = _SharedFiles(tmp_path, "f", 1)
    assert changed.load("real numbers") is None
    changed.save("real numbers", "new code")
    assert changed.load("real numbers") == "new code"
    assert len(list(tmp_path.glob("*.nbc"))) == 2


def test_garbage_is_hardly_collected_while_a_kernel_is_compiled():
    @kernel
    def twice(x):
        return x + x

    collections = []

    def count(phase, _):
        collections.append(phase)

    threshold = gc.get_threshold()
    gc.callbacks.append(count)
    gc.set_threshold(50)  # thousands of collections while a kernel is compiled
    try:
        assert twice(2.0) == 4.0
    finally:
        gc.callbacks.remove(count)
        gc.set_threshold(*threshold)
    assert len(collections) < 200
    assert gc.isenabled()


def test_who_has_turned_collection_off_finds_it_off_after_compiling():
    @kernel
    def half(x):
        return 0.5 * x

    gc.disable()
    try:
        assert half(2.0) == 1.0
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_a_kernel_for_kernels_is_not_called_from_python():
    @kernel(no_cpython_wrapper=True)
    def one_more(x):
        return x + 1

    @kernel
    def two_more(x):
        return one_more(one_more(x))

    assert two_more(3) == 5
    with pytest.raises(TypeError, match=r"one_more .* only kernels call it"):
        one_more(3)

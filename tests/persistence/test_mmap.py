"""Large arrays can stay in the file."""

import os
import subprocess
import sys
from operator import attrgetter

import joblib
import numpy as np
import pytest
from persistence.answers import answers, differences
from persistence.cases import fitted

from lapoleaf import LoadError, LoDOG, load, save

pytestmark = pytest.mark.filterwarnings("ignore")


def in_the_file(array):
    """Whether an array is a read-only view of a mapped file."""
    return isinstance(array, np.memmap) and not array.flags.writeable and not array.flags.owndata


# All other cases: test_round_trip, in another process.
@pytest.mark.parametrize("name", ["classes: sparse", "numbers: mahalanobis", "clusters: graph"])
def test_a_mapped_model_answers_as_the_saved_one(name, tmp_path):
    model, new = fitted(name)
    save(model, tmp_path / "model")
    loaded = load(tmp_path / "model", mmap=True)
    assert differences(answers(model, new), answers(loaded, new)) == []


def test_numbers_are_mapped_and_what_indexes_is_not(tmp_path):
    save(fitted("classes: dense")[0], tmp_path / "model")
    loaded = load(tmp_path / "model", mmap=True)
    assert in_the_file(loaded.tree_.points.columns)
    fitted_now = loaded._state.now
    assert in_the_file(fitted_now.labelling.answers)
    assert in_the_file(fitted_now.labelling.result.labels)
    assert loaded.tree_.points.columns.ctypes.data % 64 == 0
    codes, landmarks = fitted_now.given.codes, fitted_now.labelling.experts[0].nodes
    for array in (loaded.ids_, loaded.tree_.parent, loaded.forest_.roots, codes, landmarks):
        assert not isinstance(array, np.memmap)
    with pytest.raises(ValueError, match="read-only"):
        fitted_now.labelling.answers[0, 0] = 0.5


def test_distances_and_sparse_rows_are_mapped(tmp_path):
    save(fitted("clusters: distances")[0], tmp_path / "distances")
    assert in_the_file(load(tmp_path / "distances", mmap=True).tree_.points.distances)
    save(fitted("clusters: sparse")[0], tmp_path / "sparse")
    matrix = load(tmp_path / "sparse", mmap=True).tree_.points.matrix
    assert not matrix.data.flags.writeable
    assert not matrix.data.flags.owndata


def test_a_file_can_be_saved_over_while_it_is_mapped(tmp_path):
    model, new = fitted("numbers: dense")
    path = tmp_path / "model"
    save(model, path)
    loaded = load(path, mmap=True)
    save(LoDOG(), path)
    assert differences(answers(model, new), answers(loaded, new)) == []
    save(loaded, path)
    assert differences(answers(model, new), answers(load(path), new)) == []


def test_labels_of_a_mapped_model_can_be_updated(tmp_path):
    model, new = fitted("classes: texts, None")
    save(model, tmp_path / "model")
    loaded = load(tmp_path / "model", mmap=True).update_labels([1], ["violet"])
    assert loaded.transduction_[1] == "violet"
    save(loaded, tmp_path / "model")
    again = load(tmp_path / "model", mmap=True)
    assert differences(answers(loaded, new), answers(again, new)) == []


def test_damage_outside_of_mapped_numbers_is_still_found(tmp_path):
    path = tmp_path / "model"
    save(fitted("classes: dense")[0], path)
    data = path.read_bytes()
    for place in (60, data.index(b"\x93NUMPY") + 20, len(data) - 60):
        path.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        with pytest.raises(LoadError):
            load(path, mmap=True)


@pytest.mark.slow
def test_processes_of_joblib_share_a_mapped_model(tmp_path):
    """They get the name of the file and the place in it, not the numbers."""
    model, new = fitted("classes: dense")
    save(model, tmp_path / "model")
    loaded = load(tmp_path / "model", mmap=True)
    # Functions of the library and of Python: a worker cannot import those of a test.
    for found in joblib.Parallel(2)(joblib.delayed(loaded.predict_proba)(new) for _ in range(4)):
        assert found.tobytes() == model.predict_proba(new).tobytes()
    held = attrgetter("_state.now.labelling.answers.__class__.__name__")
    assert joblib.Parallel(2)(joblib.delayed(held)(loaded) for _ in range(2)) == ["memmap"] * 2


MEASURE = """
import sys
from lapoleaf import load

def kilobytes():
    lines = open("/proc/self/status").read().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1])

load(sys.argv[1], mmap=True)
for mmap in (True, False):
    before = kilobytes()
    model = load(sys.argv[2], mmap=mmap)
    print(kilobytes() - before)
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="no way to measure memory")
@pytest.mark.slow
def test_mapped_arrays_are_not_read(tmp_path):
    """64 MB of rows: read they take that much memory, mapped next to none."""
    X = np.random.default_rng(0).normal(size=(40, 200_000))
    save(LoDOG(bandwidth=100.0, n_clusters=2, n_jobs=1).fit(X), tmp_path / "large")
    save(fitted("clusters: dense")[0], tmp_path / "small")
    assert (tmp_path / "large").stat().st_size > 64_000_000
    command = [sys.executable, "-c", MEASURE, tmp_path / "small", tmp_path / "large"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    mapped, read = map(int, done.stdout.split())
    assert mapped < 5_000
    assert read > 60_000

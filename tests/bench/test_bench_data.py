"""Data sets of the benchmarks: scikit-learn's own, and those of a folder."""

import numpy as np
import pytest

from benchmarks.data.loaders import (
    classification_sets,
    image_sets,
    made_sets,
    regression_sets,
    shape_sets,
)
from benchmarks.data.sets import DataSet, at_most


@pytest.fixture
def folder(tmp_path):
    """A folder with three files of classes and a water series."""
    (tmp_path / "classification").mkdir()
    (tmp_path / "water").mkdir()
    rng = np.random.default_rng(0)
    for name, columns in [("plants", 5), ("photos", 150), ("photos_resnet", 120)]:
        X = rng.normal(3, 2, (20, columns)).astype(np.float32)
        path = tmp_path / "classification" / f"{name}.npz"
        np.savez(path, X=X, y=np.arange(20) % 3, class_names=np.array(["a", "b", "c"]))
    lines = ["timestamp,ph,do,filled"]
    lines += [
        f"2019-01-01 00:{k:02d},{8 + k / 100},{11 - k / 10},{int(k == 20)}" for k in range(40)
    ]
    (tmp_path / "water" / "River_run.csv").write_text("\n".join(lines), encoding="utf-8")
    return tmp_path


def test_sets_of_scikit_learn_come_first_and_files_by_name(folder, capsys):
    sets = classification_sets(folder)
    names = [data.name for data in sets]
    assert names[:4] == ["iris", "wine", "breast_cancer", "digits"]
    assert names[4:] == ["photos", "photos_resnet", "plants"]
    for data in sets:
        assert data.X.dtype == np.float64
        assert len(data.X) == len(data.y)
    assert capsys.readouterr().err == ""


def test_scaling_follows_the_kind_of_data(folder):
    sets = {data.name: data.X for data in classification_sets(folder)}
    for name in ("iris", "wine", "breast_cancer", "plants"):
        np.testing.assert_allclose(sets[name].min(axis=0), 0.0, atol=1e-7)
        np.testing.assert_allclose(sets[name].max(axis=0), 1.0, rtol=1e-6)
    assert sets["digits"].max() == 1.0
    assert sets["digits"][:, 0].max() == 0.0  # a corner that is never inked stays dark
    np.testing.assert_allclose(np.abs(sets["photos"]).max(), 1.0, rtol=1e-6)
    assert sets["photos"].max(axis=0).min() < 0.9
    np.testing.assert_allclose(np.linalg.norm(sets["photos_resnet"], axis=1), 1.0, rtol=1e-6)


def test_windows_of_a_water_series(folder):
    sets = {data.name: data for data in regression_sets(folder)}
    assert list(sets) == ["diabetes", "River ph", "River do"]
    windows = sets["River do"]
    # 35 windows of five readings and a target, less the six that hold the reading made up.
    assert windows.X.shape == (29, 5)
    np.testing.assert_allclose(windows.X.max(axis=0), 1.0)
    assert not np.isclose(windows.y, 11 - 20 / 10).any()
    # The target is the reading after the window: 0.1 below the last one.
    slope = np.polyfit(windows.X[:, 4], windows.y, 1)
    np.testing.assert_allclose(np.polyval(slope, windows.X[:, 4]), windows.y, atol=1e-9)
    assert (np.diff(windows.y) > 0).any()  # in random order
    assert (np.diff(windows.y) < 0).any()


@pytest.mark.parametrize("load", [classification_sets, regression_sets])
def test_what_is_not_there_is_left_out_with_a_line(load, tmp_path, capsys):
    names = [data.name for data in load(tmp_path / "nowhere")]
    told = capsys.readouterr().err
    assert "nowhere" in told
    assert "only scikit-learn's own sets" in told
    assert told.count("\n") == 1
    assert [data.name for data in load(None)] == names
    assert "--data" in capsys.readouterr().err
    assert set(names) <= {"iris", "wine", "breast_cancer", "digits", "diabetes"}


def test_quick_needs_no_folder(capsys):
    assert [data.name for data in classification_sets(None, quick=True)] == ["iris", "wine"]
    assert [data.name for data in regression_sets(None, quick=True)] == ["diabetes"]
    assert capsys.readouterr().err == ""


def test_a_file_without_classes_is_named(folder):
    np.savez(folder / "classification" / "broken.npz", X=np.ones((3, 2)))
    with pytest.raises(ValueError, match=r"broken\.npz must have arrays X and y; y is not there"):
        classification_sets(folder)


def test_shapes_are_scaled_column_by_column(folder, capsys):
    (folder / "shapes").mkdir()
    X = np.array([[0, 10], [5, 30], [20, 20]], dtype=np.float32)
    np.savez(folder / "shapes" / "ring.npz", X=X, y=np.array([0, 1, 1], dtype=np.int32))
    (ring,) = shape_sets(folder)
    assert ring.name == "ring"
    np.testing.assert_allclose(ring.X, [[0, 0], [0.25, 1], [1, 0.5]])
    assert ring.y.tolist() == [0, 1, 1]
    assert capsys.readouterr().err == ""
    assert shape_sets(None) == []
    assert "--data" in capsys.readouterr().err


def test_images_are_left_out_where_they_are_not(folder, capsys):
    assert image_sets(None) == image_sets(folder) == []
    assert capsys.readouterr().err.count("office_caltech10_efflite0.npz") == 2
    path = folder / "classification" / "office_caltech10_efflite0.npz"
    np.savez(path, X=np.eye(3, 200) * 5, y=np.arange(3))
    (images,) = image_sets(folder)
    np.testing.assert_allclose(np.linalg.norm(images.X, axis=1), 1.0)
    assert capsys.readouterr().err == ""


def test_sets_that_are_made_up_are_scaled_and_always_the_same():
    sets = made_sets()
    assert [data.name for data in sets] == ["friedman1", "friedman2", "friedman3", "swiss roll"]
    for data, again in zip(sets, made_sets(), strict=True):
        np.testing.assert_array_equal(data.y, again.y)
        np.testing.assert_allclose([data.X.min(), data.X.max()], [0, 1], atol=1e-12)
        assert len(data.X) == len(data.y)


def test_a_sample_of_a_large_set_is_always_the_same():
    data = DataSet("numbers", np.arange(100.0)[:, None], np.arange(100))
    assert at_most(data, 100) is data
    sample = at_most(data, 30)
    assert len(np.unique(sample.y)) == 30
    np.testing.assert_array_equal(sample.X[:, 0], sample.y)
    np.testing.assert_array_equal(sample.y, at_most(data, 30).y)
    assert sample.y.max() > 60


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        (np.ones(5), np.ones(5), r"X of float64, \(5,\), must be a table of numbers"),
        (np.array([["a"], ["b"]]), np.ones(2), "must be a table of numbers"),
        (np.ones((0, 3)), np.ones(0), "must be a table of numbers"),
        (np.ones((4, 2)), np.ones(3), r"y, \(3,\), must have a value for each of 4 rows"),
        (np.array([[np.nan], [1.0]]), np.ones(2), "X must be finite everywhere"),
        (np.ones((2, 2)), np.array([1.0, np.nan]), "y must be finite everywhere"),
        (np.ones((2, 2)), np.array([{}, []], dtype=object), "cannot be read: Object arrays"),
    ],
)
def test_a_file_that_cannot_be_used_is_named(X, y, words, tmp_path):
    (tmp_path / "classification").mkdir()
    np.savez(tmp_path / "classification" / "mine.npz", X=X, y=y)
    with pytest.raises(ValueError, match=rf"mine\.npz.*{words}"):
        classification_sets(tmp_path)


def test_a_file_of_other_kind_is_named(tmp_path):
    (tmp_path / "classification").mkdir()
    for content in (b"", b"PK nothing", b"words"):
        (tmp_path / "classification" / "mine.npz").write_bytes(content)
        with pytest.raises(ValueError, match=r"mine\.npz"):
            classification_sets(tmp_path)


def test_zeros_stay_zeros(tmp_path):
    (tmp_path / "classification").mkdir()
    np.savez(tmp_path / "classification" / "dark.npz", X=np.zeros((3, 200)), y=np.arange(3))
    dark = classification_sets(tmp_path)[-1]
    assert not dark.X.any()


def test_results_are_kept_under_the_name_of_these_rows():
    data = DataSet("mine", np.eye(3), np.arange(3))
    assert data.stored_as.startswith("mine ")
    assert DataSet("mine", np.eye(3), np.arange(3)).stored_as == data.stored_as
    others = [
        DataSet("mine", 2 * np.eye(3), np.arange(3)),
        DataSet("mine", np.eye(3), np.arange(3)[::-1]),
        DataSet("mine", np.eye(3).reshape(1, 9), np.arange(3)),
    ]
    assert data.stored_as not in {other.stored_as for other in others}

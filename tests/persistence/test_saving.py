"""Saving refuses by name what it cannot keep, and writes whole or not at all."""

import dataclasses
import os
import stat
import sys

import numpy as np
import pytest
from persistence.cases import DATA, fitted
from sklearn.cluster import KMeans
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from lapoleaf import (
    LaPOLeaFClassifier,
    LeadingForest,
    LeadingForestClassifier,
    LeadingForestRegressor,
    LeadingTree,
    LoDOG,
    leading_tree,
    load,
    save,
)
from lapoleaf._writing import write_whole
from lapoleaf.io import table

X = DATA["dense"][0]


def largest(a, b):
    return abs(a - b).max()


def refused(model, path, *words, error=ValueError):
    """Try to save what cannot be saved: a sentence, and no file."""
    with pytest.raises(error) as caught:
        save(model, path)
    for word in words:
        assert word in str(caught.value)
    assert str(caught.value).endswith(".")
    assert os.listdir(path.parent) == []


# ------------------------------------------------------------------------------ what cannot be kept


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"metric": largest}, ["metric=largest", "Name a metric"]),
        ({"metric": "minkowski", "metric_params": {"p": largest}}, ["metric_params['p']="]),
        ({"cost": lambda n: 2.0 * n}, ["cost=<lambda>", "Name a cost"]),
        ({"cost": np.log1p}, ["cost=log1p", "holds no functions"]),
        ({"metric_params": {1: 2}}, ["metric_params", "keys must be strings"]),
        ({"metric_params": {"a": {2, 3}}}, ["metric_params['a']={2, 3}", "of type set"]),
        ({"metric_params": {"a": np.array([None])[:, None]}}, ["array of object"]),
        ({"metric_params": {"a": [1, [object()]]}}, ["metric_params['a'][1][0]=", "object"]),
        ({"metric_params": {"a": np.ones(2, np.longdouble)}}, ["metric_params['a']", "float128"]),
        ({"percent": 10**30}, [f"percent={10**30}", "of type int"]),
        ({"alpha": 1j}, ["alpha=1j", "complex"]),
    ],
)
@pytest.mark.parametrize("kind", [LeadingForestClassifier, LeadingForestRegressor, LoDOG])
def test_parameters_that_cannot_be_written_are_refused_by_name(kind, params, words, tmp_path):
    refused(kind(**params), tmp_path / "model", *words)


def test_fitted_models_with_functions_are_refused_by_name(tmp_path):
    refused(LoDOG(metric=largest).fit(X), tmp_path / "model", "metric=largest")
    refused(LoDOG(cut="objective", cost=np.sqrt).fit(X), tmp_path / "model", "cost=sqrt")
    refused(leading_tree(X, metric=largest), tmp_path / "tree", "metric=largest")


def test_a_forest_with_a_distance_of_its_own(tmp_path):
    tree = LeadingTree(density=[2, 1], delta=[1, 1], parent=[-1, 0])
    forest = LeadingForest(tree, [0, 1], distance=lambda i, j: np.ones(len(i)))
    refused(forest, tmp_path / "forest", "distance=<lambda>", "keep the forest with pickle")


def test_a_list_that_holds_itself(tmp_path):
    endless = []
    endless.append(endless)
    model = LoDOG(metric_params={"a": endless})
    refused(model, tmp_path / "model", "metric_params['a'][0]", "nested too deeply")


def test_a_header_without_bounds(tmp_path):
    model = LoDOG(metric_params={"a": list(range(500_000))})
    refused(model, tmp_path / "model", "its header holds too many values")
    model = LoDOG(metric_params={"a": "x" * 5_000_000})
    refused(model, tmp_path / "model", "its header is longer than")


def test_an_array_in_many_places_is_kept(tmp_path):
    array = np.arange(3.0)
    save(LoDOG(metric_params={"a": [array] * 7}), tmp_path / "model")
    found = load(tmp_path / "model").metric_params["a"]
    assert [each.tolist() for each in found] == [[0.0, 1.0, 2.0]] * 7


class Similar(LoDOG):
    """A class of a user's own."""


@pytest.mark.parametrize(
    "model",
    [
        None,
        "model",
        X,
        KMeans(),
        make_pipeline(StandardScaler(), LoDOG()),
        Similar(),
        LoDOG,
        fitted("classes: dense")[0].tree_.points,
    ],
)
def test_other_things_are_refused_by_their_type(model, tmp_path):
    name = type(model).__name__
    words = [f"model is a {name},", "LaPOLeaFClassifier", "LeadingTree", "joblib or skops"]
    refused(model, tmp_path / "model", *words, error=TypeError)


# ----------------------------------------------------------------------- nothing is left out unseen


def test_an_attribute_the_table_does_not_know_is_refused(tmp_path):
    model = LoDOG().fit(X)
    model.note_ = "made on a Sunday"
    refused(model, tmp_path / "model", "LoDOG", "'note_'", "not part of the model")
    del model.note_
    save(model, tmp_path / "model")


def test_an_attribute_that_a_part_should_not_have_is_refused(tmp_path):
    tree = leading_tree(X)
    object.__setattr__(tree, "more", np.ones(3))
    refused(tree, tmp_path / "tree", "LeadingTree", "'more'")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"ids": np.zeros(60, dtype=np.int64)}, "Rows.ids must be ascending"),
        ({"weight": np.full(60, 2.0)}, "Rows.weight must be the weights that nodes are the sum of"),
        ({"next_id": 7}, "Rows.next_id must be above all ids"),
        ({"left_out": X[:3]}, "Rows.left_out must be there if rows are in no node"),
        ({"n_built": 0}, "Rows.n_built must be a whole number of at least 1"),
    ],
)
def test_what_would_not_load_is_not_saved(change, words, tmp_path):
    model = LoDOG().fit(X)
    model._rows = dataclasses.replace(model._rows, **change)
    refused(model, tmp_path / "model", "Rows cannot be saved", words)


def test_what_does_not_follow_from_what_is_written_is_not_silently_put_right(tmp_path):
    model, _ = fitted("classes: dense")
    rows = model._state.now.rows
    other = leading_tree(X, bandwidth=9.0)
    stranger = LeadingForest(other, [other.root])
    model = LoDOG().fit(X)
    model._rows = dataclasses.replace(rows, frozen=(rows.forest, stranger))
    refused(model, tmp_path / "model", "its attribute 'frozen' does not fit the rest")


def test_parameters_of_the_last_call_are_kept_beside_those_of_now(tmp_path):
    """Labels are changed with the parameters of now, and read with those of the last call."""
    model = LaPOLeaFClassifier(n_forests=3, mu=0.5, class_prior=np.array([0.5, 0.5]))
    model.fit(X, np.where(np.arange(60) % 3 == 0, np.arange(60) % 2, -1))
    model.set_params(mu=-1.0, experts=None, class_prior=None)
    save(model, tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert loaded.get_params() == model.get_params()
    assert loaded._state.now.method.parameters["mu"] == 0.5
    assert loaded._state.now.method.parameters["class_prior"].tolist() == [0.5, 0.5]
    assert loaded.chosen_ == model.chosen_
    with pytest.raises(ValueError, match=r"mu=-1\.0"):
        loaded.update_labels([1], [0])
    for each in (model, loaded):
        each.set_params(mu=0.1).update_labels([1], [0])
    assert loaded.label_distributions_.tolist() == model.label_distributions_.tolist()


def test_functions_of_the_last_call_are_refused_by_name(tmp_path):
    y = np.where(np.arange(60) % 3 == 0, np.arange(60) % 2, -1)
    model = LeadingForestClassifier(cost=np.sqrt).fit(X, y).set_params(cost="linear")
    refused(model, tmp_path / "model", "parameters_at_call['cost']=sqrt")


def test_a_parameter_changed_after_fitting_is_kept(tmp_path):
    for before, after in ((None, 0.9999), (0.9999, None)):
        y = np.where(np.arange(60) % 4 == 0, np.array(["a", "b", "c"])[np.arange(60) % 3], None)
        model = LaPOLeaFClassifier(min_confidence=before).fit(X, y)
        model.set_params(min_confidence=after)
        save(model, tmp_path / "model")
        loaded = load(tmp_path / "model")
        assert loaded.min_confidence == after
        assert loaded.transduction_.tolist() == model.transduction_.tolist()
        assert loaded.transduction_.dtype == model.transduction_.dtype


# Fields that are stored in another form: by several fields, or not at all because they follow.
STORED_OTHERWISE = {
    "LeadingForest": ({"distance"}, set()),
    "Rows": ({"frozen", "incremental"}, {"forest", "density", "delta", "parent"}),
    "FittedTrend": ({"leave_one_out"}, {"values_without", "variances_without"}),
    "FittedNumberTrees": ({"leave_one_out"}, {"values_without", "variances_without"}),
}


@pytest.mark.parametrize("name", sorted(table.ENTRIES))
def test_the_table_knows_every_field_of_a_dataclass(name):
    entry = table.ENTRIES[name]
    if dataclasses.is_dataclass(entry.kind):
        left, instead = STORED_OTHERWISE.get(name, (set(), set()))
        declared = {f.name for f in dataclasses.fields(entry.kind)}
        assert (declared - left) | instead == set(entry.fields)


@pytest.mark.parametrize("name", ["classes: dense", "numbers: one forest", "clusters: dense"])
def test_a_field_that_the_table_does_not_know_is_missed(name):
    """A class that gains a field must gain it in the table too."""
    model, _ = fitted(name)
    entry = table.entry_of(model)
    for dropped in set(entry.fields) - entry.optional:
        fields = {name: check for name, check in entry.fields.items() if name != dropped}
        fewer = dataclasses.replace(entry, fields=fields)
        with pytest.raises((ValueError, KeyError)):
            fewer.verify(model, fewer.parts_of(model))


# -------------------------------------------------------------------------------------------- paths


def test_bad_paths(tmp_path):
    model = LoDOG()
    with pytest.raises(FileNotFoundError, match=r"there is no folder '.*nowhere'"):
        save(model, tmp_path / "nowhere" / "model")
    with pytest.raises(IsADirectoryError, match="is a folder: name a file in it"):
        save(model, tmp_path)
    with pytest.raises(TypeError, match="path=7 must be the name of a file"):
        save(model, 7)
    with pytest.raises(TypeError, match="path=None"):
        save(model, None)
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(not os.path.exists("/dev/null"), reason="no devices")
def test_a_device_is_not_replaced():
    with pytest.raises(ValueError, match="device"):
        save(LoDOG(), "/dev/null")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_paths_may_be_str_relative_long_or_links(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("model", "mödel with spaces", "x" * 255):
        save(LoDOG(3), name)
        assert load(name).n_clusters == 3
    os.symlink("model", "link")
    save(LoDOG(4), "link")
    assert os.path.islink("link")
    assert load("model").n_clusters == 4
    assert sorted(os.listdir()) == sorted(["model", "mödel with spaces", "x" * 255, "link"])


@pytest.mark.skipif(sys.platform == "win32", reason="no modes")
def test_a_private_file_stays_private_and_a_new_one_is_as_usual(tmp_path):
    save(LoDOG(), tmp_path / "model")
    (tmp_path / "usual").write_bytes(b"")
    usual = stat.S_IMODE((tmp_path / "usual").stat().st_mode)
    assert stat.S_IMODE((tmp_path / "model").stat().st_mode) == usual
    (tmp_path / "model").chmod(0o600)
    save(LoDOG(5), tmp_path / "model")
    assert stat.S_IMODE((tmp_path / "model").stat().st_mode) == 0o600


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="may write all files")
def test_a_write_protected_file_is_not_replaced(tmp_path):
    save(LoDOG(3), tmp_path / "model")
    (tmp_path / "model").chmod(0o400)
    with pytest.raises(PermissionError, match="write-protected"):
        save(LoDOG(4), tmp_path / "model")
    assert load(tmp_path / "model").n_clusters == 3


# ------------------------------------------------------------------------------ whole or not at all


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_an_error_while_writing_leaves_the_old_file(error, tmp_path):
    def parts():
        yield b"the first half"
        raise error

    target = tmp_path / "model"
    target.write_bytes(b"old")
    with pytest.raises(type(error)):
        write_whole(target, parts())
    assert os.listdir(tmp_path) == ["model"]
    assert target.read_bytes() == b"old"


@pytest.mark.skipif(sys.platform == "win32", reason="no limits")
def test_a_full_disk_leaves_the_old_file(tmp_path):
    """The system's own limit on the size of files stands in for the disk."""
    import resource
    import signal

    model, _ = fitted("classes: dense")
    save(LoDOG(3), tmp_path / "model")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, before[1]))
        with pytest.raises(OSError, match="File too large"):
            save(model, tmp_path / "model")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert os.listdir(tmp_path) == ["model"]
    assert load(tmp_path / "model").n_clusters == 3


def test_temporary_files_of_killed_processes_are_removed_and_others_are_not(tmp_path):
    abandoned = tmp_path / ".model.0123456789ab.saving"
    others = [".model.note.saving", ".other.0123456789ab.saving", ".model.0123456789ab.saving.txt"]
    for name in (abandoned.name, *others):
        (tmp_path / name).write_bytes(b"")
    save(LoDOG(), tmp_path / "model")
    assert sorted(os.listdir(tmp_path)) == sorted(["model", *others])


@pytest.mark.skipif(sys.platform == "win32", reason="no locks of this kind")
def test_a_temporary_file_in_use_is_left_alone(tmp_path):
    """Two processes save under one name at the same time: both end well."""
    target = tmp_path / "model"

    def parts():
        yield b"slow"
        save(LoDOG(3), target)
        assert load(target).n_clusters == 3
        assert len(os.listdir(tmp_path)) == 2
        yield b"ly"

    write_whole(target, parts())
    assert os.listdir(tmp_path) == ["model"]
    assert target.read_bytes() == b"slowly"


def test_the_same_model_gives_the_same_bytes(tmp_path):
    model, _ = fitted("numbers: partial targets")
    save(model, tmp_path / "first")
    save(model, tmp_path / "second")
    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()

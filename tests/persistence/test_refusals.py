"""Files that are not as they were written are refused, each with one clear sentence."""

import json
import os
import pickle
import shutil
import threading
import zipfile

import numpy as np
import pytest
from persistence.answers import answers, differences
from persistence.cases import fitted
from persistence.files import apart, sealed, together

import lapoleaf
from lapoleaf import LaPOLeaFRegressor, LoadError, load, save
from lapoleaf.io import consistency
from lapoleaf.io.archive import array_name


@pytest.fixture
def saved(tmp_path):
    """A saved classifier."""
    path = tmp_path / "model.lapoleaf"
    save(fitted("classes: dense")[0], path)
    return path


def refused(path, *words):
    """Load a file that must be refused; return the sentence."""
    for mmap in (False, True):
        with pytest.raises(LoadError) as caught:
            load(path, mmap=mmap)
    sentence = str(caught.value)
    assert sentence.startswith(f"{str(path)!r} cannot be loaded: ")
    assert sentence.endswith(".")
    for word in words:
        assert word in sentence
    return sentence


# ------------------------------------------------------------------------- other things than models


def test_a_missing_file_and_a_folder_are_what_they_are_everywhere_in_python(tmp_path):
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "nothing")
    with pytest.raises(IsADirectoryError):
        load(tmp_path)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="may read all files")
def test_a_file_that_may_not_be_read(saved):
    saved.chmod(0)
    with pytest.raises(PermissionError):
        load(saved)


@pytest.mark.parametrize("path", [None, 3, b"bytes"])
def test_a_path_is_a_str_or_path_like(path):
    with pytest.raises(TypeError, match="must be the name of a file"):
        load(path)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"PK",
        b"PK\3\4" + bytes(40),
        b"Dear model, how are you? Best wishes, a text file\n",
        pickle.dumps([1, 2, 3]),
        bytes(100_000),
    ],
)
def test_files_that_are_no_models(content, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(content)
    refused(path, "it is not a model saved by lapoleaf")


def test_other_zip_files(tmp_path):
    path = tmp_path / "file.npz"
    np.savez(path, a=np.arange(3))
    refused(path, "it is not a model saved by lapoleaf")
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("header.json", json.dumps({"format": "something else"}))
    refused(path, "it is not a model saved by lapoleaf")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    finished = threading.Thread(target=refused, args=(tmp_path / "pipe", "pipe"), daemon=True)
    finished.start()
    finished.join(10)
    assert not finished.is_alive()


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="no devices")
def test_a_device_is_refused():
    refused("/dev/zero", "device")


# -------------------------------------------------------------------------------- damaged zip files


def repacked(path, *, compression=zipfile.ZIP_STORED, rename=None, drop=(), twice=(), order=None):
    """Pack a file again with the standard library."""
    with zipfile.ZipFile(path) as file:
        members = [(name, file.read(name)) for name in file.namelist() if name not in drop]
    members = order(members) if order else members
    members += [(name, data) for name, data in members if name in twice]
    with zipfile.ZipFile(path, "w", compression) as file:
        for name, data in members:
            info = zipfile.ZipInfo((rename or {}).get(name, name))
            info.compress_type = compression
            file.writestr(info, data)
    return path


def test_compressed_files_are_refused(saved):
    refused(repacked(saved, compression=zipfile.ZIP_DEFLATED), "compressed")


def test_files_packed_anew_are_refused(saved):
    refused(repacked(saved))


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "/etc/passwd", "arrays/../0001.npy", "arrays\\0001.npy", "", "ä"]
)
def test_odd_names_are_refused(saved, name):
    data = saved.read_bytes()
    wanted, odd = array_name(1).encode(), name.encode()[:15].ljust(15, b"x")
    saved.write_bytes(data.replace(wanted, odd))
    refused(saved, "the entry of arrays/0001.npy is not the one that was written")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_members_removed_doubled_swapped_or_renamed(saved, tmp_path):
    names = zipfile.ZipFile(saved).namelist()
    for number, options in enumerate(
        [
            {"drop": [names[3]]},
            {"drop": ["header.json"]},
            {"twice": [names[3]]},
            {"twice": ["header.json"]},
            {"order": lambda members: members[::-1]},
            {"rename": {names[1]: names[2], names[2]: names[1]}},
            {"rename": {names[1]: "../evil.npy"}},
        ]
    ):
        refused(repacked(shutil.copy(saved, tmp_path / str(number)), **options))


def test_something_before_between_or_after_the_members(saved):
    data = saved.read_bytes()
    place = data.index(b"PK\3\4", 100)
    for changed in (b"#!/bin/sh\n" + data, data + b"\0", data[:place] + b"\0" + data[place:]):
        saved.write_bytes(changed)
        refused(saved)


def test_encrypted_members_are_refused(saved):
    data = bytearray(saved.read_bytes())
    for place in (data.index(b"PK\3\4", 100), 0):
        data[place + 6] |= 1
        saved.write_bytes(data)
        refused(saved)


def test_a_cut_file_says_so(saved):
    data = saved.read_bytes()
    saved.write_bytes(data[: len(data) // 2])
    refused(saved, "it is cut off", f"{len(data) // 2} bytes")
    saved.write_bytes(data[:-1])
    refused(saved, "it is cut off", f"{len(data) - 1} bytes instead of {len(data)}")


def test_a_bomb_costs_nothing(saved):
    """Gigabytes of zeros in a few megabytes."""
    with zipfile.ZipFile(saved, "w", zipfile.ZIP_DEFLATED) as file:
        info = zipfile.ZipInfo("header.json")
        info.compress_type = zipfile.ZIP_DEFLATED
        with file.open(info, "w", force_zip64=True) as member:
            for _ in range(64):
                member.write(bytes(2**20))
    refused(saved, "compressed")


@pytest.mark.parametrize("place", ["first array", "last array", "header", "directory"])
def test_a_flipped_bit_is_found(saved, place):
    data = bytearray(saved.read_bytes())
    directory = data.index(b"PK\1\2")
    first = data.index(b"\x93NUMPY")
    at = {"first array": first + 200, "last array": directory - 9, "header": 60}
    data[at.get(place, directory + 50)] ^= 4
    saved.write_bytes(data)
    with pytest.raises(LoadError):
        load(saved)


# ----------------------------------------------------------------------------------- edited headers


def edited(path, edit):
    """Edit the header of a file and put all check sums right."""
    parts = apart(path)
    edit(parts)
    return together(parts, path)


def test_taking_apart_and_putting_together_changes_nothing(saved):
    before = saved.read_bytes()
    edited(saved, lambda parts: None)
    assert saved.read_bytes() == before


def test_an_edited_header_is_found(saved):
    data = saved.read_bytes()
    saved.write_bytes(data.replace(b'"n_forests":4', b'"n_forests":5'))
    refused(saved, "its header was damaged or edited")


@pytest.mark.parametrize("version", [2, 7])
def test_other_versions_of_the_format(saved, version):
    edited(saved, lambda parts: parts.header.update(format_version=version))
    refused(saved, f"it is of format {version}, which another lapoleaf wrote", "reads format 1.")


@pytest.mark.parametrize("version", [0, -1, None, "1", 1.0, True])
def test_versions_that_are_none(saved, version):
    edited(saved, lambda parts: parts.header.update(format_version=version))
    refused(saved, "names no version")


def test_unknown_classes_fields_parameters_and_tags(saved, tmp_path):
    edits = {
        "object of class 'os.system'": lambda p: p.header["model"].update({"class": "os.system"}),
        "object of class 'None'": lambda p: p.header["objects"].append(None),
        "LaPOLeaFClassifier has no field 'x'": lambda p: p.header["model"]["fields"].update(x=1),
        "has no parameter 'x'": lambda p: p.header["model"]["parameters"].update(x=1),
        "lacks the field 'parent'": lambda p: p.fields("LeadingTree").pop("parent"),
        "unknown kind": lambda p: p.header["model"]["parameters"].update(mu={"eval": "1"}),
        "parameters that it has": lambda p: p.header["model"]["fields"].update(
            parameters_at_call={"dict": {"x": 1}}
        ),
        "not laid out": lambda p: p.header.update(extra=1),
        "array 8 of it belongs to nothing": lambda p: p.fields("LeadingForest").update(
            objective=None
        ),
        "only part of a model": lambda p: p.header.update(model=p.objects["Settings"]),
        "object that is not there": lambda p: p.fields("LeadingForest").update(tree={"object": 99}),
        "array that is not there": lambda p: p.fields("LeadingForest").update(roots={"array": 99}),
        "number that is too large": lambda p: p.fields("Settings").update(pull=10**40),
    }
    for number, (words, edit) in enumerate(edits.items()):
        refused(edited(shutil.copy(saved, tmp_path / str(number)), edit), words)


def test_small_files_cannot_keep_a_reader_busy(saved, tmp_path):
    """Many objects that share a large one, or many arrays that are one."""
    path = shutil.copy(saved, tmp_path / "objects")
    parts = apart(path)
    forest = parts.objects["LeadingForest"]
    objects = parts.header["objects"]
    objects += [{**forest, "fields": {**forest["fields"], "roots": {"array": 0}}}] * 1000
    refused(together(parts, path), "names object 2 too often")
    path = shutil.copy(saved, tmp_path / "arrays")
    parts = apart(path)
    parts.header["model"]["parameters"]["metric_params"] = [{"array": 2}] * 1000
    refused(together(parts, path), "names array 2 too often")


def test_objects_that_hold_themselves_cannot_be_written_down(saved):
    edited(saved, lambda p: p.fields("LeadingForest").update(tree={"object": 3}))
    refused(saved, "object that is not there")


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("nested more than 32 deep", b'{"format":' + b"[" * 90_000),
        ("nested more than 32 deep", b'{"a":"' + b'\\"' * 50_000 + b'","b":' + b"[" * 40),
        ("too many values", b'{"format":[' + b"[]," * 200_000 + b"[]]}"),
        ("too many values", b'{"format":[' + b'"ab",' * 500_000 + b'""]}'),
        ("it is not JSON", b'{"format":' + b"1" * 100_000 + b"}"),
        ("it is not JSON", b'{"format":1,"format":2}'),
        ("it is not JSON", b'{"format":"\xff"}'),
        ("it is not JSON", b'"' + b'\\"' * 1_000_000),
        ("not a model", b"[1,2,3]"),
        ("not a model", b"null"),
        ("check sum", b'{"format":"lapoleaf model","format_version":1,"a":1e999}'),
        ("check sum", b'{"format":"lapoleaf model","format_version":1,"a":NaN}'),
    ],
)
def test_headers_made_to_hurt(saved, words, text):
    parts = apart(saved)
    parts.arrays.clear()
    together(parts, saved)
    data = saved.read_bytes()
    size = len(text).to_bytes(4, "little")
    saved.write_bytes(data[:18] + size + size + data[26:41] + text)
    refused(saved, words)


def test_a_header_that_says_it_is_endless(saved):
    data = bytearray(saved.read_bytes())
    data[18:26] = b"\xff" * 8
    saved.write_bytes(data)
    refused(saved, "longer than")


def test_arrays_of_types_that_no_model_has(saved):
    """Among them Python objects, whose loading would run what they say."""
    parts, entries = apart(saved), _entries(saved)
    for dtype in ("|O", "<M8[ns]", "|V8", ">f8", "<c16", "<f16", "<U0", "<U99999999", "f8", [1]):
        entries[2]["dtype"] = dtype
        refused(together(parts, saved, entries), "which no saved model has")


def _entries(path):
    data = path.read_bytes()
    end = data.index(b"PK\3\4", 41)
    return json.loads(data[41:end])["arrays"]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("shape", [-1]),
        ("shape", [2**62]),
        ("shape", [1.5]),
        ("shape", "60"),
        ("shape", [1] * 9),
        ("shape", [2**40, 0, 2**40]),
        ("fortran", 1),
        ("size", 10**15),
        ("size", True),
        ("crc32", -1),
        ("crc32", 2**32),
        ("sha256", None),
        ("sha256", "0" * 64),
    ],
)
def test_entries_of_arrays_that_lie(saved, key, value):
    entries = _entries(saved)
    entries[2][key] = value
    together(apart(saved), saved, entries)
    refused(saved)


# ----------------------------------------------------------------------- files of impossible models


def wrong(name, field, *changes):
    """Name changes to the numbers of an array, after which it is impossible."""
    return [(name, field, change) for change in changes]


def put(value, place=0):
    def change(array):
        array.reshape(-1)[place] = value
        return array

    return change


def cut(array):
    return array[:-1]


def widened(array):
    return np.atleast_2d(array)


def as_float(array):
    return array.astype(np.float32)


IMPOSSIBLE = [
    *wrong("LeadingTree", "parent", put(10**6), put(-2), put(2**62), cut, widened, as_float),
    *wrong("LeadingTree", "parent", lambda a: np.zeros_like(a), lambda a: np.full_like(a, -1)),
    *wrong("LeadingTree", "parent", lambda a: np.roll(a, 7), lambda a: a[::-1].copy()),
    *wrong("LeadingTree", "density", put(np.nan), put(-1.0), put(np.inf), cut, widened),
    *wrong("LeadingTree", "delta", put(np.nan), put(0.0), put(-1.0), cut),
    *wrong("LeadingTree", "population", put(0.0), put(np.inf), cut),
    *wrong("LeadingTree", "node_of", put(10**6), put(-2), lambda a: np.zeros_like(a), as_float),
    *wrong("LeadingTree", "scale", put(0.0), put(np.nan), cut),
    *wrong("LeadingForest", "roots", put(10**6), put(-1), put(57), as_float),
    *wrong("LeadingForest", "objective", cut, as_float),
    *wrong("DensePoints", "columns", cut, lambda a: a[:, :-1].copy(), np.asfortranarray),
    *wrong("DensePoints", "columns", lambda a: a.astype(np.int64), lambda a: a[0]),
    *wrong("Rows", "weight", put(np.nan), put(-1.0), put(0.0), put(2.0), cut, as_float),
    *wrong("Rows", "ids", put(59), put(-1), put(2**62, -1), cut, as_float),
    *wrong("Rows", "parent", put(10**6), put(-2), put(2**62), cut, as_float),
    *wrong("Rows", "parent", lambda a: np.zeros_like(a), lambda a: a[:, ::-1].copy()),
    *wrong("Rows", "parent", lambda a: a[0], lambda a: a[:, :-1].copy()),
    *wrong("Rows", "density", put(np.nan), put(-1.0), cut, as_float),
    *wrong("Rows", "delta", put(np.inf), put(0.0), cut, as_float),
    *wrong("ClassLabelling", "answers", cut, lambda a: a[:, :2].copy(), as_float),
    *wrong("ClassLabels", "classes", put(5), cut, lambda a: a[:0], widened),
    *wrong("ClassLabels", "codes", put(3), put(-2), cut, as_float),
    *wrong("Problem", "labels", cut, lambda a: a[:, :2].copy()),
    *wrong("Problem", "count", put(-1.0), put(np.nan), cut, lambda a: a * 0),
    *wrong("Problem", "count", lambda a: np.roll(a, 1), lambda a: a + 1),
    *wrong("Propagation", "labels", cut, lambda a: a[:, :2].copy(), as_float),
    *wrong("Propagation", "lender", put(10**6), put(-1), cut, as_float),
    *wrong("Propagation", "leave_one_out", cut),
    *wrong("Propagation", "precision", cut),
    *wrong("Propagation", "others", cut),
    *wrong("Propagation", "sigma2", cut),
    *wrong("Mixture", "mass", put(np.nan), put(-1.0), cut, widened),
    *wrong("FittedRidge", "nodes", put(10**6, -1), put(-1), put(57), cut, as_float),
    *wrong("FittedRidge", "nodes", lambda a: a[::-1].copy(), lambda a: a[:0], widened),
    *wrong("FittedRidge", "coefficients", cut, lambda a: a[:, :2].copy(), as_float),
    *wrong("FittedRidge", "offset", cut, as_float),
    *wrong("FittedRidge", "leave_one_out", cut, lambda a: a[:, :2].copy()),
    *wrong("Mixture", "constants", cut, widened, as_float),
    *wrong("RandomTrees", "feature", put(4), put(10**6), put(-1), cut, as_float),
    *wrong("RandomTrees", "first", put(0), put(-1), put(2**62), cut, as_float),
    *wrong("RandomTrees", "first", put(-1, -1), put(10**6, -1)),
    *wrong("RandomTrees", "size", put(1), put(0, -1), put(-1, -1), put(2**31 - 1, -1), cut),
    *wrong("RandomTrees", "roots", put(-1), put(10**6), lambda a: a[:0], as_float),
    *wrong("RandomTrees", "members", put(-1), put(10**6), cut, as_float),
    *wrong("RandomTrees", "threshold", cut, as_float),
    *wrong("Entries", "start", put(1), put(10**6, 1), put(0, -1), cut, lambda a: a[:0]),
    *wrong("Entries", "column", put(-1), put(3), cut, as_float),
    *wrong("Entries", "amount", put(-1.0), cut, as_float),
    *wrong("Entries", "count", put(0.0), put(np.nan), cut),
    *wrong("FittedTrees", "leave_one_out", cut, lambda a: a[:, :2].copy()),
]


def refused_after(path, name, field, change):
    """Change an array of a saved model, with check sums that are right: it is refused."""
    parts = apart(path)
    number = parts.number(name, field)
    parts.arrays[number] = change(parts.arrays[number])
    refused(together(parts, path))


@pytest.mark.parametrize("case", range(len(IMPOSSIBLE)))
def test_impossible_models_are_refused(saved, case):
    refused_after(saved, *IMPOSSIBLE[case])


NUMBERS = [
    *wrong("FittedTrend", "nodes", put(10**6, -1), put(-1), put(57), cut, as_float, widened),
    *wrong("FittedTrend", "nodes", lambda a: a[::-1].copy(), lambda a: a[:0]),
    *wrong("FittedTrend", "kernels", cut, lambda a: a[:, :2].copy(), as_float),
    *wrong("FittedTrend", "kernels", lambda a: np.ones((2000, 3))),
    *wrong("FittedTrend", "coefficients", cut, lambda a: a[:, :-1].copy()),
    *wrong("FittedTrend", "inverse", cut, lambda a: a[:, :-1].copy(), as_float),
    *wrong("FittedTrend", "values_without", cut, as_float),
    *wrong("FittedTrend", "variances_without", cut),
    *wrong("Problem", "count", lambda a: np.roll(a, 1), lambda a: a + 1),
    *wrong("Targets", "values", lambda a: np.roll(a, 1), cut, widened, as_float, put(np.inf)),
    *wrong("NumberLabelling", "scales", cut, widened, as_float),
    *wrong("NumberLabelling", "values", cut, lambda a: a[:, 0], lambda a: a[:, :0], as_float),
    *wrong("NumberLabelling", "std", cut, lambda a: a[:, 0], as_float),
    *wrong("Rows", "left_out", cut, lambda a: a[:, :2].copy(), lambda a: a > 0),
]


@pytest.mark.parametrize("case", range(len(NUMBERS)))
def test_impossible_trends_are_refused(case, tmp_path):
    path = tmp_path / "model"
    save(fitted("numbers: weights, dense")[0], path)
    refused_after(path, *NUMBERS[case])


def root_as_child(first):
    """Let the first split lead back to its root: a walk would never end."""
    first = first.copy()
    first[0] = 0
    return first


TREES_OF_NUMBERS = [
    *wrong("RandomTrees", "feature", put(10**6, 0), cut, as_float),
    *wrong("RandomTrees", "first", root_as_child, put(10**6, 0), put(-1, 0), cut, as_float),
    *wrong("RandomTrees", "size", put(1, 0), put(-1, -1), put(10**6, -1), cut),
    *wrong("RandomTrees", "members", put(10**6), put(-1), cut, as_float),
    *wrong("RandomTrees", "roots", put(10**7), put(-1), as_float),
    *wrong("RandomTrees", "threshold", cut),
    *wrong("Entries", "start", put(1), put(-1, 2), put(10**6, -1), cut, as_float),
    *wrong("Entries", "column", put(1), put(-1), cut, as_float),
    *wrong("Entries", "count", put(0.0), put(-1.0), put(np.nan), cut),
    *wrong("FittedNumberTrees", "values_without", cut, as_float),
    *wrong("FittedNumberTrees", "variances_without", put(-1.0), cut),
]


@pytest.mark.parametrize("case", range(len(TREES_OF_NUMBERS)))
def test_impossible_trees_of_numbers_are_refused(case, tmp_path):
    path = tmp_path / "model"
    save(fitted("numbers: dense")[0], path)
    refused_after(path, *TREES_OF_NUMBERS[case])


LEFT_OUT = [
    *wrong("SparseRows", "indptr", put(1), put(10**6, 4), put(-5, 4), cut, as_float),
    *wrong("SparseRows", "indices", put(4), put(-1), put(2**31 - 1), cut, as_float),
    *wrong("SparseRows", "data", cut, lambda a: a > 0),
]


@pytest.mark.parametrize("case", range(len(LEFT_OUT)))
def test_impossible_rows_of_weight_0_are_refused(case, tmp_path):
    path = tmp_path / "model"
    save(fitted("classes: weights, sparse")[0], path)
    refused_after(path, *LEFT_OUT[case])


SCALINGS = {
    "standard": [
        *wrong("StandardScaling", "unit", put(0.0), put(-1.0), put(np.nan), cut, as_float),
        *wrong("StandardScaling", "centre", put(np.inf), cut, widened),
        *wrong("StandardScaling", "scale", put(0.0), put(-1.0), put(np.inf), cut),
    ],
    "ranks": [
        *wrong("RankScaling", "unit", put(0.0), cut, as_float),
        *wrong("RankScaling", "start", put(1), put(10**6, -1), put(10**6, 1), put(-1, 1), cut),
        *wrong("RankScaling", "knots", put(1e9), put(np.nan, 3), lambda a: a[::-1].copy(), cut),
        *wrong("RankScaling", "ranks", put(1e9), put(np.inf, -1), np.zeros_like, cut),
    ],
}


@pytest.mark.parametrize(
    ("name", "case"), [(name, k) for name, cases in SCALINGS.items() for k in range(len(cases))]
)
def test_impossible_scalings_are_refused(name, case, tmp_path):
    path = tmp_path / "model"
    save(fitted(f"classes: {name}")[0], path)
    refused_after(path, *SCALINGS[name][case])


SPARSE = [
    *wrong("SparsePoints", "indptr", put(1), put(10**6, 4), put(-5, 4), cut, as_float),
    *wrong("SparsePoints", "indptr", put(10**6, -1), lambda a: a[:1], lambda a: a[::-1].copy()),
    *wrong("SparsePoints", "indices", put(4), put(-1), put(2**31 - 1), cut, as_float),
    *wrong("SparsePoints", "indices", lambda a: np.zeros_like(a)),
    *wrong("SparsePoints", "data", cut, as_float),
]


@pytest.mark.parametrize("case", range(len(SPARSE)))
def test_impossible_sparse_rows_are_refused(case, tmp_path):
    path = tmp_path / "model"
    save(fitted("clusters: sparse")[0], path)
    refused_after(path, *SPARSE[case])


@pytest.mark.parametrize(
    ("case", "name", "field", "value"),
    [
        ("clusters: dense", "DensePoints", "metric", "canberra"),
        ("clusters: dense", "DensePoints", "metric", ["euclidean"]),
        ("clusters: dense", "LoDOG", "n_features_in_", 5),
        ("clusters: dense", "LoDOG", "n_features_in_", 3.0),
        ("clusters: dense", "LeadingTree", "bandwidth", None),
        ("clusters: dense", "LeadingTree", "bandwidth", "wide"),
        ("clusters: dense", "LeadingTree", "bandwidth", {"float": "nan"}),
        ("clusters: dense", "LeadingTree", "points", None),
        ("clusters: dense", "LeadingTree", "points", {"object": 1}),
        ("clusters: dense", "BuildReport", "seconds", {"tuple": []}),
        ("clusters: dense", "BuildReport", "seconds", {"dict": {"leaders": []}}),
        ("clusters: sparse", "SparsePoints", "n_columns", 3),
        ("clusters: sparse", "SparsePoints", "n_columns", 10**30),
        ("clusters: distances", "MatrixPoints", "zero", {"float": "nan"}),
        ("clusters: distances", "MatrixPoints", "zero", "0"),
        ("clusters: graph", "GraphPoints", "missing", -1.0),
        ("clusters: canberra", "MetricPoints", "metric", "no such metric"),
        ("clusters: canberra", "MetricPoints", "metric", "precomputed"),
        ("clusters: canberra", "MetricPoints", "metric", "jaccard"),
        ("clusters: jaccard", "MetricPoints", "metric", "canberra"),
        ("clusters: canberra", "MetricPoints", "params", {"dict": {"VI": {"array": 0}}}),
        ("clusters: canberra", "MetricPoints", "params", {"dict": {"no": 1}}),
        ("clusters: canberra", "MetricPoints", "params", {"dict": {"no": [1]}}),
        ("clusters: mahalanobis", "MetricPoints", "params", {"dict": {"VI": {"array": 0}}}),
        ("clusters: mahalanobis", "MetricPoints", "params", {"dict": {"VI": [[1.0]]}}),
        ("classes: dense", "Settings", "mu", -1.0),
        ("classes: dense", "Settings", "solver", "magic"),
        ("classes: dense", "Settings", "weights", "magic"),
        ("classes: dense", "Settings", "coupling", 2.0),
        ("classes: dense", "Settings", "pull", {"float": "inf"}),
        ("classes: dense", "ClassLabels", "missing", {"tuple": [1]}),
        ("classes: dense", "Cut", "cost", "os.system"),
        ("classes: dense", "Cut", "n_trees", 0),
        ("classes: dense", "Cut", "alpha", [0.5]),
        ("classes: dense", "Cut", "alpha", "stages"),
        ("classes: dense", "Cut", "alpha", 1.0),
        ("classes: dense", "Rows", "forest", {"object": 2}),
        ("classes: dense", "Rows", "n_built", 0),
        ("classes: dense", "Rows", "n_changed", -1),
        ("classes: dense", "Rows", "n_changed", 0.5),
        ("classes: dense", "Rows", "levels", [1.0, 1.0, 1.0]),
        ("classes: dense", "LaPOLeaFClassifier", "rows", {"object": 3}),
        ("classes: dense", "LaPOLeaFClassifier", "given", {"object": 3}),
        ("classes: dense", "LaPOLeaFClassifier", "labelling", {"object": 3}),
        ("classes: dense", "LaPOLeaFClassifier", "choices", {"object": 7}),
        ("classes: without labels", "LaPOLeaFClassifier", "choices", {"object": 0}),
        ("classes: dense", "LaPOLeaFClassifier", "changed", [1, 2]),
        ("classes: dense", "LaPOLeaFClassifier", "parameters_at_call", {"dict": {"mu": -1.0}}),
        ("classes: dense", "LaPOLeaFClassifier", "parameters_at_call", {"dict": {"mu": []}}),
        ("classes: one forest", "Settings", "solver", "stages"),
        ("classes: one forest", "ForestChoices", "settings", {"tuple": []}),
        ("classes: one forest", "ForestChoices", "percent", {"tuple": [2.0]}),
        ("classes: one forest", "ClassLabelling", "mixture", {"object": 0}),
        ("classes: dense", "ClassLabelling", "mixture", None),
        ("classes: dense", "ClassLabelling", "experts", {"tuple": []}),
        ("classes: dense", "ClassLabelling", "experts", {"tuple": [{"object": 3}]}),
        ("classes: dense", "ClassLabelling", "problem", {"object": 11}),
        ("classes: dense", "ClassLabelling", "keeps_labels", 1),
        ("classes: dense", "ClassLabelling", "reach", {"float": "nan"}),
        ("classes: dense", "ClassChoices", "mixture", None),
        ("classes: dense", "ClassChoices", "experts", {"tuple": []}),
        ("classes: dense", "ClassChoices", "experts", {"tuple": [3]}),
        ("classes: dense", "ClassChoices", "mu", "auto"),
        ("classes: dense", "Mixture", "sharpness", -1.0),
        ("classes: dense", "Mixture", "shares", {"tuple": []}),
        ("classes: dense", "Mixture", "shares", [0.03]),
        ("classes: dense", "Mixture", "loss", "small"),
        ("classes: dense", "FittedRidge", "width", None),
        ("classes: weights, dense", "Rows", "left_out", None),
        ("classes: weights, sparse", "Rows", "left_out", None),
        ("classes: weights, sparse", "SparseRows", "n_columns", 3),
        ("numbers: weights, dense", "Rows", "left_out", None),
        ("numbers: dense", "NumberLabelling", "targets", {"tuple": []}),
        ("numbers: dense", "NumberLabelling", "targets", {"tuple": [{"object": 3}]}),
        ("numbers: dense", "NumberLabelling", "errors", None),
        ("numbers: dense", "NumberLabelling", "errors", {"tuple": [1.0]}),
        ("numbers: dense", "NumberLabelling", "errors", {"tuple": []}),
        ("numbers: dense", "NumberLabelling", "std", None),
        ("numbers: dense", "NumberLabelling", "keeps", {"tuple": []}),
        ("numbers: dense", "NumberLabelling", "keeps", {"tuple": [None]}),
        ("numbers: dense", "NumberChoices", "mu", {"tuple": [1.0, 2.0]}),
        ("numbers: dense", "NumberChoices", "forest_share", {"tuple": [2.0]}),
        ("numbers: dense", "NumberChoices", "experts", {"tuple": ["trend"]}),
        ("numbers: dense", "Targets", "values", {"float": "nan"}),
        ("numbers: dense", "TargetLabelling", "expert", {"object": 3}),
        ("numbers: dense", "TargetLabelling", "forest_share", 1.5),
        ("numbers: dense", "FittedTrend", "unit", "1"),
        ("numbers: a generator", "Rows", "ids", {"random": [0, 1, 0, 0.0]}),
        ("numbers: dense", "Propagation", "noise", {"float": "nan"}),
        ("numbers: dense", "Propagation", "precision", None),
        ("numbers: names", "LaPOLeaFRegressor", "feature_names_in_", ["a", "b", "c", "d"]),
        ("numbers: names", "LaPOLeaFRegressor", "feature_names_in_", {"strings": 1}),
        ("numbers: names", "LaPOLeaFRegressor", "feature_names_in_", {"mixed": [[1], 9]}),
        ("numbers: names", "LaPOLeaFRegressor", "feature_names_in_", {"mixed": [["a"], 4]}),
        ("numbers: dense", "Settings", "mu", {"numpy": ["float64", "1"]}),
        ("numbers: dense", "Settings", "mu", {"numpy": ["object", 1]}),
        ("numbers: dense", "Settings", "mu", {"float": "1"}),
        ("numbers: dense", "Settings", "mu", {"float": []}),
        ("numbers: dense", "Settings", "mu", {"bytes": "zz"}),
        ("numbers: dense", "Settings", "mu", {"dict": []}),
        ("numbers: dense", "Settings", "mu", {"pandas": "DataFrame"}),
        ("numbers: dense", "Settings", "mu", {"tuple": 1}),
    ],
)
def test_impossible_fields_are_refused(case, name, field, value, tmp_path):
    path = tmp_path / "model"
    save(fitted(case)[0], path)
    edited(path, lambda parts: parts.fields(name).update({field: value}))
    refused(path)


def test_truths_and_texts_of_impossible_bytes_are_refused(tmp_path):
    path = tmp_path / "model"
    save(fitted("clusters: jaccard")[0], path)
    parts = apart(path)
    parts.array("MetricPoints", "rows_of_X").view(np.uint8)[0, 0] = 7
    refused(together(parts, path), "true and false")
    save(fitted("classes: texts, None")[0], path)
    parts = apart(path)
    parts.array("ClassLabels", "classes").view(np.uint32)[0] = 0x110000
    refused(together(parts, path), "not a character")


def test_parts_of_another_model_do_not_fit(tmp_path):
    """Trees, forests and labels of two models, exchanged."""
    save(fitted("classes: weights, dense")[0], tmp_path / "first")
    save(fitted("classes: dense")[0], tmp_path / "second")
    first, second = apart(tmp_path / "first"), apart(tmp_path / "second")
    number = second.number("LeadingTree", "parent")
    second.arrays[number] = first.array("LeadingTree", "parent")
    refused(together(second, tmp_path / "second"))


def test_a_file_with_right_check_sums_is_a_file_of_another_model(saved):
    """Who can write all check sums can write another model: it loads, and it answers."""
    parts = apart(saved)
    parts.array("LeadingTree", "delta")[3] *= 2
    loaded = load(together(parts, saved))
    model, new = fitted("classes: dense")
    assert loaded.predict(new).shape == (len(new),)
    assert "delta" in differences(answers(model, new), answers(loaded, new))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("next_id", [59, -1, 60.0, None, 2**63])
def test_ids_to_come_are_above_all(next_id, saved):
    grown = load(saved).partial_fit(np.zeros((1, 4))).forget(60)
    save(grown, saved)
    assert load(saved).partial_fit(np.zeros((1, 4))).ids_[-1] == 61
    edited(saved, lambda parts: parts.fields("Rows").update(next_id=next_id))
    refused(saved, "next_id must be")


def test_points_of_experts_are_those_of_the_rows(saved):
    """Landmarks with other columns than new rows would be read beyond their end."""
    parts = apart(saved)
    columns = {"array": len(parts.arrays)}
    parts.header["objects"].insert(
        1, {"class": "DensePoints", "fields": {"columns": columns, "metric": "euclidean"}}
    )
    renumber(parts.header, 1)
    parts.fields("FittedRidge")["points"] = {"object": 1}
    parts.arrays.append(np.zeros((3, 60)))
    refused(together(parts, saved), "experts of the same points")


def renumber(value, first):
    """Raise by one the numbers of all objects from ``first`` on."""
    if isinstance(value, dict) and value.keys() == {"object"}:
        value["object"] += value["object"] >= first
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            renumber(part, first)


def test_labels_without_a_labelling_and_a_labelling_without_labels(saved, tmp_path):
    parts = apart(saved)
    parts.array("ClassLabels", "codes")[:] = -1
    refused(together(parts, tmp_path / "first"), "of labels where rows were given some")
    save(fitted("classes: without labels")[0], saved)
    parts = apart(saved)
    assert parts.header["model"]["fields"]["labelling"] is None
    parts.arrays[parts.number("ClassLabels", "classes")] = np.arange(2)
    parts.array("ClassLabels", "codes")[:] = 1
    refused(together(parts, saved), "there if there are labels")


def test_landmarks_of_many_targets_cannot_fill_the_memory(tmp_path, monkeypatch):
    X = np.random.default_rng(0).normal(size=(40, 4))
    save(LaPOLeaFRegressor(n_forests=1).fit(X, X[:, :2]), tmp_path / "model")
    monkeypatch.setattr(consistency, "_MOST_LANDMARK_BYTES", 1000)
    refused(tmp_path / "model", "landmarks of at most 1000 bytes")


def test_the_header_alone_says_what_the_file_holds(saved):
    with zipfile.ZipFile(saved) as file:
        header = json.loads(file.read("header.json"))
    assert header["format"] == "lapoleaf model"
    assert header["format_version"] == 1
    assert header["lapoleaf"] == lapoleaf.__version__
    assert header["model"]["class"] == "LaPOLeaFClassifier"
    assert header["model"]["parameters"]["n_forests"] == 4
    digest = header.pop("sha256")
    assert json.loads(sealed(header))["sha256"] == digest


# ------------------------------------------------------------------------------- the index of rows


@pytest.fixture
def indexed(tmp_path):
    """Return a function that saves a classifier of a case."""

    def saved(name):
        path = tmp_path / "model.lapoleaf"
        save(fitted(f"classes: {name}")[0], path)
        return path

    return saved


@pytest.mark.parametrize(
    "dtype",
    [
        "int32", "float64", "object", "datetime64[ns, Middle/../Earth]", "datetime64[ns, /etc]",
        "datetime64[ns, dateutil//etc/passwd]", "datetime64[D]", "period[M]]", "complex128", "", 3,
    ],
)  # fmt: skip
def test_types_of_an_index(dtype, indexed):
    path = edited(
        indexed("times as index"), lambda parts: parts.fields("FrameColumn").update(dtype=dtype)
    )
    refused(path, "FrameColumn.")


def test_a_zone_that_may_be_known_elsewhere_loads(indexed):
    dtype = "datetime64[us, Middle/Earth]"
    path = edited(
        indexed("times as index"), lambda parts: parts.fields("FrameColumn").update(dtype=dtype)
    )
    with pytest.raises(ValueError, match="Middle/Earth"):
        load(path).labels_frame()


@pytest.mark.parametrize("length", [0, 59, 61])
def test_an_index_is_that_of_all_rows(length, indexed):
    path = indexed("times as index")
    parts = apart(path)
    number = parts.number("FrameColumn", "values")
    parts.arrays[number] = np.arange(length)
    refused(together(parts, path), "Rows.frame_index must be that of 60 rows")


@pytest.mark.parametrize(
    ("field", "change", "word"),
    [
        ("ends", lambda a: a[::-1].copy(), "in order"),
        ("ends", lambda a: a - 100, "in order and not negative"),
        ("ends", lambda a: a + 1, "objects of the kinds"),
        ("ends", lambda a: a[:-1].copy(), "of shape"),
        ("ends", lambda a: a.astype(np.float64), "of type"),
        ("kinds", lambda a: a + 200, "from 0 to 5"),
        ("kinds", lambda a: np.full_like(a, 3), "objects of the kinds"),
        ("kinds", lambda a: np.full_like(a, 5), "objects of the kinds"),
        ("kinds", lambda a: np.full_like(a, 1), "objects of the kinds"),
        ("characters", lambda a: np.full_like(a, 255), "objects of the kinds"),
        ("characters", lambda a: a[:-1].copy(), "objects of the kinds"),
    ],
    ids=range(11),
)
def test_objects_of_an_index(field, change, word, indexed):
    path = indexed("objects as index")
    parts = apart(path)
    number = parts.number("ObjectTexts", field)
    parts.arrays[number] = change(parts.arrays[number])
    refused(together(parts, path), word)


def test_texts_of_an_index_are_texts(indexed):
    path = indexed("texts as index")
    parts = apart(path)
    parts.array("ObjectTexts", "kinds")[:] = 4
    parts.array("ObjectTexts", "kinds")[3] = 3
    refused(together(parts, path), "FrameColumn.values must be texts, or missing")


def test_whole_numbers_of_an_index_are_short(indexed):
    """Long ones take long to read."""
    path = indexed("objects as index")
    parts = apart(path)
    count = len(parts.array("ObjectTexts", "ends"))
    parts.arrays[parts.number("ObjectTexts", "characters")] = np.full(41 * count, 57, np.uint8)
    parts.arrays[parts.number("ObjectTexts", "ends")] = 41 * np.arange(1, count + 1)
    parts.array("ObjectTexts", "kinds")[:] = 1
    refused(together(parts, path), "objects of the kinds")


@pytest.mark.parametrize(
    ("name", "fields", "word"),
    [
        ("IndexPart", {"is_multi": False}, "one, or those of several levels"),
        ("IndexPart", {"is_multi": 1}, "a bool"),
        ("IndexPart", {"columns": {"tuple": []}}, "IndexPart.columns"),
        ("RowIndex", {"container": "polars"}, "those of pandas"),
        ("RowIndex", {"container": "numpy"}, "one of"),
        ("RowIndex", {"names": [None, None]}, "a tuple"),
        ("RowIndex", {"names": {"tuple": [[1]]}}, "a single value"),
        ("RowIndex", {"parts": {"tuple": []}}, "those of pandas"),
    ],
)
def test_parts_of_an_index(name, fields, word, indexed):
    path = edited(indexed("levels as index"), lambda parts: parts.fields(name).update(fields))
    refused(path, word)


def test_levels_of_an_index_are_of_one_length(indexed):
    path = indexed("levels as index")
    parts = apart(path)
    number = parts.number("FrameColumn", "values")
    parts.arrays[number] = parts.arrays[number][:-1].copy()
    refused(together(parts, path), "of the same length")


@pytest.mark.parametrize(
    "change",
    [lambda a: a + 1, lambda a: np.zeros_like(a), lambda a: a[1:].copy(), lambda a: a + 99],
    ids=range(4),
)
def test_rows_of_several_frames(change, indexed):
    path = indexed("grown, mixed index")
    assert len(load(path)._state.now.rows.frame_index.parts) == 3
    parts = apart(path)
    number = parts.number("RowIndex", "part_of")
    parts.arrays[number] = change(parts.arrays[number])
    refused(together(parts, path), "RowIndex.part_of")


def test_several_frames_need_a_part_for_every_row(indexed):
    path = indexed("grown, mixed index")
    edited(path, lambda parts: parts.fields("RowIndex").update(part_of=None))
    refused(path)

"""The file itself: a plain zip file of plain arrays."""

import json
import struct
import zipfile

import numpy as np
import pytest
from persistence.cases import fitted

from lapoleaf import LaPOLeaFClassifier, LaPOLeaFRegressor, save
from lapoleaf.io.archive import ALIGNMENT, Member, array_name, lay_out
from lapoleaf.io.arrays import ArraySpec, from_stored, to_stored


@pytest.mark.parametrize("name", ["classes: dense", "numbers: partial targets", "clusters: graph"])
def test_other_tools_can_open_it(name, tmp_path):
    path = tmp_path / "model"
    save(fitted(name)[0], path)
    with zipfile.ZipFile(path) as file:
        assert file.testzip() is None
        infos = file.infolist()
        assert [info.filename for info in infos[:2]] == ["header.json", "arrays/0000.npy"]
        assert all(info.compress_type == zipfile.ZIP_STORED for info in infos)
        header = json.loads(file.read("header.json"))
    with np.load(path, allow_pickle=False) as arrays:
        for number, entry in enumerate(header["arrays"]):
            array = arrays[array_name(number).removesuffix(".npy")]
            assert list(array.shape) == entry["shape"]
            assert array.dtype.str == entry["dtype"]


def test_arrays_are_aligned(tmp_path):
    path = tmp_path / "model"
    save(fitted("classes: texts, None")[0], path)
    data = path.read_bytes()
    with zipfile.ZipFile(path) as file:
        for info in file.infolist()[1:]:
            lengths = struct.unpack_from("<2H", data, info.header_offset + 26)
            start = info.header_offset + 30 + sum(lengths)
            assert start % ALIGNMENT == 0
            assert data[start : start + 8] == b"\x93NUMPY\1\0"
            assert (10 + struct.unpack_from("<H", data, start + 8)[0]) % ALIGNMENT == 0


@pytest.mark.parametrize("large", [0, 1, 2])
def test_files_of_many_gigabytes_are_zip_files_too(large, tmp_path):
    """Only what stands around the members is written; the rest are holes in the file."""
    sizes = [1000, 2000, 3000, 64]
    sizes[large + 1] = 5 * 2**30
    members = [Member("header.json", 100, 1)]
    members += [Member(array_name(k), size, 7 + k) for k, size in enumerate(sizes)]
    layout = lay_out(members)
    path = tmp_path / "large.zip"
    with path.open("wb") as file:
        for place in layout.places:
            file.seek(place.start)
            file.write(place.entry)
        file.seek(layout.directory_start)
        file.write(layout.directory)
    assert path.stat().st_size == layout.size
    with zipfile.ZipFile(path) as file:
        found = {i.filename: (i.file_size, i.CRC, i.header_offset) for i in file.infolist()}
        expected = zip(members, layout.places, strict=True)
        assert found == {m.name: (m.size, m.crc, place.start) for m, place in expected}
        for member in members:
            # Opening it compares its entry with the directory.
            file.open(member.name).close()


@pytest.mark.slow
def test_more_members_than_a_plain_zip_file_counts(tmp_path):
    members = [Member("header.json", 0, 0)] + [Member(array_name(k), 0, 0) for k in range(66_000)]
    layout = lay_out(members)
    path = tmp_path / "many.zip"
    path.write_bytes(b"".join(place.entry for place in layout.places) + layout.directory)
    with zipfile.ZipFile(path) as file:
        assert len(file.namelist()) == 66_001


@pytest.mark.parametrize(
    "array",
    [
        np.arange(7.0),
        np.arange(12, dtype=np.float32).reshape(3, 4),
        np.asfortranarray(np.arange(12).reshape(3, 4)),
        np.arange(24).reshape(2, 3, 4)[:, ::2],
        np.array(["a", "grün", ""]),
        np.array([b"a", b"bc"]),
        np.array([True, False]),
        np.zeros((0, 3)),
        np.zeros((3, 0), dtype=np.int16),
        np.float64(3.5)[()] * np.ones(()),
        np.arange(5).astype(">i4"),
        np.array([np.nan, -0.0, np.inf, 5e-324]),
    ],
)
def test_arrays_are_plain_npy(array, tmp_path):
    spec, raw = to_stored(array)
    path = tmp_path / "array.npy"
    path.write_bytes(spec.beginning + raw)
    found = np.load(path, allow_pickle=False)
    again = from_stored(spec, np.frombuffer(raw, np.uint8))
    for other in (found, again):
        assert other.shape == array.shape
        assert other.dtype == array.dtype.newbyteorder("=")
        assert other.tobytes() == array.astype(array.dtype.newbyteorder("=")).tobytes()
        assert other.flags.f_contiguous == array.flags.f_contiguous or not array.flags.contiguous


def test_what_stands_before_the_numbers_is_what_numpy_once_wrote():
    spec = ArraySpec("<f8", False, (150, 3))
    text = b"{'descr': '<f8', 'fortran_order': False, 'shape': (150, 3), }"
    assert spec.beginning == b"\x93NUMPY\1\0v\0" + text.ljust(117) + b"\n"


def test_many_forests_take_24_bytes_a_point_and_forest(tmp_path):
    X = np.random.default_rng(0).normal(size=(500, 3))
    y = np.where(np.arange(500) % 10 == 0, np.arange(500) % 3, -1)
    for k in (1, 21):
        save(LaPOLeaFClassifier(n_forests=k).fit(X, y), tmp_path / str(k))
    one, many = ((tmp_path / str(k)).stat().st_size for k in (1, 21))
    assert 20 * 24 * len(X) <= many - one <= 20 * 24 * len(X) + 5000


def test_landmarks_of_experts_are_not_stored_with_the_points(tmp_path):
    """Columns are stored once, however many targets have landmarks among them."""
    X = np.random.default_rng(0).normal(size=(100, 2000))
    y = np.where(np.arange(100)[:, None] % 2 == 0, X[:, :3], np.nan)
    sizes = []
    for experts in (None, ["trend"]):
        save(LaPOLeaFRegressor(n_forests=1, experts=experts).fit(X, y), tmp_path / "model")
        sizes.append((tmp_path / "model").stat().st_size)
    assert sizes[0] > X.nbytes
    assert sizes[1] < sizes[0] + X.nbytes / 4

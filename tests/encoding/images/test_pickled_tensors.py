"""Tensors from old files, and nothing else from them."""

import pickle

import numpy as np
import pytest
from encoding.images.network_twin import Called, Stored, tensor_of, write_old_file

from lapoleaf._encoding.images.pickled_tensors import read_tensors

ROWS = np.arange(6, dtype=np.float32).reshape(2, 3)
ARRAYS = {"rows": ROWS, "columns": np.asfortranarray(ROWS), "one": np.array(7), "line": ROWS[0]}


def named(arrays):
    """Return tensors and storages of a file."""
    return {name: tensor_of(name, array) for name, array in arrays.items()}, arrays


@pytest.fixture
def path(tmp_path):
    return tmp_path / "tensors.pth"


def test_round_trip(path):
    write_old_file(path, *named(ARRAYS))
    found = read_tensors(path)
    assert found.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(found[name], array)
        assert (found[name].dtype, found[name].shape) == (array.dtype, array.shape)


def refused(path, words):
    with pytest.raises(ValueError, match=words) as caught:
        read_tensors(path)
    assert "tensors.pth' is not read" in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    "function",
    [("os", "system"), ("builtins", "eval"), ("torch", "load"), ("collections", "Counter")],
)
def test_nothing_is_called(path, function, tmp_path):
    """A file that asks for any other function is refused before it is called."""
    canary = tmp_path / "canary"
    tensors, stored = named(ARRAYS)
    tensors["bad"] = Called(function, f"touch {canary}")
    write_old_file(path, tensors, stored)
    refused(path, f"asks for {function[0]}.{function[1]}")
    assert not canary.exists()


def test_what_is_not_such_a_file(path):
    for content in (b"", b"PK\x03\x04 a zip", b"text", pickle.dumps([1, 2]), b"\x80\x02]q\x00."):
        path.write_bytes(content)
        refused(path, "not a file of tensors only")
    with pytest.raises(FileNotFoundError):
        read_tensors(path.with_name("missing.pth"))


def test_damage(path):
    write_old_file(path, *named(ARRAYS))
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        refused(path, "not a file of tensors only")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((0, (2, 3), (3, 1)), None),
        ((1, (2, 3), (3, 1)), "not within its storage"),
        ((0, (3, 3), (3, 1)), "not within its storage"),
        ((0, (10**12,), (0,)), "not within its storage"),
        ((0, (2, 3), (-3, 1)), "not a tensor"),
        ((-1, (2, 3), (3, 1)), "not a tensor"),
        ((0, (2.0, 3), (3, 1)), "not a tensor"),
        ((0, (2, 3), (1,)), "shorter"),
        ((0, [2, 3], (3, 1)), "not a tensor"),
        ((0, (0, 3), (3, 1)), "not within its storage"),
    ],
)
def test_tensors_stay_within_their_numbers(path, arguments, words):
    tensor = Called(("torch._utils", "_rebuild_tensor_v2"), Stored("rows", ROWS), *arguments)
    write_old_file(path, {"bad": tensor}, {"rows": ROWS})
    if words is None:
        np.testing.assert_array_equal(read_tensors(path)["bad"], ROWS)
    else:
        refused(path, words)


def test_other_contents(path):
    write_old_file(path, [1, 2], {})
    refused(path, "it holds a list")
    write_old_file(path, {"epoch": 3}, {})
    refused(path, "'epoch' is not a tensor")
    write_old_file(path, *named(ARRAYS), machine={"little_endian": False})
    refused(path, "little-endian")
    write_old_file(path, *named(ARRAYS), magic=5)
    refused(path, "does not begin")
    tensors, stored = named(ARRAYS)
    write_old_file(path, tensors, {**stored, "further": ROWS})
    refused(path, "storages are not those of its tensors")
    write_old_file(path, tensors, {**stored, "rows": ROWS[0]})
    refused(path, "3 numbers instead of 6")

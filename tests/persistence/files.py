"""Saved files taken apart and put together again, with all check sums right for what they hold now.

An attacker can do as much: what such a file holds is checked, not who wrote it.
"""

import dataclasses
import json
import zlib
from pathlib import Path

import numpy as np

from lapoleaf.io import header as headers
from lapoleaf.io.archive import lay_out, size_of_header
from lapoleaf.io.arrays import ArraySpec, describe, members_of, to_stored


@dataclasses.dataclass
class Parts:
    """A saved file: its header without the entries of the arrays, and the arrays."""

    header: dict
    arrays: list

    @property
    def objects(self):
        return {entry["class"]: entry for entry in [*self.header["objects"], self.header["model"]]}

    def fields(self, name):
        """Give the fields of an object of a class."""
        return self.objects[name]["fields"]

    def number(self, name, field):
        """Give the number of the array in a field of an object of a class."""
        return self.fields(name)[field]["array"]

    def array(self, name, field):
        """Give the array in a field of an object of a class."""
        return self.arrays[self.number(name, field)]


def apart(path):
    """Take a saved file apart; no checks."""
    data = Path(path).read_bytes()
    size = size_of_header(data[:64])
    header = json.loads(data[41 : 41 + size])
    del header["sha256"]
    specs = [ArraySpec(e["dtype"], e["fortran"], tuple(e["shape"])) for e in header.pop("arrays")]
    arrays, position = [], 41 + size
    for spec in specs:
        name_length, extra_length = np.frombuffer(data, "<u2", 2, position + 26)
        position += 30 + int(name_length) + int(extra_length)
        raw = data[position + len(spec.beginning) : position + spec.size]
        shape = spec.shape[::-1] if spec.fortran else spec.shape
        array = np.frombuffer(raw, spec.dtype).reshape(shape).copy()
        arrays.append(array.T if spec.fortran else array)
        position += spec.size
    return Parts(header, arrays)


def stored(arrays):
    """Give the members that arrays make."""
    return [describe(*to_stored(array)) for array in arrays]


def sealed(header):
    """Give the text of a header with its check sum, whatever it holds."""
    text = {**header, "sha256": headers._digest(header)}
    return json.dumps(text, separators=(",", ":")).encode()


def together(parts, path, entries=None, specs=None):
    """Write a file whose check sums are all right; ``specs`` and ``entries`` may lie."""
    raws = [to_stored(array)[1] for array in parts.arrays]
    specs = specs or [to_stored(array)[0] for array in parts.arrays]
    members = [describe(spec, raw) for spec, raw in zip(specs, raws, strict=True)]
    entries = entries or [member.to_json() for member in members]
    text = sealed({**parts.header, "arrays": entries})
    pieces = [text, *(spec.beginning + bytes(raw) for spec, raw in zip(specs, raws, strict=True))]
    zipped = [
        dataclasses.replace(member, size=len(piece), crc=zlib.crc32(piece))
        for member, piece in zip(members_of(text, members), pieces, strict=True)
    ]
    layout = lay_out(zipped)
    entries_and_pieces = zip(layout.places, pieces, strict=True)
    data = b"".join(place.entry + piece for place, piece in entries_and_pieces)
    Path(path).write_bytes(data + layout.directory)
    return path

"""Saved files, mutated by a seeded fuzzer.

A mutation takes a generator of random numbers and a saved file, and gives the bytes of another one.
Those of ``DAMAGE`` leave check sums as they were, or pack the file anew: what loads must be the
model that was saved. Those of ``FORGERY`` put all check sums right, as an attacker would: what
loads may be another model, but it must be one.
"""

import copy
import io
import pickle
import zipfile
import zlib
from dataclasses import replace

import numpy as np
from persistence.files import Parts, sealed

from lapoleaf.io.archive import lay_out
from lapoleaf.io.arrays import ArraySpec, describe, members_of, to_stored


class Saved:
    """A saved file, whole and in parts."""

    def __init__(self, data, parts):
        self.data = data
        self.parts = parts

    def copied(self):
        return Parts(
            copy.deepcopy(self.parts.header), [a.copy(order="K") for a in self.parts.arrays]
        )


# ---------------------------------------------------------------------------------- bytes


def flipped(rng, saved):
    data = bytearray(saved.data)
    for place in rng.integers(0, len(data), rng.integers(1, 9)):
        data[place] ^= 1 << int(rng.integers(8))
    return bytes(data)


def overwritten(rng, saved):
    data = bytearray(saved.data)
    start = int(rng.integers(len(data)))
    length = min(int(rng.integers(1, 200)), len(data) - start)
    fill = [bytes(length), b"\xff" * length, rng.bytes(length)][rng.integers(3)]
    data[start : start + length] = fill
    return bytes(data)


def cut_off(rng, saved):
    return saved.data[: rng.integers(len(saved.data))]


def cut_out(rng, saved):
    start, stop = sorted(rng.integers(0, len(saved.data), 2))
    return saved.data[:start] + saved.data[stop:]


def extended(rng, saved):
    more = [rng.bytes(int(rng.integers(1, 300))), saved.data, bytes(64)][rng.integers(3)]
    return more + saved.data if rng.random() < 0.5 else saved.data + more


def inserted(rng, saved):
    place = int(rng.integers(len(saved.data)))
    more = rng.bytes(int(rng.integers(1, 80)))
    return saved.data[:place] + more + saved.data[place:]


def exchanged(rng, saved):
    """Exchange two pieces of the file."""
    length = int(rng.integers(1, 500))
    a, b = (int(place) for place in rng.integers(0, max(1, len(saved.data) - length), 2))
    data = bytearray(saved.data)
    data[a : a + length], data[b : b + length] = data[b : b + length], data[a : a + length]
    return bytes(data)


# ---------------------------------------------------------------------------------- zip files


def _members(saved):
    with zipfile.ZipFile(io.BytesIO(saved.data)) as file:
        return [(name, file.read(name)) for name in file.namelist()]


def _packed(members, compression=zipfile.ZIP_STORED):
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", compression) as file:
        for name, data in members:
            info = zipfile.ZipInfo(name)
            info.compress_type = compression
            file.writestr(info, data)
    return target.getvalue()


def repacked(rng, saved):
    """Remove, double, rename, reorder or exchange members, or compress them."""
    members = _members(saved)
    a, b = (int(number) for number in rng.integers(0, len(members), 2))
    what = rng.integers(7)
    if what == 0:
        del members[a]
    elif what == 1:
        members.insert(b, members[a])
    elif what == 2:
        names = ["../evil", "/etc/passwd", "header.json", "arrays/9999.npy", "C:\\evil", "a/../b"]
        members[a] = (names[rng.integers(len(names))], members[a][1])
    elif what == 3:
        members[a], members[b] = members[b], members[a]
    elif what == 4:
        (first, x), (second, y) = members[a], members[b]
        members[a], members[b] = (first, y), (second, x)
    elif what == 5:
        members[a] = (members[a][0], bytes(int(rng.integers(10**7))))
    return _packed(members, zipfile.ZIP_DEFLATED if what >= 5 else zipfile.ZIP_STORED)


def bomb(rng, saved):
    """A small file that claims to be large, or becomes large."""
    what = rng.integers(4)
    if what == 0:
        return _packed([("header.json", bytes(2 * 10**7))], zipfile.ZIP_DEFLATED)
    data = bytearray(saved.data)
    place = (
        0 if what == 1 else saved.data.index(b"PK\3\4", 41) if what == 2 else data.index(b"PK\1\2")
    )
    offset = 20 if what == 3 else 18
    size = int(rng.integers(2**20, 2**32)).to_bytes(4, "little")
    data[place + offset : place + offset + 8] = size + size
    return bytes(data)


# ---------------------------------------------------------------------------------- headers


def _with_header(saved, text):
    """Put another header into a file, leaving the rest as it is."""
    end = saved.data.index(b"PK\3\4", 41)
    entry = lay_out(members_of(text, []))
    return entry.places[0].entry + text + saved.data[end:]


def header_text_edited(rng, saved):
    """Edit the text of the header, without putting its check sum right."""
    end = saved.data.index(b"PK\3\4", 41)
    text = saved.data[41:end]
    words = [b"0", b"1", b"null", b"[", b"]", b"{", b"}", b'"', b",", b":", b"\\", b"-1", b"1e999"]
    for _ in range(rng.integers(1, 4)):
        place = int(rng.integers(len(text)))
        text = text[:place] + words[rng.integers(len(words))] + text[place + int(rng.integers(3)) :]
    return _with_header(saved, text)


def header_of_horrors(rng, saved):
    """A header made to be slow, deep or large."""
    size = int(10 ** rng.uniform(0, 6))
    texts = [
        b"[" * size,
        b'{"a":' * size,
        b'"' + b'\\"' * size,
        b"[" + b"0," * size + b"0]",
        b"[" + b"[]," * size + b"[]]",
        b'{"format":"lapoleaf model","format_version":' + b"9" * size + b"}",
        b'{"format":"' + b"\\u0041" * (size // 6) + b'"}',
    ]
    return _with_header(saved, texts[rng.integers(len(texts))])


# ---------------------------------------------------------------------------------- forgeries


class _Evil:
    """What would run if anybody unpickled it."""

    def __reduce__(self):
        return (open, ("evil", "w"))


def _forged(parts, entries=None, specs=None):
    """Put a file together with all check sums right; the entries of arrays may lie."""
    raws = [to_stored(array)[1] for array in parts.arrays]
    specs = specs or [to_stored(array)[0] for array in parts.arrays]
    members = [describe(spec, raw) for spec, raw in zip(specs, raws, strict=True)]
    entries = [member.to_json() for member in members] if entries is None else entries
    text = sealed({**parts.header, "arrays": entries})
    pieces = [text, *(spec.beginning + bytes(raw) for spec, raw in zip(specs, raws, strict=True))]
    zipped = [
        replace(member, size=len(piece), crc=zlib.crc32(piece))
        for member, piece in zip(members_of(text, members), pieces, strict=True)
    ]
    layout = lay_out(zipped)
    placed = zip(layout.places, pieces, strict=True)
    return b"".join(place.entry + piece for place, piece in placed) + layout.directory


def _places(value, found=None, parent=None, key=None):
    """List all places in a header as (container, key)."""
    found = [] if found is None else found
    if parent is not None:
        found.append((parent, key))
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for k, v in items:
        if isinstance(v, dict | list):
            _places(v, found, value, k)
        else:
            found.append((value, k))
    return found


def _nasty(rng, parts):
    """Return a value that may do harm."""
    k = int(rng.integers(0, len(parts.arrays) + 1))
    o = int(rng.integers(0, len(parts.header["objects"]) + 1))
    values = [
        None, True, False, -1, 0, 1, 3, 59, 60, 2**31, 2**63, 2**64, 10**40, 0.5, -0.0, 1e308,
        {"float": "nan"}, {"float": "inf"}, {"float": "-inf"}, {"float": 1}, "", "a", "x" * 1000,
        [], [[]], {}, {"array": k}, {"object": o}, {"array": -1}, {"dict": {}}, 1e-320,
        {"tuple": []}, {"tuple": [{"array": k}]}, {"strings": k}, {"mixed": [[None, "a"], k]},
        {"numpy": ["float64", 1.0]}, {"numpy": ["int8", 1000]}, {"numpy": ["str", "a"]},
        {"pandas": "NA"}, {"pandas": "eval"}, {"bytes": "00"}, {"bytes": 3}, {"eval": "1"},
        [{"object": o}], [{"array": k}] * 50, [{"object": o}, {"object": o}], "auto", "precomputed",
        "euclidean", "cosine", "mahalanobis", "haversine", "nan_euclidean", "stages", "exact",
        "inverse", "os.system", "builtins.eval", "LeadingTree", "LoDOG", "Settings", "MatrixPoints",
    ]  # fmt: skip
    return values[rng.integers(len(values))]


def _references(value, tag, found):
    """Collect the tags that name an array or an object, below a value."""
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    if isinstance(value, dict) and len(value) == 1 and type(value.get(tag)) is int:
        found.append(value)
    for item in items:
        _references(item, tag, found)
    return found


def _pruned(whole, arrays):
    """Drop the arrays that nothing names any more, and renumber the others."""
    named = _references([whole.get("model"), whole.get("objects")], "array", [])
    named += _references([whole.get("model"), whole.get("objects")], "strings", [])
    used = sorted({n for tag in named for n in tag.values() if 0 <= n < len(arrays)})
    for tag in named:
        for key, number in tag.items():
            tag[key] = used.index(number) if number in used else number
    entries = whole.get("arrays")
    if isinstance(entries, list) and len(entries) == len(arrays):
        whole["arrays"] = [entries[number] for number in used]
    return [arrays[number] for number in used]


def leaves_forged(rng, saved):
    """Edit single values of parameters and fields, or name another array or object."""
    parts = saved.copied()
    for _ in range(rng.integers(1, 3)):
        encoded = [parts.header["model"], *parts.header["objects"]]
        values = encoded[0 if rng.random() < 0.4 else rng.integers(len(encoded))]
        group = (
            values["parameters"]
            if "parameters" in values and rng.random() < 0.4
            else values["fields"]
        )
        names = sorted(group)
        if names:
            group[names[rng.integers(len(names))]] = _nasty(rng, parts)
    parts.arrays = _pruned(parts.header, parts.arrays)
    return _forged(parts)


def header_forged(rng, saved):
    """Edit values of the header and put its check sum right."""
    parts = saved.copied()
    entries = [member.to_json() for member in (describe(*to_stored(a)) for a in parts.arrays)]
    whole = {**parts.header, "arrays": entries}
    for _ in range(rng.integers(1, 4)):
        places = _places(whole)
        container, key = places[rng.integers(len(places))]
        what = rng.integers(8)
        if what == 0:
            del container[key]
        elif what == 1:
            other, name = places[rng.integers(len(places))]
            container[key] = copy.deepcopy(other[name])
        elif what == 2 and isinstance(container, dict):
            container[["x", "class", "array", "fields", "sha256"][rng.integers(5)]] = 1
        elif what == 3 and isinstance(container, list):
            container.insert(int(rng.integers(len(container) + 1)), copy.deepcopy(container[key]))
        else:
            container[key] = _nasty(rng, parts)
    arrays = _pruned(whole, parts.arrays) if rng.random() < 0.5 else parts.arrays
    entries = whole.pop("arrays", [])
    return _forged(Parts(whole, arrays), entries)


def _nasty_numbers(rng, array):
    """Put numbers into an array that are dangerous where memory is indexed with them."""
    array = array.copy(order="K")
    if array.size == 0:
        return array
    flat = array.reshape(-1)
    places = rng.integers(0, array.size, rng.integers(1, 4))
    kind = array.dtype.kind
    if kind == "f":
        choices = [np.nan, np.inf, -np.inf, -1.0, 0.0, 1e300, 5e-324, float(rng.normal())]
    elif kind in "iu":
        limits = np.iinfo(array.dtype)
        choices = [limits.min, limits.max, 0, 1, array.size, array.size - 1, int(rng.integers(100))]
        choices += [-1, -2]
        choices = [choice for choice in choices if limits.min <= choice <= limits.max]
    else:
        choices = None
    for place in places:
        if choices is None:
            raw = flat[place : place + 1].view(np.uint8)
            raw[rng.integers(len(raw))] = rng.integers(256)
        elif rng.random() < 0.2:
            flat[place] = flat[rng.integers(array.size)]
        else:
            flat[place] = choices[rng.integers(len(choices))]
    return flat.reshape(array.shape)


def _another_array(rng, array, arrays):
    """Return an array of another shape, type or content."""
    what = rng.integers(9)
    if what < 4:
        return _nasty_numbers(rng, array)
    if what == 4:
        return array[: rng.integers(len(array) + 1)] if array.ndim else array
    if what == 5:
        return np.concatenate([array, array[:1]]) if array.ndim else array
    if what == 6:
        types = [np.float32, np.int32, np.int64, np.uint8, np.float64, np.bool_]
        with np.errstate(all="ignore"):
            kind = types[rng.integers(len(types))]
            return array.astype(kind) if array.dtype.kind in "biuf" else array[:0]
    if what == 7:
        return arrays[rng.integers(len(arrays))].copy()
    return [array.T, array[None], array[::-1], rng.permuted(array)][rng.integers(4)]


def arrays_forged(rng, saved):
    """Edit arrays and put all check sums right."""
    parts = saved.copied()
    for _ in range(rng.integers(1, 3)):
        number = int(rng.integers(len(parts.arrays)))
        parts.arrays[number] = _another_array(rng, parts.arrays[number], parts.arrays)
    return _forged(parts)


def lengths_forged(rng, saved):
    """Change the length of many arrays alike, as if the model had other rows."""
    parts = saved.copied()
    lengths = sorted({len(array) for array in parts.arrays if array.ndim})
    wanted = lengths[rng.integers(len(lengths))]
    shorter = max(0, wanted - int(rng.integers(1, 3)))
    parts.arrays = [
        array[:shorter] if array.ndim and len(array) == wanted else array for array in parts.arrays
    ]
    return _forged(parts)


def npy_forged(rng, saved):
    """Change the header of an array: another type, another shape, Python objects."""
    parts = saved.copied()
    number = int(rng.integers(len(parts.arrays)))
    specs = [to_stored(array)[0] for array in parts.arrays]
    honest = [describe(*to_stored(array)).to_json() for array in parts.arrays]
    if rng.random() < 0.4:
        payload = pickle.dumps(np.array([_Evil()], dtype=object))
        parts.arrays[number] = np.frombuffer(payload + bytes(-len(payload) % 8), np.int64)
        specs[number] = ArraySpec("|O", False, (len(parts.arrays[number]),))
    else:
        types = ["<f8", "<i8", "<u2", "|V8", "<M8[ns]", ">f8", "<c16"]
        shape = tuple(int(length) for length in rng.integers(0, 2**40, rng.integers(3)))
        specs[number] = ArraySpec(types[rng.integers(len(types))], bool(rng.integers(2)), shape)
    return _forged(parts, honest if rng.random() < 0.5 else None, specs)


def models_mixed(rng, saved, others):
    """Take a part of another model, which does not fit, or happens to."""
    parts, other = saved.copied(), others[rng.integers(len(others))].copied()
    theirs = other.arrays[rng.integers(len(other.arrays))]
    parts.arrays[rng.integers(len(parts.arrays))] = theirs
    if rng.random() < 0.5:
        objects, more = parts.header["objects"], other.header["objects"]
        if objects and more:
            objects[rng.integers(len(objects))] = more[rng.integers(len(more))]
    return _forged(parts)


DAMAGE = [
    flipped, overwritten, cut_off, cut_out, extended, inserted, exchanged, repacked, bomb,
    header_text_edited, header_of_horrors,
]  # fmt: skip
FORGERY = [
    header_forged, leaves_forged, leaves_forged, arrays_forged, arrays_forged, lengths_forged,
    npy_forged, models_mixed,
]  # fmt: skip


def mutant(seed, files, ways):
    """Return the name of a mutation, the number of the original file, and the new bytes."""
    rng = np.random.default_rng(seed)
    number = int(rng.integers(len(files)))
    way = ways[rng.integers(len(ways))]
    others = (files,) if way is models_mixed else ()
    return way.__name__, number, way(rng, files[number], *others)

"""EfficientNet-Lite0 in NumPy, slow and to be read; and PyTorch's old file format, written."""

import pickle
import struct
from collections import OrderedDict

import numpy as np


def normalised(x, tensors, name):
    """Batch normalisation as it is defined, in float64."""
    mean, variance, gain, shift = (
        tensors[f"{name}.{part}"].astype(np.float64)[:, None, None]
        for part in ("running_mean", "running_var", "weight", "bias")
    )
    return (x - mean) / np.sqrt(variance + 1e-3) * gain + shift


def padded(x, width, step):
    """Zeros around x as TensorFlow puts them: the odd one to the right and below."""
    size = x.shape[1]
    total = max((-(-size // step) - 1) * step + width - size, 0)
    return np.pad(x, ((0, 0), (total // 2, total - total // 2), (total // 2, total - total // 2)))


def shifts(x, width, step):
    """Return x as every place of the kernel sees it."""
    wide = padded(x, width, step)
    size = -(-x.shape[1] // step)
    for i in range(width):
        for j in range(width):
            last = step * (size - 1) + 1
            yield i, j, wide[:, i : i + last : step, j : j + last : step]


def full(x, kernel, step=1):
    return sum(
        np.tensordot(kernel[:, :, i, j].astype(np.float64), part, 1)
        for i, j, part in shifts(x, kernel.shape[2], step)
    )


def each_channel(x, kernel, step):
    return sum(
        kernel[:, 0, i, j].astype(np.float64)[:, None, None] * part
        for i, j, part in shifts(x, kernel.shape[2], step)
    )


def relu6(x):
    return np.clip(x, 0.0, 6.0)


def forward(tensors, picture):
    """Return features and logits of one picture, 3 x 224 x 224."""
    x = full(picture.astype(np.float64), tensors["_conv_stem.weight"], 2)
    x = relu6(normalised(x, tensors, "_bn0"))
    steps = [1, 2, 1, 2, 1, 2, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1]
    for number, step in enumerate(steps):
        name, before = f"_blocks.{number}", x
        if f"{name}._expand_conv.weight" in tensors:
            x = full(x, tensors[f"{name}._expand_conv.weight"])
            x = relu6(normalised(x, tensors, f"{name}._bn0"))
        x = each_channel(x, tensors[f"{name}._depthwise_conv.weight"], step)
        x = relu6(normalised(x, tensors, f"{name}._bn1"))
        x = full(x, tensors[f"{name}._project_conv.weight"])
        x = normalised(x, tensors, f"{name}._bn2")
        if x.shape == before.shape:
            x = x + before
    x = relu6(normalised(full(x, tensors["_conv_head.weight"]), tensors, "_bn1"))
    features = x.mean(axis=(1, 2))
    return features, tensors["_fc.weight"] @ features + tensors["_fc.bias"]


class _Named:
    """Something that a pickle names by a module and a name."""

    def __init__(self, module, name):
        self.module, self.name = module, name


class OldPickler(pickle._Pickler):
    """Writes tensors as PyTorch did: storages by name, tensors as calls."""

    def save(self, thing, save_persistent_id=True):
        if isinstance(thing, _Named):
            self.write(pickle.GLOBAL + f"{thing.module}\n{thing.name}\n".encode())
        elif isinstance(thing, Stored):
            kind = {"f": "FloatStorage", "i": "LongStorage"}[thing.values.dtype.kind]
            place = ("storage", _Named("torch", kind), thing.key, "cpu", thing.values.size, None)
            self.save(place)
            self.write(pickle.BINPERSID)
        elif isinstance(thing, Called):
            self.save(_Named(*thing.function))
            self.save(tuple(thing.arguments))
            self.write(pickle.REDUCE)
        else:
            super().save(thing, save_persistent_id)


class Stored:
    def __init__(self, key, values):
        self.key, self.values = key, values


class Called:
    def __init__(self, function, *arguments):
        self.function, self.arguments = function, arguments


def tensor_of(key, values):
    strides = tuple(step // values.itemsize for step in values.strides)
    whole = np.frombuffer(values.tobytes(order="A"), values.dtype)
    arguments = (Stored(key, whole), 0, values.shape, strides, False, OrderedDict())
    return Called(("torch._utils", "_rebuild_tensor_v2"), *arguments)


def write_old_file(path, tensors, stored, machine=None, magic=0x1950A86A20F9469CFC6C):
    """Write a file in PyTorch's old format: what is named, and the numbers of the storages."""
    with open(path, "wb") as file:
        for thing in (magic, 1001, machine or {"little_endian": True}, tensors):
            OldPickler(file, 2).dump(thing)
        OldPickler(file, 2).dump(sorted(stored))
        for key in sorted(stored):
            file.write(struct.pack("<q", stored[key].size) + stored[key].tobytes(order="A"))

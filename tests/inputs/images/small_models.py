"""Tiny ONNX models, made for a test."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

SIDE = 16


def save_model(path, nodes, shape, outputs, weights=(), kind=TensorProto.FLOAT, inputs=()):
    """Save a model of these nodes with an input ``x``; outputs are pairs of a name and a shape."""
    info = helper.make_tensor_value_info
    graph = helper.make_graph(
        nodes,
        "small",
        [info("x", kind, shape), *inputs],
        [info(name, kind, dims) for name, dims in outputs],
        [numpy_helper.from_array(array, name) for name, array in weights],
    )
    opset = [helper.make_opsetid("", 13)]
    path.write_bytes(
        helper.make_model(graph, opset_imports=opset, ir_version=8).SerializeToString()
    )
    return path


def averages(path, batch="n", side=SIDE, colours_last=False):
    """Means over squares of 4 x 4 pixels, flattened; layer ``squares`` comes before."""
    nodes, source = [], "x"
    shape = [batch, 3, side, side]
    if colours_last:
        shape = [batch, side, side, 3]
        nodes, source = [helper.make_node("Transpose", ["x"], ["t"], perm=[0, 3, 1, 2])], "t"
    nodes += [
        helper.make_node(
            "AveragePool", [source], ["squares"], "pool", kernel_shape=[4, 4], strides=[4, 4]
        ),
        helper.make_node("Flatten", ["squares"], ["rows"], "flat"),
    ]
    return save_model(path, nodes, shape, [("rows", [batch, None])])


def dense(path, columns=7, seed=0):
    """Two dense layers, as AlexNet has at its end: ``fc7`` and then ``fc8``."""
    rng = np.random.default_rng(seed)
    size = 3 * SIDE * SIDE
    weights = [
        ("w7", rng.normal(size=(size, columns)).astype(np.float32)),
        ("w8", rng.normal(size=(columns, 2)).astype(np.float32)),
    ]
    nodes = [
        helper.make_node("Flatten", ["x"], ["flat"]),
        helper.make_node("MatMul", ["flat", "w7"], ["fc7_1"], "fc7"),
        helper.make_node("MatMul", ["fc7_1", "w8"], ["fc8_1"], "fc8"),
    ]
    return save_model(path, nodes, ["n", 3, SIDE, SIDE], [("fc8_1", ["n", 2])], weights)

"""Small models in the format of ONNX, with what they should compute."""

from __future__ import annotations

import dataclasses

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SCALE = 2.0**-10


def numbers(rng, *shape: int, low: float = -2.0, high: float = 2.0) -> np.ndarray:
    """Random numbers that fixed point and floats hold exactly."""
    return np.round(rng.uniform(low, high, size=shape) / SCALE) * SCALE


@dataclasses.dataclass
class Case:
    """A model, its inputs, and its outputs in double precision."""

    name: str
    model: onnx.ModelProto
    inputs: dict[str, np.ndarray]
    outputs: list[np.ndarray]
    tolerance: float = 1e-3
    options: list[str] = dataclasses.field(default_factory=list)


class Builder:
    """Collects the nodes and constants of a model."""

    def __init__(self, name: str, opset: int = 13, tolerance: float = 1e-3) -> None:
        self.name, self.opset, self.tolerance = name, opset, tolerance
        self.nodes: list = []
        self.constants: list = []
        self.inputs: dict[str, np.ndarray] = {}
        self.options: list[str] = []

    def input(self, name: str, value: np.ndarray) -> str:
        self.inputs[name] = value
        return name

    def constant(self, name: str, value, dtype=np.float32) -> str:
        self.constants.append(numpy_helper.from_array(np.asarray(value, dtype=dtype), name))
        return name

    def node(self, op: str, inputs: list[str], outputs: list[str] | str, **attributes) -> str:
        outputs = [outputs] if isinstance(outputs, str) else outputs
        self.nodes.append(helper.make_node(op, inputs, outputs, name=f"{op}_{len(self.nodes)}", **attributes))
        return outputs[0]

    def case(self, outputs: dict[str, np.ndarray]) -> Case:
        values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, list(value.shape))
                  for name, value in self.inputs.items()]
        results = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs]
        graph = helper.make_graph(self.nodes, "graph", values, results, self.constants)
        opsets = [helper.make_opsetid("", self.opset), helper.make_opsetid("ai.onnx.ml", 2)]
        model = helper.make_model(graph, opset_imports=opsets)
        return Case(self.name, model, self.inputs, list(outputs.values()), self.tolerance, self.options)


def erf(x: np.ndarray) -> np.ndarray:
    import math

    return np.vectorize(math.erf)(x)


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def softmax(x: np.ndarray, axis: int = -1) -> np.ndarray:
    powers = np.exp(x - x.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


def convolved(x, w, b=None, stride=(1, 1), pads=(0, 0, 0, 0), dilation=(1, 1), group=1):
    """A convolution by its definition, over images `[batch, channels, rows, columns]`."""
    x = np.pad(x, ((0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])))
    n, _, height, width = x.shape
    outputs, inputs, a, c = w.shape
    rows = (height - (a - 1) * dilation[0] - 1) // stride[0] + 1
    columns = (width - (c - 1) * dilation[1] - 1) // stride[1] + 1
    result = np.zeros((n, outputs, rows, columns))
    for o in range(outputs):
        first = o // (outputs // group) * inputs
        for i in range(a):
            for j in range(c):
                top, left = i * dilation[0], j * dilation[1]
                part = x[:, first:first + inputs, top:top + stride[0] * (rows - 1) + 1:stride[0],
                         left:left + stride[1] * (columns - 1) + 1:stride[1]]
                result[:, o] += np.einsum("nchw,c->nhw", part, w[o, :, i, j])
    return result if b is None else result + np.asarray(b)[None, :, None, None]


def pooled(x, kernel, stride, pads=(0, 0, 0, 0), kind="max", counts_padding=False, ceil=False):
    """The greatest or mean number of each window, by their definition."""
    n, channels, height, width = x.shape
    sizes = []
    for d, extent in enumerate((height, width)):
        room = extent + pads[d] + pads[d + 2] - kernel[d]
        sizes.append((-(-room // stride[d]) if ceil else room // stride[d]) + 1)
    result = np.zeros((n, channels, *sizes))
    for y in range(sizes[0]):
        for z in range(sizes[1]):
            top, left = y * stride[0] - pads[0], z * stride[1] - pads[1]
            part = x[:, :, max(top, 0):top + kernel[0], max(left, 0):left + kernel[1]]
            count = kernel[0] * kernel[1] if counts_padding else part.shape[2] * part.shape[3]
            result[:, :, y, z] = part.max(axis=(2, 3)) if kind == "max" else part.sum(axis=(2, 3)) / count
    return result

"""A model for each operator, and for each kind of its attributes."""

from __future__ import annotations

import math

import numpy as np
from models import Builder, Case, convolved, erf, numbers, pooled, sigmoid, softmax
from onnx import TensorProto, helper, numpy_helper


def unary(rng) -> list[Case]:
    functions = {
        "Relu": (lambda x: np.maximum(x, 0), {}),
        "LeakyRelu": (lambda x: np.where(x < 0, 0.125 * x, x), {"alpha": 0.125}),
        "Elu": (lambda x: np.where(x < 0, 0.5 * np.expm1(x), x), {"alpha": 0.5}),
        "Selu": (lambda x: 1.5 * np.where(x < 0, 2 * np.expm1(x), x), {"alpha": 2.0, "gamma": 1.5}),
        "Sigmoid": (sigmoid, {}),
        "HardSigmoid": (lambda x: np.clip(0.25 * x + 0.5, 0, 1), {"alpha": 0.25}),
        "HardSwish": (lambda x: x * np.clip(x / 6 + 0.5, 0, 1), {}),
        "Tanh": (np.tanh, {}),
        "Exp": (np.exp, {}),
        "Erf": (erf, {}),
        "Abs": (np.abs, {}),
        "Neg": (lambda x: -x, {}),
        "Sin": (np.sin, {}),
        "Cos": (np.cos, {}),
        "Softplus": (lambda x: np.log1p(np.exp(x)), {}),
        "Softsign": (lambda x: x / (1 + np.abs(x)), {}),
    }
    cases = []
    for op, (function, attributes) in functions.items():
        shape = tuple(rng.integers(1, 5, size=rng.integers(1, 4)))
        b = Builder(op, opset=14)
        x = numbers(rng, *shape)
        b.node(op, [b.input("x", x)], "y", **attributes)
        cases.append(b.case({"y": function(x)}))
    for op, function in {"Log": np.log, "Sqrt": np.sqrt, "Reciprocal": lambda x: 1 / x}.items():
        b = Builder(op)
        x = numbers(rng, 3, 2, low=0.25, high=4)
        b.node(op, [b.input("x", x)], "y")
        cases.append(b.case({"y": function(x)}))
    return cases


def binary(rng) -> list[Case]:
    cases = []
    functions = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide, "Max": np.maximum,
                 "Min": np.minimum}
    shapes = [((3, 4), (3, 4)), ((2, 3, 4), (3, 1)), ((1, 4), (3, 4)), ((4,), (2, 1, 4)), ((2, 2), ())]
    for op, function in functions.items():
        for i, (left, right) in enumerate(shapes):
            b = Builder(f"{op}, shapes {left} and {right}")
            x, y = numbers(rng, *left), numbers(rng, *right, low=0.5, high=2)
            b.node(op, [b.input("x", x), b.constant("c", y) if i % 2 else b.input("z", y)], "y")
            cases.append(b.case({"y": function(x, y)}))
    for exponent, function in {2.0: lambda x: x**2, 3.0: lambda x: x**3, 0.5: np.sqrt, -1.0: lambda x: 1 / x}.items():
        b = Builder(f"Pow {exponent}")
        x = numbers(rng, 2, 3, low=0.5, high=2)
        b.node("Pow", [b.input("x", x), b.constant("e", exponent)], "y")
        cases.append(b.case({"y": function(x)}))
    b = Builder("Mul of small constants")
    x = numbers(rng, 4)
    b.node("Mul", [b.input("x", x), b.constant("c", 1 / 1000)], "s")
    b.node("Mul", ["s", b.constant("d", 1000.0)], "y")
    b.tolerance = 0.005
    cases.append(b.case({"y": x}))
    b = Builder("Sum and Mean")
    x, z = numbers(rng, 2, 3), numbers(rng, 3)
    b.node("Sum", [b.input("x", x), b.input("z", z), "x"], "s")
    b.node("Mean", ["x", "z"], "m")
    cases.append(b.case({"s": 2 * x + z, "m": (x + z) / 2}))
    b = Builder("PRelu")
    x, slope = numbers(rng, 2, 3, 2), numbers(rng, 3, 1)
    b.node("PRelu", [b.input("x", x), b.constant("c", slope)], "y")
    cases.append(b.case({"y": np.where(x < 0, slope * x, x)}))
    return cases


def selection(rng) -> list[Case]:
    cases = []
    relations = {"Less": np.less, "LessOrEqual": np.less_equal, "Greater": np.greater,
                 "GreaterOrEqual": np.greater_equal, "Equal": np.equal}
    for op, relation in relations.items():
        b = Builder(f"{op} and Where")
        x, z = numbers(rng, 3, 4), numbers(rng, 4)
        x[0] = z
        b.node(op, [b.input("x", x), b.input("z", z)], "c")
        b.node("Where", ["c", "x", b.constant("k", 0.5)], "y")
        cases.append(b.case({"y": np.where(relation(x, z), x, 0.5)}))
    b = Builder("Clip by inputs and attributes", opset=11)
    x = numbers(rng, 5)
    b.node("Clip", [b.input("x", x), b.constant("lo", -0.5), b.constant("hi", 0.75)], "y")
    b.node("Clip", ["x", "", "hi"], "z")
    cases.append(b.case({"y": np.clip(x, -0.5, 0.75), "z": np.minimum(x, 0.75)}))
    b = Builder("Clip by attributes", opset=7)
    b.node("Clip", [b.input("x", x)], "y", min=0.0, max=6.0)
    cases.append(b.case({"y": np.clip(x, 0, 6)}))
    b = Builder("truth values")
    x = numbers(rng, 6)
    b.node("Greater", [b.input("x", x), b.constant("a", -1.0)], "p")
    b.node("Less", ["x", b.constant("b", 1.0)], "q")
    b.node("And", ["p", "q"], "and")
    b.node("Or", ["p", "q"], "or")
    b.node("Xor", ["and", "or"], "xor")
    b.node("Not", ["xor"], "not")
    b.node("Cast", ["and"], "y", to=TensorProto.FLOAT)
    b.node("Cast", ["not"], "z", to=TensorProto.FLOAT)
    inside = (x > -1) & (x < 1)
    cases.append(b.case({"y": inside.astype(float), "z": inside.astype(float)}))
    return cases


def reductions(rng) -> list[Case]:
    cases = []
    functions = {
        "ReduceSum": lambda x, a, k: x.sum(axis=a, keepdims=k), "ReduceMean": lambda x, a, k: x.mean(axis=a, keepdims=k),
        "ReduceMax": lambda x, a, k: x.max(axis=a, keepdims=k), "ReduceMin": lambda x, a, k: x.min(axis=a, keepdims=k),
        "ReduceL1": lambda x, a, k: np.abs(x).sum(axis=a, keepdims=k),
        "ReduceL2": lambda x, a, k: np.sqrt((x * x).sum(axis=a, keepdims=k)),
        "ReduceSumSquare": lambda x, a, k: (x * x).sum(axis=a, keepdims=k),
    }
    for op, function in functions.items():
        for axes, keep in [((1,), True), ((0, 2), False), ((-1,), False)]:
            b = Builder(f"{op} along {axes}", opset=11)
            x = numbers(rng, 2, 3, 4)
            b.node(op, [b.input("x", x)], "y", axes=list(axes), keepdims=int(keep))
            cases.append(b.case({"y": function(x, axes, keep)}))
    b = Builder("ReduceSum with axes as an input", opset=13)
    x = numbers(rng, 3, 2)
    b.node("ReduceSum", [b.input("x", x), b.constant("axes", [0], np.int64)], "y")
    b.node("ReduceMean", ["x"], "z")
    cases.append(b.case({"y": x.sum(axis=0, keepdims=True), "z": x.mean(keepdims=True)}))
    for op, function in {"ArgMax": np.argmax, "ArgMin": np.argmin}.items():
        for axis, keep in [(1, 0), (0, 1)]:
            b = Builder(f"{op} along {axis}")
            x = numbers(rng, 3, 5)
            b.node(op, [b.input("x", x)], "y", axis=axis, keepdims=keep)
            found = function(x, axis=axis)
            cases.append(b.case({"y": np.expand_dims(found, axis) if keep else found}))
    return cases


def normalisations(rng) -> list[Case]:
    cases = []
    for opset, axis in [(13, -1), (13, 1), (11, 1)]:
        b = Builder(f"Softmax along {axis}, version {opset}", opset=opset)
        x = numbers(rng, 2, 5) if opset == 11 else numbers(rng, 2, 5, 3)
        b.node("Softmax", [b.input("x", x)], "y", axis=axis)
        b.node("LogSoftmax", ["x"], "z", axis=axis)
        cases.append(b.case({"y": softmax(x, axis), "z": np.log(softmax(x, axis))}))
    b = Builder("LayerNormalization", opset=17)
    x, gain, shift = numbers(rng, 3, 8), numbers(rng, 8), numbers(rng, 8)
    b.node("LayerNormalization", [b.input("x", x), b.constant("g", gain), b.constant("s", shift)], "y", axis=-1)
    whitened = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)
    cases.append(b.case({"y": whitened * gain + shift}))
    gain, shift, mean = numbers(rng, 3), numbers(rng, 3), numbers(rng, 3)
    variance = numbers(rng, 3, low=0.5, high=2)
    b = Builder("BatchNormalization without a layer")
    x = numbers(rng, 1, 3, 2, 2)
    names = [b.constant(n, v) for n, v in [("g", gain), ("s", shift), ("m", mean), ("v", variance)]]
    b.node("BatchNormalization", [b.input("x", x), *names], "y")

    def normalised(v):
        return (v - mean[:, None, None]) / np.sqrt(variance + 1e-5)[:, None, None] * gain[:, None, None] + shift[:, None, None]

    cases.append(b.case({"y": normalised(x)}))
    for has_bias in (False, True):
        b = Builder(f"BatchNormalization behind Conv, {has_bias}")
        x, w, bias = numbers(rng, 1, 2, 4, 4), numbers(rng, 3, 2, 3, 3, low=-0.5, high=0.5), numbers(rng, 3)
        layer = [b.input("x", x), b.constant("w", w)] + ([b.constant("bias", bias)] if has_bias else [])
        b.node("Conv", layer, "h")
        names = [b.constant(n, v) for n, v in [("g", gain), ("s", shift), ("m", mean), ("v", variance)]]
        b.node("BatchNormalization", ["h", *names], "y")
        cases.append(b.case({"y": normalised(convolved(x, w, bias if has_bias else None))}))
    return cases

"""Models with one layer, and those that move elements."""

from __future__ import annotations

import numpy as np
from models import Builder, Case, convolved, numbers, pooled
from onnx import TensorProto, numpy_helper


def products(rng) -> list[Case]:
    cases = []
    for a, b_, name in [((3, 4), (4, 5), "two matrices"), ((4,), (4, 5), "a row"), ((2, 3, 4), (2, 4, 2), "batches"),
                        ((2, 1, 3, 4), (3, 4, 2), "broadcast batches"), ((3, 4), (4,), "a column")]:
        for constant in ("none", "left", "right"):
            b = Builder(f"MatMul of {name}, constant {constant}")
            x, y = numbers(rng, *a), numbers(rng, *b_)
            left = b.constant("w", x) if constant == "left" else b.input("x", x)
            right = b.constant("w", y) if constant == "right" else b.input("z", y)
            b.node("MatMul", [left, right], "y")
            cases.append(b.case({"y": x @ y}))
    for trans_a, trans_b, alpha, beta in [(0, 0, 1, 1), (0, 1, 0.5, 2), (1, 0, 1, 1), (1, 1, 2, 0.5)]:
        b = Builder(f"Gemm {trans_a} {trans_b} {alpha} {beta}")
        x, w, c = numbers(rng, 2, 3), numbers(rng, 3, 4), numbers(rng, 4)
        a = b.input("x", x.T if trans_a else x)
        b.node("Gemm", [a, b.constant("w", w.T if trans_b else w), b.constant("c", c)], "y", transA=trans_a,
               transB=trans_b, alpha=float(alpha), beta=float(beta))
        cases.append(b.case({"y": alpha * (x @ w) + beta * c}))
    b = Builder("Gemm of two inputs")
    x, w, c = numbers(rng, 2, 3), numbers(rng, 4, 3), numbers(rng, 2, 1)
    b.node("Gemm", [b.input("x", x), b.input("w", w), b.constant("c", c)], "y", transB=1)
    cases.append(b.case({"y": x @ w.T + c}))
    b = Builder("MatMul and Add")
    x, w, c = numbers(rng, 1, 6), numbers(rng, 6, 4), numbers(rng, 4)
    b.node("MatMul", [b.input("x", x), b.constant("w", w)], "h")
    b.node("Add", ["h", b.constant("c", c)], "y")
    cases.append(b.case({"y": x @ w + c}))
    return cases


def convolutions(rng) -> list[Case]:
    cases = []
    for n, inputs, outputs, kernel, stride, pads, dilation, group in [
        (1, 1, 2, (3, 3), (1, 1), (0, 0, 0, 0), (1, 1), 1),
        (1, 3, 4, (3, 3), (1, 1), (1, 1, 1, 1), (1, 1), 1),
        (2, 2, 2, (2, 3), (2, 1), (0, 1, 1, 1), (1, 1), 1),
        (1, 4, 4, (3, 3), (1, 1), (1, 1, 1, 1), (1, 1), 4),
        (1, 4, 6, (3, 3), (2, 2), (1, 0, 0, 1), (1, 1), 2),
        (1, 2, 3, (3, 3), (1, 1), (2, 2, 2, 2), (2, 2), 1),
        (1, 2, 3, (1, 1), (1, 1), (0, 0, 0, 0), (1, 1), 1),
        (1, 2, 1, (3, 3), (1, 1), (0, 0, 0, 0), (1, 1), 1),
        (1, 2, 3, (6, 6), (1, 1), (0, 0, 0, 0), (1, 1), 1),
    ]:
        b = Builder(f"Conv {inputs} to {outputs}, kernel {kernel}, stride {stride}, pads {pads}, group {group}")
        x = numbers(rng, n, inputs, 6, 6)
        w, bias = numbers(rng, outputs, inputs // group, *kernel, low=-0.5, high=0.5), numbers(rng, outputs)
        b.node("Conv", [b.input("x", x), b.constant("w", w), b.constant("c", bias)], "y", kernel_shape=list(kernel),
               strides=list(stride), pads=list(pads), dilations=list(dilation), group=group)
        cases.append(b.case({"y": convolved(x, w, bias, stride, pads, dilation, group)}))
    b = Builder("Conv of a signal")
    x, w = numbers(rng, 1, 2, 7), numbers(rng, 3, 2, 3)
    b.node("Conv", [b.input("x", x), b.constant("w", w)], "y", pads=[1, 1])
    cases.append(b.case({"y": convolved(x[:, :, None], w[:, :, None], None, pads=(0, 1, 0, 1))[:, :, 0]}))
    b = Builder("Conv with automatic pads")
    x, w = numbers(rng, 1, 1, 5, 5), numbers(rng, 1, 1, 2, 2)
    b.node("Conv", [b.input("x", x), b.constant("w", w)], "y", auto_pad="SAME_UPPER")
    cases.append(b.case({"y": convolved(x, w, None, pads=(0, 0, 1, 1))}))
    return cases


def pools(rng) -> list[Case]:
    cases = []
    for kind, op in [("max", "MaxPool"), ("mean", "AveragePool")]:
        for kernel, stride, pads, counts, ceil in [
            ((2, 2), (2, 2), (0, 0, 0, 0), False, False), ((3, 3), (1, 1), (1, 1, 1, 1), False, False),
            ((3, 2), (2, 1), (1, 0, 1, 1), True, False), ((2, 2), (2, 2), (0, 0, 0, 0), False, True),
        ]:
            extent = 5 if ceil else 6
            if ceil and kind == "mean":
                continue
            for channels in (1, 3):
                b = Builder(f"{op} {kernel} {stride} {pads} {channels}")
                x = numbers(rng, 1, channels, extent, extent)
                more = {"count_include_pad": int(counts)} if kind == "mean" else {}
                b.node(op, [b.input("x", x)], "y", kernel_shape=list(kernel), strides=list(stride), pads=list(pads),
                       ceil_mode=int(ceil), **more)
                cases.append(b.case({"y": pooled(x, kernel, stride, pads, kind, counts, ceil)}))
    b = Builder("global pools")
    x = numbers(rng, 2, 3, 4, 5)
    b.node("GlobalAveragePool", [b.input("x", x)], "y")
    b.node("GlobalMaxPool", ["x"], "z")
    cases.append(b.case({"y": x.mean((2, 3), keepdims=True), "z": x.max((2, 3), keepdims=True)}))
    return cases


def shapes(rng) -> list[Case]:
    cases = []
    for before, after in [((2, 3, 4), (6, 4)), ((2, 3, 4), (2, 12)), ((6, 4), (2, 3, 4)), ((2, 3, 4), (4, 6)),
                          ((2, 3, 4), (24,)), ((24,), (4, 3, 2)), ((6, 4), (4, 6)), ((1, 6), (6, 1, 1))]:
        b = Builder(f"Reshape {before} to {after}")
        x = numbers(rng, *before)
        b.node("Reshape", [b.input("x", x), b.constant("s", after, np.int64)], "h")
        b.node("Relu", ["h"], "y")
        cases.append(b.case({"h": x.reshape(after), "y": np.maximum(x.reshape(after), 0)}))
    b = Builder("Reshape by the shape of another tensor")
    x = numbers(rng, 2, 3, 4)
    b.node("Shape", [b.input("x", x)], "shape")
    b.node("Gather", ["shape", b.constant("first", 0, np.int64)], "n", axis=0)
    b.node("Unsqueeze", ["n", b.constant("axes", [0], np.int64)], "n1")
    b.node("Concat", ["n1", b.constant("rest", [-1], np.int64)], "wanted", axis=0)
    b.node("Reshape", ["x", "wanted"], "y")
    cases.append(b.case({"y": x.reshape(2, -1)}))
    b = Builder("Flatten, Transpose, Squeeze, Unsqueeze", opset=11)
    b.node("Transpose", [b.input("x", x)], "t", perm=[2, 0, 1])
    b.node("Flatten", ["t"], "f", axis=2)
    b.node("Unsqueeze", ["f"], "u", axes=[1])
    b.node("Squeeze", ["u"], "y", axes=[1])
    cases.append(b.case({"t": x.transpose(2, 0, 1), "y": x.transpose(2, 0, 1).reshape(8, 3)}))
    b = Builder("Flatten in front of a layer")
    w = numbers(rng, 24, 5)
    b.node("Flatten", [b.input("x", x[None])], "f")
    b.node("Gemm", ["f", b.constant("w", w)], "y")
    cases.append(b.case({"y": x.reshape(1, 24) @ w}))
    b = Builder("parts that do not divide each other")
    z = numbers(rng, 3, 2)
    x = numbers(rng, 2, 3)
    b.node("Reshape", [b.input("x", x), b.constant("s", [6], np.int64)], "a")
    b.node("Reshape", [b.input("z", z), "s"], "c")
    b.node("Add", ["a", "c"], "y")
    cases.append(b.case({"y": x.reshape(6) + z.reshape(6)}))
    return cases


def movements(rng) -> list[Case]:
    cases = []
    x = numbers(rng, 2, 6, 4)
    for axis in (0, 1, 2):
        b = Builder(f"Concat and Split along {axis}")
        b.node("Split", [b.input("x", x)], ["p", "q"], axis=axis)
        b.node("Concat", ["q", "p", b.constant("k", x)], "y", axis=axis)
        p, q = np.split(x, 2, axis=axis)
        cases.append(b.case({"y": np.concatenate([q, p, x], axis=axis)}))
    b = Builder("Split into different parts")
    b.node("Split", [b.input("x", x), b.constant("s", [1, 5], np.int64)], ["p", "q"], axis=1)
    cases.append(b.case({"p": x[:, :1], "q": x[:, 1:]}))
    for starts, ends, axes, steps, expected in [
        ([1], [5], [1], [2], x[:, 1:5:2]), ([-2], [2**63 - 1], [2], [1], x[:, :, -2:]),
        ([-1], [-100], [1], [-2], x[:, ::-2]), ([0, 1], [1, 3], [0, 2], [1, 1], x[:1, :, 1:3]),
    ]:
        b = Builder(f"Slice {starts} {ends} {axes} {steps}")
        values = [b.constant(n, v, np.int64) for n, v in [("s", starts), ("e", ends), ("a", axes), ("t", steps)]]
        b.node("Slice", [b.input("x", x), *values], "y")
        cases.append(b.case({"y": expected}))
    for indices, axis in [(2, 1), ([3, 0, 0], 2), ([-1], 1), ([1, 0], 0)]:
        b = Builder(f"Gather {indices} along {axis}")
        b.node("Gather", [b.input("x", x), b.constant("i", indices, np.int64)], "y", axis=axis)
        cases.append(b.case({"y": np.take(x, indices, axis=axis)}))
    b = Builder("Expand and Tile")
    z = numbers(rng, 3, 1)
    b.node("Expand", [b.input("z", z), b.constant("s", [2, 3, 4], np.int64)], "y")
    b.node("Tile", ["z", b.constant("r", [2, 3], np.int64)], "t")
    cases.append(b.case({"y": np.broadcast_to(z, (2, 3, 4)), "t": np.tile(z, (2, 3))}))
    for value in (0.0, -1.5):
        b = Builder(f"Pad by {value}")
        b.node("Pad", [b.input("x", x), b.constant("p", [0, 1, 2, 1, 0, 1], np.int64), b.constant("v", value)], "y")
        cases.append(b.case({"y": np.pad(x, ((0, 1), (1, 0), (2, 1)), constant_values=value)}))
    b = Builder("folded constants, Identity and Dropout", opset=11)
    b.node("Constant", [], "c", value=numpy_helper.from_array(np.float32(2)))
    b.node("Mul", ["c", b.constant("k", numbers(rng, 4) * 0 + 3)], "six")
    b.node("Identity", [b.input("x", x)], "same")
    b.node("Dropout", ["same"], "kept", ratio=0.5)
    b.node("Mul", ["kept", "six"], "y")
    b.node("ConstantOfShape", [b.constant("s", [4], np.int64)], "ones",
           value=numpy_helper.from_array(np.array([1], np.float32)))
    b.node("Add", ["y", "ones"], "z")
    cases.append(b.case({"y": 6 * x, "z": 6 * x + 1}))
    return cases

"""Whole networks, and models of `ai.onnx.ml`."""

from __future__ import annotations

import math

import numpy as np
from models import Builder, Case, convolved, erf, numbers, pooled, sigmoid, softmax


def weights(rng, *shape: int) -> np.ndarray:
    """Such that sums are about as large as what is summed."""
    return rng.normal(size=shape) / math.sqrt(np.prod(shape[1:]))


def perceptron(rng) -> Case:
    b = Builder("perceptron", tolerance=2e-3)
    x, at, value = numbers(rng, 1, 32), "x", None
    b.input("x", x)
    value = x
    for i, (inputs, outputs) in enumerate([(32, 24), (24, 16), (16, 5)]):
        w, c = weights(rng, outputs, inputs), weights(rng, 1, outputs)[0]
        at = b.node("Gemm", [at, b.constant(f"w{i}", w), b.constant(f"b{i}", c)], f"h{i}", transB=1)
        value = value @ w.T + c
        if i < 2:
            at = b.node("Tanh" if i else "Relu", [at], f"a{i}")
            value = np.tanh(value) if i else np.maximum(value, 0)
    b.node("Softmax", [at], "y")
    return b.case({"y": softmax(value)})


def lenet(rng, activation: str = "Tanh") -> Case:
    """LeNet-5 on images of 28 rows of 28."""
    b = Builder("LeNet-5", tolerance=5e-3)
    function = {"Tanh": np.tanh, "Relu": lambda v: np.maximum(v, 0)}[activation]
    value = numbers(rng, 1, 1, 28, 28, low=0, high=1)
    at = b.input("x", value)
    for i, (outputs, inputs) in enumerate([(6, 1), (16, 6)]):
        w, c = weights(rng, outputs, inputs, 5, 5), weights(rng, 1, outputs)[0]
        at = b.node("Conv", [at, b.constant(f"k{i}", w), b.constant(f"c{i}", c)], f"h{i}", kernel_shape=[5, 5])
        at = b.node(activation, [at], f"a{i}")
        at = b.node("AveragePool", [at], f"p{i}", kernel_shape=[2, 2], strides=[2, 2])
        value = pooled(function(convolved(value, w, c)), (2, 2), (2, 2), kind="mean")
    at, value = b.node("Flatten", [at], "f"), value.reshape(1, -1)
    for i, (inputs, outputs) in enumerate([(256, 120), (120, 84), (84, 10)]):
        w, c = weights(rng, outputs, inputs), weights(rng, 1, outputs)[0]
        at = b.node("Gemm", [at, b.constant(f"w{i}", w), b.constant(f"b{i}", c)], f"d{i}", transB=1)
        value = value @ w.T + c
        if i < 2:
            at, value = b.node(activation, [at], f"e{i}"), function(value)
    return b.case({at: value})


def normalisation(rng, b: Builder, at: str, channels: int, i: int):
    """A `BatchNormalization` and its function."""
    gain, shift, mean = (numbers(rng, channels, low=0.5, high=1) for _ in range(3))
    variance = numbers(rng, channels, low=0.5, high=2)
    names = [b.constant(f"{n}{i}", v) for n, v in [("g", gain), ("s", shift), ("m", mean), ("v", variance)]]
    at = b.node("BatchNormalization", [at, *names], f"n{i}")
    return at, lambda v: ((v - mean[:, None, None]) * (gain / np.sqrt(variance + 1e-5))[:, None, None]
                          + shift[:, None, None])


def residual(rng) -> Case:
    """Two residual blocks of convolutions with normalised batches, the second with a stride."""
    b = Builder("residual network", tolerance=5e-3)
    value = numbers(rng, 1, 3, 8, 8, low=-1, high=1)
    at = b.input("x", value)
    i = 0
    for channels, outputs, stride in [(3, 4, 1), (4, 8, 2)]:
        skip, skipped = at, value
        for k, s in enumerate([stride, 1]):
            w = weights(rng, outputs, channels if k == 0 else outputs, 3, 3)
            at = b.node("Conv", [at, b.constant(f"w{i}", w)], f"c{i}", pads=[1, 1, 1, 1], strides=[s, s])
            value = convolved(value, w, None, (s, s), (1, 1, 1, 1))
            at, function = normalisation(rng, b, at, outputs, i)
            value = function(value)
            if k == 0:
                at, value = b.node("Relu", [at], f"r{i}"), np.maximum(value, 0)
            i += 1
        w = weights(rng, outputs, channels, 1, 1)
        skip = b.node("Conv", [skip, b.constant(f"u{i}", w)], f"d{i}", strides=[stride, stride])
        skipped = convolved(skipped, w, None, (stride, stride))
        at = b.node("Add", [at, skip], f"a{i}")
        at, value = b.node("Relu", [at], f"o{i}"), np.maximum(value + skipped, 0)
    at, value = b.node("GlobalAveragePool", [at], "pool"), value.mean((2, 3), keepdims=True)
    at, value = b.node("Flatten", [at], "flat"), value.reshape(1, -1)
    w = weights(rng, 5, 8)
    b.node("Gemm", [at, b.constant("w", w)], "y", transB=1)
    return b.case({"y": value @ w.T})


def transformer(rng) -> Case:
    """A block of a transformer as PyTorch exports it: heads by `Reshape` and `Transpose`."""
    n, width, heads = 4, 8, 2
    size = width // heads
    b = Builder("transformer", opset=17, tolerance=1e-2)
    x = numbers(rng, 1, n, width)
    b.input("x", x)
    b.constant("shape", [1, n, heads, size], np.int64)
    b.constant("joined", [1, n, width], np.int64)
    parts = {}
    for name, order in [("q", [0, 2, 1, 3]), ("w", [0, 2, 3, 1]), ("o", [0, 2, 1, 3])]:
        w, c = weights(rng, width, width), weights(rng, 1, width)[0]
        b.node("MatMul", ["x", b.constant(f"{name}_w", w)], f"{name}1")
        b.node("Add", [b.constant(f"{name}_b", c), f"{name}1"], f"{name}2")
        b.node("Reshape", [f"{name}2", "shape"], f"{name}3")
        b.node("Transpose", [f"{name}3"], f"{name}4", perm=order)
        parts[name] = (x @ w + c).reshape(1, n, heads, size).transpose(order)
    b.node("MatMul", ["q4", "w4"], "scores")
    b.node("Div", ["scores", b.constant("root", math.sqrt(size))], "scaled")
    b.node("Softmax", ["scaled"], "shares", axis=-1)
    b.node("MatMul", ["shares", "o4"], "mixed")
    b.node("Transpose", ["mixed"], "back", perm=[0, 2, 1, 3])
    b.node("Reshape", ["back", "joined"], "attended")
    shares = softmax(parts["q"] @ parts["w"] / math.sqrt(size))
    value = (shares @ parts["o"]).transpose(0, 2, 1, 3).reshape(1, n, width)
    w = weights(rng, width, width)
    b.node("MatMul", ["attended", b.constant("out_w", w)], "projected")
    b.node("Add", ["projected", "x"], "sum")
    value = value @ w + x
    gain, shift = numbers(rng, width, low=0.5, high=1), numbers(rng, width)
    b.node("LayerNormalization", ["sum", b.constant("gain", gain), b.constant("shift", shift)], "normal", epsilon=1e-5)
    value = (value - value.mean(-1, keepdims=True)) / np.sqrt(value.var(-1, keepdims=True) + 1e-5) * gain + shift
    w = weights(rng, width, 2 * width)
    b.node("MatMul", ["normal", b.constant("up_w", w)], "up")
    # Gelu as exporters write it.
    b.node("Div", ["up", b.constant("two", math.sqrt(2))], "g1")
    b.node("Erf", ["g1"], "g2")
    b.node("Add", ["g2", b.constant("one", 1.0)], "g3")
    b.node("Mul", ["up", "g3"], "g4")
    b.node("Mul", ["g4", b.constant("half", 0.5)], "g5")
    up = value @ w
    value = 0.5 * up * (1 + erf(up / math.sqrt(2)))
    w = weights(rng, 2 * width, width)
    b.node("MatMul", ["g5", b.constant("down_w", w)], "down")
    b.node("Slice", ["down", *(b.constant(k, [v], np.int64) for k, v in [("s", 0), ("e", 1), ("a", 1)])], "first")
    b.node("Squeeze", ["first", b.constant("axis", [1], np.int64)], "y")
    return b.case({"y": (value @ w)[:, 0]})


def networks(rng) -> list[Case]:
    return [perceptron(rng), lenet(rng), lenet(rng, "Relu"), residual(rng), transformer(rng)]


class Trees:
    """Random trees, as lists of attributes and as a function."""

    def __init__(self, rng, n_trees: int, depth: int, n_features: int, n_targets: int, positive: bool = False) -> None:
        self.rng, self.n_features, self.n_targets, self.positive = rng, n_features, n_targets, positive
        self.lists: dict[str, list] = {name: [] for name in (
            "nodes_treeids", "nodes_nodeids", "nodes_featureids", "nodes_values", "nodes_modes", "nodes_truenodeids",
            "nodes_falsenodeids")}
        self.leaves: list[tuple[int, int, int, float]] = []
        self.roots = [self.grow(tree, depth, [0]) for tree in range(n_trees)]

    def grow(self, tree: int, depth: int, next_id: list[int]):
        own = next_id[0]
        next_id[0] += 1
        place = len(self.lists["nodes_nodeids"])
        for values in self.lists.values():
            values.append(0)
        self.lists["nodes_treeids"][place], self.lists["nodes_nodeids"][place] = tree, own
        self.lists["nodes_values"][place] = 0.0
        if depth == 0 or (own > 0 and self.rng.random() < 0.2):
            self.lists["nodes_modes"][place] = "LEAF"
            scores = np.zeros(self.n_targets)
            for target in range(self.n_targets):
                scores[target] = numbers(self.rng, 1, low=0 if self.positive else -1, high=0.25)[0]
                self.leaves.append((tree, own, target, scores[target]))
            return scores
        mode = str(self.rng.choice(["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GT", "BRANCH_GTE"]))
        feature, threshold = int(self.rng.integers(self.n_features)), float(numbers(self.rng, 1)[0])
        true = self.lists["nodes_truenodeids"], next_id[0]
        left = self.grow(tree, depth - 1, next_id)
        false = self.lists["nodes_falsenodeids"], next_id[0]
        right = self.grow(tree, depth - 1, next_id)
        for values, child in (true, false):
            values[place] = child
        self.lists["nodes_modes"][place], self.lists["nodes_featureids"][place] = mode, feature
        self.lists["nodes_values"][place] = threshold
        return mode, feature, threshold, left, right

    def scores(self, row: np.ndarray) -> np.ndarray:
        total = np.zeros(self.n_targets)
        for node in self.roots:
            while isinstance(node, tuple):
                mode, feature, threshold, left, right = node
                v = row[feature]
                holds = {"BRANCH_LEQ": v <= threshold, "BRANCH_LT": v < threshold, "BRANCH_GT": v > threshold,
                         "BRANCH_GTE": v >= threshold}[mode]
                node = left if holds else right
            total += node
        return total

    def attributes(self, prefix: str, target: int | None = None) -> dict:
        trees, nodes, targets, values = zip(*self.leaves)
        ids = [target] * len(targets) if target is not None else list(targets)
        return self.lists | {f"{prefix}_treeids": list(trees), f"{prefix}_nodeids": list(nodes),
                             f"{prefix}_ids": ids, f"{prefix}_weights": [float(v) for v in values]}


def ensembles(rng) -> list[Case]:
    cases = []
    for n, n_targets, aggregate in [(1, 1, "SUM"), (3, 2, "AVERAGE")]:
        b = Builder(f"TreeEnsembleRegressor, {n} rows, {aggregate}")
        trees = Trees(rng, 5, 3, 4, n_targets)
        x = numbers(rng, n, 4)
        x[0, trees.roots[0][1]] = trees.roots[0][2]  # equal to a threshold
        base = [0.5] * n_targets
        b.node("TreeEnsembleRegressor", [b.input("x", x)], "y", domain="ai.onnx.ml", n_targets=n_targets,
               aggregate_function=aggregate, base_values=base, **trees.attributes("target"))
        total = np.array([trees.scores(row) for row in x])
        cases.append(b.case({"y": total / (5 if aggregate == "AVERAGE" else 1) + 0.5}))
    for transform, labels in [("NONE", [0, 1, 2]), ("SOFTMAX", [7, 3, 9])]:
        b = Builder(f"TreeEnsembleClassifier, {transform}")
        trees = Trees(rng, 4, 2, 3, 3)
        x = numbers(rng, 2, 3)
        b.node("TreeEnsembleClassifier", [b.input("x", x)], ["label", "scores"], domain="ai.onnx.ml",
               classlabels_int64s=labels, post_transform=transform, **trees.attributes("class"))
        scores = np.array([trees.scores(row) for row in x])
        found = [labels[i] for i in scores.argmax(1)]
        cases.append(b.case({"label": np.array(found), "scores": softmax(scores) if transform == "SOFTMAX" else scores}))
    for positive, transform in [(True, "NONE"), (False, "LOGISTIC"), (False, "NONE")]:
        b = Builder(f"TreeEnsembleClassifier of two classes, {transform}, positive {positive}")
        trees = Trees(rng, 4, 3, 3, 1, positive)
        x = numbers(rng, 2, 3)
        b.node("TreeEnsembleClassifier", [b.input("x", x)], ["label", "scores"], domain="ai.onnx.ml",
               classlabels_int64s=[0, 1], post_transform=transform, **trees.attributes("class", 1))
        s = np.array([trees.scores(row)[0] for row in x])
        both = [1 - s, s] if positive else [-s, s]
        both = sigmoid(np.array(both)) if transform == "LOGISTIC" else np.array(both)
        cases.append(b.case({"label": (s > (0.5 if positive else 0)).astype(float), "scores": both.T}))
    return cases


def classical(rng) -> list[Case]:
    cases = ensembles(rng)
    x, w, c = numbers(rng, 2, 4), numbers(rng, 3, 4), numbers(rng, 3)
    b = Builder("LinearClassifier behind Scaler, with ZipMap")
    offset, scale = numbers(rng, 4), numbers(rng, 4)
    b.node("Scaler", [b.input("x", x)], "scaled", domain="ai.onnx.ml", offset=offset.tolist(), scale=scale.tolist())
    b.node("LinearClassifier", ["scaled"], ["label", "p"], domain="ai.onnx.ml", coefficients=w.ravel().tolist(),
           intercepts=c.tolist(), classlabels_ints=[1, 2, 3], post_transform="SOFTMAX")
    b.node("ZipMap", ["p"], "maps", domain="ai.onnx.ml", classlabels_int64s=[1, 2, 3])
    scores = ((x - offset) * scale) @ w.T + c
    cases.append(b.case({"label": scores.argmax(1) + 1, "maps": softmax(scores)}))
    b = Builder("LinearRegressor")
    b.node("LinearRegressor", [b.input("x", x)], "y", domain="ai.onnx.ml", coefficients=w.ravel().tolist(),
           intercepts=c.tolist(), targets=3)
    cases.append(b.case({"y": x @ w.T + c}))
    return cases

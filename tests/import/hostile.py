#!/usr/bin/env python3
"""Damaged models: each is an error with exit code 1, or a program without errors; never a crash.

usage: hostile.py TACET [--seed N] [--runs N]
"""

from __future__ import annotations

import argparse
import pathlib
import random
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import onnx
except ImportError:
    print("skipped: python3-numpy or python3-onnx is not installed")
    sys.exit(77)

import layers
import networks
import operators

TOPICS = [operators.binary, operators.selection, operators.reductions, operators.normalisations, layers.products,
          layers.convolutions, layers.pools, layers.shapes, layers.movements, networks.classical]
INTEGERS = [0, 1, -1, 2, 3, 5, 7, 64, 1 << 20, 1 << 31, (1 << 63) - 1, -(1 << 63)]


def changed_bytes(model: bytes) -> bytes:
    text = bytearray(model)
    if random.random() < 0.3:
        return bytes(text[:random.randrange(len(text))])
    for _ in range(random.randint(1, 6)):
        text[random.randrange(len(text))] = random.choice([random.randrange(256), 0, 0xff, 0x7f, 0x80])
    return bytes(text)


def changed_node(node, names: list[str]) -> None:
    kind = random.randrange(5)
    if kind == 0 and node.input:
        node.input[random.randrange(len(node.input))] = random.choice([*names, "", "nowhere"])
    elif kind == 1 and node.input:
        del node.input[random.randrange(len(node.input))]
    elif kind == 2:
        node.input.append(random.choice(names))
    elif kind == 3 and node.attribute:
        attribute = random.choice(node.attribute)
        attribute.i = random.choice(INTEGERS)
        for i in range(len(attribute.ints)):
            if random.random() < 0.4:
                attribute.ints[i] = random.choice(INTEGERS)
        for i in range(len(attribute.floats)):
            if random.random() < 0.1:
                attribute.floats[i] = random.choice([float("nan"), float("inf"), 1e30, 0.0, -1.0])
    elif kind == 4 and node.attribute:
        del node.attribute[random.randrange(len(node.attribute))]


def changed_graph(model: onnx.ModelProto) -> bytes:
    """Changes what the fields say, so that the text stays well-formed."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    graph = copy.graph
    names = [name for node in graph.node for name in [*node.input, *node.output]]
    for _ in range(random.randint(1, 3)):
        if random.random() < 0.6:
            changed_node(random.choice(graph.node), names)
        elif graph.initializer and random.random() < 0.7:
            tensor = random.choice(graph.initializer)
            n_elements = int(np.prod(list(tensor.dims)))
            if random.random() < 0.5 or len(tensor.raw_data) != n_elements * (8 if tensor.data_type == 7 else 4):
                tensor.dims.append(random.choice([0, 1, 2, -1]))
            else:
                values = np.array(onnx.numpy_helper.to_array(tensor))
                if values.size:
                    flat = values.reshape(-1)
                    flat[random.randrange(flat.size)] = random.choice([0, -1, 3, 1 << 20])
                    tensor.CopyFrom(onnx.numpy_helper.from_array(values, tensor.name))
        else:
            dims = graph.input[0].type.tensor_type.shape.dim
            if dims:
                random.choice(dims).dim_value = random.choice([1, 2, 3, 4, 6, 0, 1 << 40])
    return copy.SerializeToString()


def fault(tacet: str, model: bytes, folder: pathlib.Path) -> str:
    (folder / "model.onnx").write_bytes(model)
    done = subprocess.run([tacet, "import", "model.onnx", "-o", "model.tacet"], cwd=folder, capture_output=True,
                          text=True, check=False, timeout=60)
    if done.returncode == 1 and done.stderr.startswith("tacet: error: ") and done.stderr.count("\n") == 1:
        return ""
    if done.returncode != 0:
        return f"exit code {done.returncode}: {done.stderr}"
    checked = subprocess.run([tacet, "check", "model.tacet"], cwd=folder, capture_output=True, text=True, check=False,
                             timeout=60)
    return "" if checked.returncode == 0 else checked.stdout + (folder / "model.tacet").read_text()


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("tacet", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=int, default=600)
    options = parser.parse_args()
    random.seed(options.seed)
    rng = np.random.default_rng(options.seed)
    models = [case.model for topic in TOPICS for case in topic(rng)]
    wrong = 0
    with tempfile.TemporaryDirectory() as name:
        for run in range(options.runs):
            model = random.choice(models)
            text = changed_graph(model) if run % 3 else changed_bytes(model.SerializeToString())
            found = fault(str(options.tacet.resolve()), text, pathlib.Path(name))
            if found:
                wrong += 1
                (pathlib.Path(tempfile.gettempdir()) / f"tacet-import-{options.seed}-{run}.onnx").write_bytes(text)
                print(f"run {run}: {found}")
    print(f"{options.runs} damaged models, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

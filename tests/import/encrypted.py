#!/usr/bin/env python3
"""Imported networks on encrypted inputs, with bounds by samples, against double precision.

usage: encrypted.py TACET
"""

from __future__ import annotations

import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import onnx
except ImportError:
    print("skipped: python3-numpy or python3-onnx is not installed")
    sys.exit(77)

import agree
from models import Builder, convolved, numbers, pooled
from networks import weights


def perceptron(rng, activation: str, function, samples: np.ndarray):
    """Three layers of 16, 12 and 4 units, and what it computes of a row."""
    b = Builder(f"perceptron with {activation}")
    at, parts = b.input("x", samples[:1]), []
    for i, (inputs, outputs) in enumerate([(8, 16), (16, 12), (12, 4)]):
        w, c = weights(rng, outputs, inputs), 0.1 * weights(rng, 1, outputs)[0]
        parts.append((w, c))
        at = b.node("Gemm", [at, b.constant(f"w{i}", w), b.constant(f"b{i}", c)], f"h{i}", transB=1)
        if i < 2:
            at = b.node("Mul", [at, at], f"a{i}") if activation == "Mul" else b.node(activation, [at], f"a{i}")

    def compute(value):
        for i, (w, c) in enumerate(parts):
            value = value @ w.T + c
            value = function(value) if i < 2 else value
        return value

    return b.case({at: compute(samples[:1])})


def small_convolution(rng, samples: np.ndarray):
    """A convolution, squares, means of four, and a dense layer."""
    b = Builder("convolution")
    w, c, d = weights(rng, 2, 1, 3, 3), 0.1 * weights(rng, 1, 2)[0], weights(rng, 3, 18)
    at = b.node("Conv", [b.input("x", samples[:1]), b.constant("w", w), b.constant("c", c)], "h")
    at = b.node("Mul", [at, at], "s")
    at = b.node("AveragePool", [at], "p", kernel_shape=[2, 2], strides=[2, 2])
    at = b.node("Flatten", [at], "f")
    b.node("Gemm", [at, b.constant("d", d)], "y", transB=1)
    value = pooled(convolved(samples[:1], w, c) ** 2, (2, 2), (2, 2), kind="mean").reshape(1, -1)
    return b.case({"y": value @ d.T})


def fault(tacet: str, case, samples: np.ndarray, folder: pathlib.Path) -> str:
    onnx.save(case.model, folder / "model.onnx")
    np.save(folder / "samples.npy", samples)
    np.save(folder / "x.npy", np.squeeze(samples[0]))
    done = subprocess.run([tacet, "import", "model.onnx", "-o", "model.tacet", "--calibrate", "samples.npy", "--device",
                           "he"], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return done.stderr
    # The line that is printed as the next step, as it is.
    command = done.stderr.rstrip("\n").splitlines()[-1].split()
    done = subprocess.run([tacet, *command[1:], "--check", "--stats", "--scheme", "ckks"], cwd=folder,
                          capture_output=True, text=True, check=False)
    found = agree.found_outputs(done.stdout)
    if done.returncode != 0 or len(found) != 1:
        return done.stdout + done.stderr + (folder / "model.tacet").read_text()
    text = (folder / "model.tacet").read_text()
    tolerance = float(text.split("] within ")[1].split()[0])
    error = np.max(np.abs(found[0] - np.squeeze(case.outputs[0])))
    total = [line.split()[1] for line in done.stdout.splitlines() if line.split()[:1] == ["total"]]
    print(f"{case.name}: {error:.2g} of {tolerance}, {' '.join(total)} s")
    return "" if error <= tolerance + 2e-3 else f"off by {error}"


def main() -> int:
    tacet = str(pathlib.Path(sys.argv[1]).resolve())
    rng = np.random.default_rng(1)
    samples = numbers(rng, 20, 8, low=-1, high=1)
    images = numbers(rng, 20, 1, 8, 8, low=0, high=1)
    runs = [(perceptron(rng, "Mul", lambda v: v * v, samples), samples),
            (perceptron(rng, "Tanh", np.tanh, samples), samples),
            (perceptron(rng, "Sigmoid", lambda v: 1 / (1 + np.exp(-v)), samples), samples),
            (small_convolution(rng, images), images)]
    wrong = 0
    for case, values in runs:
        with tempfile.TemporaryDirectory() as name:
            found = fault(tacet, case, values, pathlib.Path(name))
            wrong += bool(found)
            if found:
                print(f"{case.name}: {found}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

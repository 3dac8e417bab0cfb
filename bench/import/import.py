#!/usr/bin/env python3
"""Times of `tacet import`, and of compiling what it writes, for a perceptron and for LeNet-5.

usage: import.py TACET

The models have random weights of usual sizes, and are made with python3-onnx (`/usr/bin/python3`). Each
line has the median of five runs: the import, with 20 samples; the check of the program; and what
`tacet build` (encryption) or a run by three parties without its evaluation takes.
"""

from __future__ import annotations

import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnx

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "import"))
from models import Builder  # noqa: E402
from networks import lenet, weights  # noqa: E402


def perceptron(rng, sizes: list[int], activation: str):
    b = Builder("perceptron")
    at = b.input("x", np.zeros((1, sizes[0])))
    for i, (inputs, outputs) in enumerate(zip(sizes, sizes[1:])):
        w, c = weights(rng, outputs, inputs), 0.1 * weights(rng, 1, outputs)[0]
        at = b.node("Gemm", [at, b.constant(f"w{i}", w), b.constant(f"b{i}", c)], f"h{i}", transB=1)
        if i + 2 < len(sizes):
            at = b.node("Mul", [at, at], f"a{i}") if activation == "Mul" else b.node(activation, [at], f"a{i}")
    return b.case({at: np.zeros((1, sizes[-1]))}).model


def timed(command: list[str], folder: pathlib.Path, runs: int) -> float:
    times = []
    for _ in range(runs):
        begin = time.perf_counter()
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=600)
        times.append(time.perf_counter() - begin)
        if done.returncode != 0:
            print(f"  {' '.join(command[1:3])}: {done.stderr.strip().splitlines()[-1][:200]}")
            return float("nan")
    return statistics.median(times)


def measure(tacet: str, name: str, model, samples: np.ndarray, device: str, runs: int, more: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder_name:
        folder = pathlib.Path(folder_name)
        onnx.save(model, folder / "model.onnx")
        np.save(folder / "samples.npy", samples)
        np.save(folder / "x.npy", np.squeeze(samples[0]))
        imported = timed([tacet, "import", "model.onnx", "-o", "model.tacet", "--calibrate", "samples.npy", "--device",
                          device, *more], folder, runs)
        checked = timed([tacet, "check", "model.tacet"], folder, runs)
        if device == "he":
            last = timed([tacet, "build", "model.tacet", "--fn", "model", "--unhidden", "-o", "model.he"], folder, runs)
            what = "build"
        else:
            last = timed([tacet, "emit", "model.tacet", "--fn", "model", "--stage", "mpc"], folder, runs)
            what = "compile"
        print(f"{name}, {device}: import {imported:.3f} s, check {checked:.3f} s, {what} {last:.3f} s", flush=True)


def main() -> None:
    tacet = str(pathlib.Path(sys.argv[1]).resolve())
    rng = np.random.default_rng(1)
    rows, images = rng.uniform(size=(20, 784)), rng.uniform(size=(20, 1, 28, 28))
    for activation in ("Mul", "Tanh"):
        model = perceptron(rng, [784, 128, 64, 10], activation)
        for device in ("mpc", "he"):
            measure(tacet, f"perceptron of 784, 128, 64 and 10 with {activation}", model, rows, device, 5, [])
    measure(tacet, "LeNet-5", lenet(rng).model, images, "mpc", 5, [])
    measure(tacet, "LeNet-5", lenet(rng).model, images, "he", 1, ["--within", "0.5"])


if __name__ == "__main__":
    main()

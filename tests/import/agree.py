#!/usr/bin/env python3
"""Models in the format of ONNX, imported and run in plaintext and by parties, against formulas in double
precision, which share no code with the importer.

usage: agree.py TACET [--seed N] [--filter TEXT] [--device ref|mpc]
"""

from __future__ import annotations

import argparse
import json
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
from models import Case

TOPICS = [operators.unary, operators.binary, operators.selection, operators.reductions, operators.normalisations,
          layers.products, layers.convolutions, layers.pools, layers.shapes, layers.movements, networks.networks,
          networks.classical]


def identifier(name: str) -> str:
    return f"{name}_value" if name in "ijklmnpqrstuv" else name


def found_outputs(text: str) -> list[np.ndarray]:
    return [np.array(json.loads(line.split(" = ", 1)[1]), dtype=float)
            for line in text.splitlines() if line.startswith("out")]


def run(tacet: str, case: Case, device: str, folder: pathlib.Path) -> list[np.ndarray]:
    onnx.save(case.model, folder / "model.onnx")
    for name, value in case.inputs.items():
        np.save(folder / f"{name}.npy", np.squeeze(value))
    done = subprocess.run([tacet, "import", "model.onnx", "-o", "model.tacet", "--device", "mpc", *case.options],
                          cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    checked = subprocess.run([tacet, "check", "model.tacet"], cwd=folder, capture_output=True, text=True, check=False)
    formatted = subprocess.run([tacet, "fmt", "--check", "model.tacet"], cwd=folder, capture_output=True, text=True,
                               check=False)
    if checked.returncode != 0 or formatted.returncode != 0:
        raise RuntimeError(checked.stdout + formatted.stdout)
    weights = ["--input", "@model.weights.npz"] if (folder / "model.weights.npz").exists() else []
    given = [word for name in case.inputs for word in ("--input", f"{identifier(name)}=@{name}.npy")]
    done = subprocess.run([tacet, "run", "model.tacet", "--fn", "model", "--device", device, *given, *weights],
                          cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stdout + done.stderr + (folder / "model.tacet").read_text())
    return found_outputs(done.stdout)


def fault(tacet: str, case: Case, device: str) -> str:
    """What is wrong with a case, or nothing."""
    with tempfile.TemporaryDirectory() as name:
        try:
            found = run(tacet, case, device, pathlib.Path(name))
        except RuntimeError as error:
            return str(error)
        if len(found) != len(case.outputs):
            return f"{len(found)} results, expected {len(case.outputs)}"
        for got, expected in zip(found, case.outputs):
            wanted = np.squeeze(np.asarray(expected, dtype=float))
            if got.shape != wanted.shape:
                return f"shape {got.shape}, expected {wanted.shape}"
            error = np.max(np.abs(got - wanted) / np.maximum(np.abs(wanted), 1))
            if not error <= case.tolerance:
                return f"off by {error:.3g}:\n{got}\nexpected:\n{wanted}\n" + (pathlib.Path(name) / "model.tacet").read_text()
    return ""


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("tacet", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--filter", default="")
    parser.add_argument("--device", choices=["ref", "mpc"], default="ref")
    options = parser.parse_args()
    random.seed(options.seed)
    rng = np.random.default_rng(options.seed)
    wrong = n_cases = 0
    for topic in TOPICS:
        for case in topic(rng):
            if options.filter not in case.name:
                continue
            n_cases += 1
            found = fault(str(options.tacet.resolve()), case, options.device)
            if found:
                wrong += 1
                print(f"{case.name}: {found}")
    print(f"{n_cases} models, {wrong} wrong")
    return 1 if wrong or n_cases == 0 else 0


if __name__ == "__main__":
    sys.exit(main())

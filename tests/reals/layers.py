#!/usr/bin/env python3
"""Random layers of encrypted reals, whose sums are bounded by norms and by what functions promise.

usage: layers.py TACET [--programs N] [--first SEED]

Each program is a layer, a function and a second layer, with a tolerance. Inputs are random, or along a
row of weights, so that a sum is as large as its norms allow, or as a function that is called promises.
Prints what is off by more than the tolerance; exits with 1 if there is such a program, or if fewer than
half were computed.
"""

from __future__ import annotations

import argparse
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

UNIT = 2.0**-18
FUNCTIONS = {
    "sigmoid(h)": lambda h: 1 / (1 + math.exp(-h)),
    "tanh(h)": math.tanh,
    "max(h, 0.0)": lambda h: max(h, 0.0),
    "abs(h)": abs,
    "exp(0.5 * h)": lambda h: math.exp(0.5 * h),
    "h * h": lambda h: h * h,
}


def norm(v: list[float]) -> float:
    return math.sqrt(sum(a * a for a in v))


def to_units(v: list[float]) -> list[float]:
    """Towards 0, so that no norm grows."""
    return [math.trunc(a / UNIT) * UNIT for a in v]


def of_norm(v: list[float], most: float, largest: float) -> list[float]:
    factor = min(most / max(norm(v), 1e-9), largest / max(max(map(abs, v)), 1e-9))
    return to_units([a * factor for a in v])


class Layers:
    def __init__(self, seed: int) -> None:
        self.source = random.Random(seed)
        pick = self.source.choice
        self.n, self.m = pick([1, 2, 3, 7, 16, 33, 100]), pick([1, 2, 5, 8, 13])
        self.of_x, self.of_w = pick([0.5, 1.0, 2.0]), pick([0.75, 1.5])
        self.function = pick(list(FUNCTIONS))
        self.tolerance = pick([0.5, 0.1, 0.03])
        self.shift = pick([0.0, 0.25, -0.5])
        self.promise = pick([None, round(0.4 * self.of_x * self.of_w + abs(self.shift), 3)])
        self.w = [self.random_row(self.n, self.of_w) for _ in range(self.m)]
        self.v = [to_units([self.source.uniform(-1, 0.999) for _ in range(self.m)]) for _ in range(2)]

    def random_row(self, n: int, most: float) -> list[float]:
        return of_norm([self.source.gauss(0, 1) for _ in range(n)], most * self.source.choice([1, 1, 0.3]), 1.99)

    def text(self) -> str:
        function = (f"fn(he) g(h: secret fxp in -{self.promise}..{self.promise}) -> secret fxp {{ {self.function} }}\n"
                    if self.promise else "")
        value = "g(s)" if self.promise else self.function
        name = "s" if self.promise else "h"
        return (f"#version 0.1.0\n\n{function}"
                f"fn(he) f(x: secret [fxp; {self.n}] in -2..2 norm {self.of_x} from client, w: [fxp; {self.m}, {self.n}] in "
                f"-2..2 norm {self.of_w}, v: [fxp; 2, {self.m}] in -1..1) -> secret [fxp; 2] within {self.tolerance} {{\n"
                f"    let sums = for i: {self.m} {{ sum(for j: {self.n} {{ w[i][j] * x[j] }}) + {self.shift} }};\n"
                f"    let after = for {name}: sums {{ {value} }};\n"
                f"    for k: 2 {{ sum(for i: {self.m} {{ v[k][i] * after[i] }}) }}\n}}\n")

    def inputs(self) -> list[float]:
        if self.source.random() < 0.7:
            x = of_norm(self.source.choice(self.w), self.of_x, 1.99)
        else:
            x = self.random_row(self.n, self.of_x)
        if self.source.random() < 0.5:
            x = [-a for a in x]
        if self.promise:
            largest = max(abs(self.sum_of(row, x)) for row in self.w)
            if largest >= self.promise:
                room = (self.promise - abs(self.shift)) / max(max(abs(self.sum_of(row, x) - self.shift) for row in self.w), 1e-9)
                x = to_units([a * min(room, 1) * (1 - 1e-4) for a in x])
        return x

    def sum_of(self, row: list[float], x: list[float]) -> float:
        return sum(a * b for a, b in zip(row, x)) + self.shift

    def meaning(self, x: list[float]) -> list[float]:
        after = [FUNCTIONS[self.function](self.sum_of(row, x)) for row in self.w]
        return [sum(a * b for a, b in zip(row, after)) for row in self.v]


def run(tacet: str, folder: pathlib.Path, layers: Layers, x: list[float]) -> list[float] | None:
    (folder / "f.tacet").write_text(layers.text())
    for name, value in [("x", x), ("w", layers.w), ("v", layers.v)]:
        (folder / f"{name}.json").write_text(json.dumps(value))
    done = subprocess.run([tacet, "run", "f.tacet", "--fn", "f", "--device", "he", "--scheme", "ckks", "@x.json",
                           "@w.json", "@v.json"], cwd=folder, capture_output=True, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith("out = ")]
    if lines:
        return json.loads(lines[0][6:])
    if "cannot compile" not in done.stderr and "T6013" not in done.stderr:
        raise RuntimeError(f"{layers.text()}\n{done.stdout}{done.stderr}")
    return None


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("tacet", type=pathlib.Path)
    parser.add_argument("--programs", type=int, default=20)
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()
    tacet = str(options.tacet.resolve())
    wrong = computed = 0
    largest = 0.0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.first, options.first + options.programs):
            layers = Layers(seed)
            x = layers.inputs()
            found = run(tacet, pathlib.Path(folder), layers, x)
            if found is None:
                continue
            computed += 1
            error = max(abs(a - b) for a, b in zip(found, layers.meaning(x)))
            largest = max(largest, error / layers.tolerance)
            if error > layers.tolerance:
                wrong += 1
                print(f"seed {seed}: off by {error}\n{layers.text()}")
    print(f"{computed} of {options.programs} programs computed, {wrong} wrong, the largest error {largest:.2f} of its tolerance")
    return 1 if wrong or 2 * computed < options.programs else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Random convolutional networks of encrypted reals, with squares, `tanh` or `sigmoid` between the layers.

usage: convolutions.py TACET [--programs N] [--first SEED]

Their layouts move elements with masks and rotations, and the compiler bounds errors slot by slot. Weights are
random, all the same and as large as can be, so that errors add up, or rows of opposite signs; tolerances are so small that
encryption hardly meets them. Prints what is off by more than the tolerance, and the largest part of it; exits with 1 if
there is such a program, or if fewer than half were computed.
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
    "h * h": lambda h: h * h,
    "tanh(h)": math.tanh,
    "sigmoid(h)": lambda h: 1 / (1 + math.exp(-h)),
}


def in_units(number: float) -> float:
    return int(number / UNIT) * UNIT


class Network:
    def __init__(self, seed: int) -> None:
        self.source = random.Random(seed)
        pick = self.source.choice
        self.size, self.kernel, self.stride = pick([5, 7, 8, 11]), pick([2, 3]), pick([1, 2])
        self.maps, self.units, self.outputs = pick([1, 2, 3, 5]), pick([2, 4, 7]), pick([1, 3, 6])
        self.side = (self.size - self.kernel) // self.stride + 1
        self.is_pooled = self.side % 2 == 0 and pick([True, False])
        self.of_first, self.of_second = pick([0.5, 1.0, 2.0]), pick([0.5, 1.0, 2.0])
        self.tolerance = pick([0.01, 0.0005, 0.00003])
        self.kind = pick(["random", "equal", "opposed"])
        self.function = pick(list(FUNCTIONS))
        self.compute = FUNCTIONS[self.function]
        self.last = self.side // 2 if self.is_pooled else self.side
        n = self.kernel**2
        self.k = [self.row(c, n, self.of_first / n) for c in range(self.maps)]
        n = self.maps * self.last**2
        largest = max(abs(self.compute(self.of_first)), abs(self.compute(-self.of_first)))
        self.w = [self.row(o, n, self.of_second / (n * largest)) for o in range(self.units)]
        self.v = [self.row(o, self.units, 1 - UNIT) for o in range(self.outputs)]

    def row(self, number: int, n: int, largest: float) -> list[float]:
        if self.kind == "random":
            return [in_units(self.source.uniform(-largest, largest)) for _ in range(n)]
        signs = [(number + 2 * i // n) % 2 == 0 if self.kind == "opposed" else True for i in range(n)]
        return [in_units(largest if sign else -largest) for sign in signs]

    def image(self) -> list[list[float]]:
        kind = self.source.choice(["random", "ones", "edge"])
        n = self.size
        if kind == "ones":
            return [[1.0 - UNIT] * n for _ in range(n)]
        if kind == "edge":
            return [[1.0 - UNIT if j > i else -1.0 for j in range(n)] for i in range(n)]
        return [[in_units(self.source.uniform(-1, 1)) for _ in range(n)] for _ in range(n)]

    def text(self) -> str:
        def bound(rows: list[list[float]]) -> str:
            most = 2 * UNIT + max(abs(a) for row in rows for a in row)
            return f"in -{most:.9f}..{most:.9f}"

        m, h, z, l = self.maps, self.side, self.kernel, self.last
        pooled = f"""    let p = for c: {m} {{ for i: {l} {{ for j: {l} {{
        0.25 * (h[c][2 * i][2 * j] + h[c][2 * i + 1][2 * j] + h[c][2 * i][2 * j + 1] + h[c][2 * i + 1][2 * j + 1])
    }} }} }};
""" if self.is_pooled else ""
        source = "p" if self.is_pooled else "h"
        first, second = self.of_first + 2 * UNIT, self.of_second + 2 * UNIT
        return f"""#version 0.1.0

fn(he) first(h: secret fxp in -{first}..{first}) -> secret fxp {{ {self.function} }}

fn(he) second(h: secret fxp in -{second}..{second}) -> secret fxp {{ {self.function} }}

fn(he) network(x: secret [fxp; {self.size}, {self.size}] in -1..1 from client,
               k: [fxp; {m}, {z}, {z}] {bound(self.k)},
               w: [fxp; {self.units}, {m}, {l}, {l}] {bound(self.w)},
               v: [fxp; {self.outputs}, {self.units}] in -1..1) -> secret [fxp; {self.outputs}] within {self.tolerance:.9f} {{
    let a = for c: {m} {{ for i: {h} {{ for j: {h} {{
        sum(for s: {z} {{ sum(for t: {z} {{ k[c][s][t] * x[{self.stride} * i + s][{self.stride} * j + t] }}) }})
    }} }} }};
    let h = for c: {m} {{ for i: {h} {{ for j: {h} {{ first(a[c][i][j]) }} }} }};
{pooled}    let b = for o: {self.units} {{ sum(for c: {m} {{ sum(for i: {l} {{ sum(for j: {l} {{ w[o][c][i][j] * {source}[c][i][j] }}) }}) }}) }};
    let g = for o: {self.units} {{ second(b[o]) }};
    for o: {self.outputs} {{ sum(for n: {self.units} {{ v[o][n] * g[n] }}) }}
}}
"""

    def expected(self, x: list[list[float]]) -> list[float]:
        z, s, h = self.kernel, self.stride, self.side
        maps = [
            [
                [
                    self.compute(sum(k[p * z + q] * x[s * i + p][s * j + q] for p in range(z) for q in range(z)))
                    for j in range(h)
                ]
                for i in range(h)
            ]
            for k in self.k
        ]
        if self.is_pooled:
            maps = [
                [
                    [(m[2 * i][2 * j] + m[2 * i + 1][2 * j] + m[2 * i][2 * j + 1] + m[2 * i + 1][2 * j + 1]) / 4
                     for j in range(self.last)]
                    for i in range(self.last)
                ]
                for m in maps
            ]
        flat = [a for m in maps for row in m for a in row]
        units = [self.compute(sum(a * b for a, b in zip(row, flat))) for row in self.w]
        return [sum(a * b for a, b in zip(row, units)) for row in self.v]

    def arguments(self, x: list[list[float]]) -> list[str]:
        z, l = self.kernel, self.last
        k = [[row[p * z : (p + 1) * z] for p in range(z)] for row in self.k]
        w = [[[row[(c * l + i) * l : (c * l + i + 1) * l] for i in range(l)] for c in range(self.maps)] for row in self.w]
        return [json.dumps(value) for value in (x, k, w, self.v)]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("tacet", type=pathlib.Path)
    parser.add_argument("--programs", type=int, default=4)
    parser.add_argument("--first", type=int, default=1)
    options = parser.parse_args()
    tacet = str(options.tacet.resolve())
    n_computed, n_wrong, largest = 0, 0, 0.0
    with tempfile.TemporaryDirectory() as name:
        file = pathlib.Path(name) / "network.tacet"
        for seed in range(options.first, options.first + options.programs):
            network = Network(seed)
            file.write_text(network.text())
            x = network.image()
            done = subprocess.run([tacet, "run", str(file), "--fn", "network", "--device", "he", "--scheme", "ckks",
                                   *network.arguments(x)], capture_output=True, text=True, check=False)
            lines = [line for line in done.stdout.splitlines() if line.startswith("out = ")]
            if not lines:
                known = ("cannot compile", "cannot reach", "is rounded")
                if done.returncode < 0 or not any(word in done.stderr for word in known):
                    print(f"{seed}: {done.returncode} {done.stdout}{done.stderr}")
                    n_wrong += 1
                continue
            n_computed += 1
            error = max(abs(a - b) for a, b in zip(json.loads(lines[0][6:]), network.expected(x)))
            largest = max(largest, error / network.tolerance)
            if not error <= network.tolerance:
                print(f"{seed}: off by {error:.3g}, but within {network.tolerance:.3g}\n{network.text()}")
                n_wrong += 1
    print(f"{n_computed} of {options.programs} computed, {n_wrong} wrong, the largest error {largest:.3g} of its tolerance")
    return 1 if n_wrong or 2 * n_computed < options.programs else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Random programs of encrypted reals that are too deep for any ring, so that they are bootstrapped.

usage: deep.py TACET [--programs N] [--first SEED] [--compile-only]

Each program is a sequence of steps on an array, which keep numbers in -1..1 and do not enlarge errors:
polynomials, functions, mixtures with earlier steps and with the input, sums over rows of weights. Inputs have
the ends of their range. Prints what is off by more than the tolerance; exits with 1 if there is such a
program, or if fewer than half were computed. A program takes about a minute and 12 GB.
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

N = 16
FUNCTIONS = [
    ("v * (0.9375 - 0.25 * (v * v))", lambda v: v * (0.9375 - 0.25 * v * v)),
    ("0.75 * (v * v) - 0.25", lambda v: 0.75 * v * v - 0.25),
    ("0.5 - 0.5 * v", lambda v: 0.5 - 0.5 * v),
    ("0.875 * sin(v)", lambda v: 0.875 * math.sin(v)),
    ("0.875 * tanh(v)", lambda v: 0.875 * math.tanh(v)),
    ("sigmoid(v) - 0.5", lambda v: 1 / (1 + math.exp(-v)) - 0.5),
    ("0.5 * (v * v * v) + 0.25 * v", lambda v: 0.5 * v**3 + 0.25 * v),
    ("max(v, 0.0) - 0.375", lambda v: max(v, 0) - 0.375),
    ("0.5 * v + 0.5 * max(v, 0.0) - 0.25", lambda v: 0.5 * v + 0.5 * max(v, 0) - 0.25),
]


class Deep:
    def __init__(self, seed: int) -> None:
        source = random.Random(seed)
        self.tolerance = source.choice([0.001, 0.0002])
        self.functions = source.sample(FUNCTIONS, 3)
        self.steps: list[tuple[str, object]] = []
        self.x = [-1.0, 0.9990234375, 0.0, 0.5] + [source.randrange(-1024, 1024) / 1024 for _ in range(N - 4)]
        for step in range(source.randint(24, 40)):
            previous = "x" if step == 0 else f"s{step - 1}"
            kind = source.random()
            if kind < 0.75:
                which = source.randrange(3)
                self.steps.append((f"for v: {previous} {{ step{which}(v) }}", ("function", which)))
            elif kind < 0.9:
                earlier = source.randrange(max(step, 1))
                name = "x" if earlier == 0 else f"s{earlier - 1}"
                self.steps.append((f"for i: {N} {{ 0.5 * {previous}[i] + 0.5 * {name}[i] }}", ("mix", earlier)))
            else:
                self.steps.append((f"for i: {N} {{ sum(for j: {N} {{ w[i][j] * {previous}[j] }}) }}", ("dense", None)))
        self.w = [[source.choice([-1, 1]) * source.randrange(10, 16) / 256 for _ in range(N)] for _ in range(N)]

    def text(self) -> str:
        functions = "".join(f"fn(he) step{i}(v: secret fxp in -1..1) -> secret fxp {{ {f[0]} }}\n"
                            for i, f in enumerate(self.functions))
        lets = "".join(f"    let s{i} = {s[0]};\n" for i, s in enumerate(self.steps))
        return (f"#version 0.1.0\n\n{functions}fn(he) f(x: secret [fxp; {N}] in -1..1 from client, w: [fxp; {N}, {N}] in "
                f"-0.0625..0.0625) -> secret [fxp; {N}] within {self.tolerance} {{\n{lets}"
                f"    for v: s{len(self.steps) - 1} {{ v }}\n}}\n")

    def expected(self) -> list[float]:
        values = [self.x]
        for _, (kind, argument) in self.steps:
            now = values[-1]
            if kind == "function":
                now = [self.functions[argument][1](v) for v in now]
            elif kind == "mix":
                now = [0.5 * a + 0.5 * b for a, b in zip(now, values[argument])]
            else:
                now = [sum(a * b for a, b in zip(row, now)) for row in self.w]
            values.append(now)
        return values[-1]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("tacet")
    parser.add_argument("--programs", type=int, default=4)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--compile-only", action="store_true")
    options = parser.parse_args()
    n_computed = n_bootstrapped = n_wrong = 0
    worst = 0.0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.first, options.first + options.programs):
            deep = Deep(seed)
            path = pathlib.Path(folder) / "deep.tacet"
            path.write_text(deep.text())
            if options.compile_only:
                command = [options.tacet, "emit", "--stage", "program", str(path), "--fn", "f"]
            else:
                command = [options.tacet, "run", str(path), "--fn", "f", "--device", "he", "--scheme", "ckks",
                           "--stats", json.dumps(deep.x), json.dumps(deep.w)]
            run = subprocess.run(command, capture_output=True, text=True)
            if run.returncode != 0:
                print(f"seed {seed}: {run.stderr.strip()[:600]}", flush=True)
                n_wrong += 0 if "cannot compile" in run.stderr or "error[" in run.stderr else 1
                continue
            n_computed += 1
            n_bootstrapped += "bootstrap" in run.stdout
            if options.compile_only:
                continue
            results = json.loads(run.stdout.splitlines()[0].split("=")[1])
            error = max(abs(a - b) for a, b in zip(results, deep.expected())) / deep.tolerance
            worst = max(worst, error)
            if not error <= 1:
                n_wrong += 1
                print(f"seed {seed}: off by {error:.3g} of the tolerance\n{deep.text()}", flush=True)
    print(f"{n_computed} of {options.programs} computed, {n_bootstrapped} bootstrapped, {n_wrong} wrong, "
          f"the largest error {worst:.3g} of the tolerance")
    return 1 if n_wrong or 2 * n_computed < options.programs else 0


if __name__ == "__main__":
    sys.exit(main())

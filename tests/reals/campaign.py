#!/usr/bin/env python3
"""Random programs of encrypted reals, against their meaning in Python's numbers.

usage: campaign.py TACET [--programs N] [--first SEED] [--size ELEMENTS]

Each program has a tolerance, and runs under CKKS on as many inputs: the ends of their ranges, places
near those and near their middle, extrema of Chebyshev polynomials, where errors of approximations are
largest, equal operands, and random ones. Prints what is off by more than the tolerance, and what is
neither computed nor refused with an error of the compiler. Exits with 1 if there is such a program,
or if fewer than half were computed.
"""

from __future__ import annotations

import argparse
import json
import math
import pathlib
import random
import re
import subprocess
import sys
import tempfile

UNIT = 2.0**-18

MEANINGS = {
    "sigmoid": lambda x: 1 / (1 + math.exp(-x)),
    "tanh": math.tanh,
    "erf": math.erf,
    "sin": math.sin,
    "cos": math.cos,
    "exp": math.exp,
    "log": math.log,
    "sqrt": math.sqrt,
    "rsqrt": lambda x: 1 / math.sqrt(x),
    "reciprocal": lambda x: 1 / x,
    "abs": abs,
    "max": max,
    "min": min,
}

# One function on a range, as it is read about in a book: the text, and the range of `x` and `y`.
ALONE = [
    ("sigmoid(x)", -8, 8),
    ("sigmoid(x)", -20, 4),
    ("tanh(x)", -3, 3),
    ("erf(x)", -4, 4),
    ("sin(x)", -3.25, 3.25),
    ("cos(x)", -10, 3),
    ("exp(x)", -4, 2),
    ("log(x)", 1, 20),
    ("sqrt(x)", 1, 9),
    ("sqrt(x)", 0.25, 4),
    ("rsqrt(x)", 0.5, 4),
    ("reciprocal(x)", 0.5, 4),
    ("x / y", 1, 3),
    ("abs(x - y)", -2, 2),
    ("max(x, y)", -2, 2),
    ("min(x, 0.5)", -2, 2),
    ("(x * x if x < 0.0 else 0.0)", -2, 2),
]

# Compositions whose arguments are inside of each function's domain, whatever `a` and `b` are.
COMPOSED = [
    "({a} + {b})",
    "({a} - {b})",
    "({a} * {b})",
    "sigmoid({a})",
    "tanh({a})",
    "erf({a})",
    "sin({a})",
    "cos({a})",
    "tanh({a} / ({b} * {b} + 1.0) - {b})",
    "exp(tanh({a}))",
    "log(sigmoid({a}) + 0.5)",
    "sqrt({a} * {a} + 0.5)",
    "rsqrt({a} * {a} + 1.0)",
    "(1.0 / ({a} * {a} + 1.0))",
    "abs({a})",
    "max({a}, {b})",
    "min({a}, {b})",
    "(({b}) * ({a} - {b}) if {a} < {b} else ({a} - {b}))",
]


def expression(depth: int) -> str:
    if depth == 0:
        return random.choice(["x", "x", "y", f"{random.uniform(-1.5, 1.5):.3f}"])
    return random.choice(COMPOSED).format(a=expression(depth - 1), b=expression(random.randrange(depth)))


def inputs(low: float, high: float, n: int) -> list[float]:
    """Multiples of the unit in [low, high)."""
    last = high - UNIT
    ends = [low, last, low + UNIT, last - UNIT]
    middle = [(low + high) / 2 + k * UNIT for k in (-1, 0, 1)]
    near_zero = [k * UNIT for k in (-2, -1, 0, 1, 2) if low <= k * UNIT < high]
    degree = random.choice([3, 7, 15, 31, 63])
    extrema = [(low + last) / 2 + (last - low) / 2 * math.cos(math.pi * k / degree) for k in range(degree + 1)]
    special = ends + middle + near_zero + extrema
    numbers = [random.choice(special) if random.random() < 0.3 else random.uniform(low, last) for _ in range(n)]
    return [min(max(round(x / UNIT) * UNIT, low), last) for x in numbers]


def result(tacet: str, folder: pathlib.Path, text: str, x: list[float], y: list[float]):
    """What a run prints, or why it computes nothing."""
    program = folder / "reals.tacet"
    program.write_text(text)
    for name, numbers in (("x", x), ("y", y)):
        (folder / f"{name}.json").write_text(json.dumps(numbers))
    done = subprocess.run(
        [tacet, "run", program, "--fn", "f", "--device", "he", "--scheme", "ckks", f"@{folder}/x.json",
         f"@{folder}/y.json"], capture_output=True, text=True, timeout=600, check=False)
    if done.returncode == 0:
        return json.loads(done.stdout.split("=", 1)[1]), ""
    return None, f"exit {done.returncode}: {done.stderr}"


def main() -> int:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("tacet")
    arguments.add_argument("--programs", type=int, default=20)
    arguments.add_argument("--first", type=int, default=1)
    arguments.add_argument("--size", type=int, default=1024)
    options = arguments.parse_args()
    n_computed = 0
    n_wrong = 0
    closest = 0.0
    for seed in range(options.first, options.first + options.programs):
        random.seed(seed)
        if seed % 2 == 0:
            text, low, high = ALONE[seed // 2 % len(ALONE)]
        else:
            text = expression(random.choice([1, 2, 2, 3]))
            low = random.choice([-1, -2, -0.5, 0, 0.25])
            high = low + random.choice([0.5, 1, 2, 4])
        tolerance = random.choice([0.1, 0.01, 0.001])
        n = options.size
        program = (f"#version 0.1.0\n\nfn(he) f(xs: secret [fxp; {n}] in {low}..{high}, ys: secret [fxp; {n}] in "
                   f"{low}..{high}) -> secret [fxp; {n}] within {tolerance} {{\n    for x, y: xs, ys {{ {text} }}\n}}\n")
        x = inputs(low, high, n)
        y = [a if random.random() < 0.2 else b for a, b in zip(x, inputs(low, high, n))]
        with tempfile.TemporaryDirectory() as folder:
            found, why = result(options.tacet, pathlib.Path(folder), program, x, y)
        if found is None:
            if not re.search(r"^exit [12]: .*(error\[T\d+\]|cannot compile)", why, re.DOTALL) or "internal" in why:
                n_wrong += 1
                print(f"seed {seed}: neither computed nor refused\n{program}{why}")
            continue
        n_computed += 1
        meaning = compile(text, "reals", "eval")
        for a, b, got in zip(x, y, found):
            wanted = eval(meaning, MEANINGS, {"x": a, "y": b})
            share = abs(got - wanted) / tolerance
            closest = max(closest, share)
            if not share <= 1:
                n_wrong += 1
                print(f"seed {seed}: {got} for x = {a}, y = {b} instead of {wanted}\n{program}")
                break
    print(f"{n_computed} of {options.programs} programs on {options.size} inputs each; the largest error was "
          f"{closest:.2f} of the tolerance")
    return 1 if n_wrong > 0 or 2 * n_computed < options.programs else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""The programs of examples/learning that are no networks, on random data, against formulas in double
precision: under encryption, and by three parties.

usage: programs.py TACET EXAMPLES [--seed N]
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


def numbers(n: int, low: float, high: float) -> list[float]:
    """Multiples of the unit in [low, high), the ends of the range among them."""
    last = high - UNIT
    drawn = [random.choice([low, last]) if random.random() < 0.2 else random.uniform(low, last) for _ in range(n)]
    return [min(max(round(x / UNIT) * UNIT, low), last) for x in drawn]


def prices(spot, strike, years, rate, volatility):
    normal = lambda x: math.erfc(-x / math.sqrt(2)) / 2  # noqa: E731
    result = []
    for s, k, t, v in zip(spot, strike, years, volatility):
        spread = v * math.sqrt(t)
        d = (math.log(s / k) + (rate + v * v / 2) * t) / spread
        result.append(s * normal(d) - k * math.exp(-rate * t) * normal(d - spread))
    return result


def probabilities(w, x):
    return [1 / (1 + math.exp(-sum(a * b for a, b in zip(w, row)))) for row in x]


def descended(x, y, n_steps):
    w = [0.0] * len(x[0])
    for _ in range(n_steps):
        p = probabilities(w, x)
        w = [w[j] + sum((y[k] - p[k]) * x[k][j] for k in range(len(x))) / len(x) for j in range(len(w))]
    return w


def fitted(x, y, n_steps):
    w = [0.0] * len(x[0])
    for _ in range(n_steps):
        p = [sum(a * b for a, b in zip(w, row)) for row in x]
        w = [w[j] + sum((y[k] - p[k]) * x[k][j] for k in range(len(x))) / len(x) / 2 for j in range(len(w))]
    return w


def ensemble():
    """Features, and trees with a feature and a threshold for each inner node."""
    x = [random.choice([0, 255, random.randrange(256)]) for _ in range(8)]
    features = [[random.randrange(8) for _ in range(7)] for _ in range(20)]
    thresholds = [[random.choice([0, 255, random.randrange(256), x[f]]) for f in tree] for tree in features]
    leaves = [[random.choice([-100, 99, random.randrange(-100, 100)]) for _ in range(8)] for _ in range(20)]
    picks = [[[int(j == f) for j in range(8)] for f in tree] for tree in features]
    return x, picks, thresholds, leaves


def boosted(x, picks, thresholds, leaves):
    score = 0
    for tree in range(20):
        node = 0
        while node < 7:
            node = 2 * node + (2 if x[picks[tree][node].index(1)] > thresholds[tree][node] else 1)
        score += leaves[tree][node - 7]
    return score


def nearest(query, points, labels):
    distances = [sum((a - b) ** 2 for a, b in zip(query, point)) for point in points]
    return labels[distances.index(min(distances))]


def standardised(n: int):
    """Rows of four numbers that mostly lie along a line, with means of 0 and variances that sum to 1."""
    along = [random.uniform(-1, 1) for _ in range(4)]
    rows = [[a * c + random.gauss(0, 0.2) for c in along] for a in [random.gauss(0, 1) for _ in range(n)]]
    means = [sum(row[j] for row in rows) / n for j in range(4)]
    rows = [[v - m for v, m in zip(row, means)] for row in rows]
    scale = math.sqrt(sum(v * v for row in rows for v in row) / n)
    return [[round(v / scale / UNIT) * UNIT for v in row] for row in rows]


def component(x):
    matrix = [[sum(row[i] * row[j] for row in x) / len(x) for j in range(4)] for i in range(4)]
    for _ in range(2):
        square = [[sum(matrix[i][k] * matrix[k][j] for k in range(4)) for j in range(4)] for i in range(4)]
        trace = sum(square[i][i] for i in range(4))
        matrix = [[v / trace for v in row] for row in square]
    return matrix


def flat(value) -> list:
    return [v for part in value for v in flat(part)] if isinstance(value, list) else [value]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("tacet", type=pathlib.Path)
    parser.add_argument("examples", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    random.seed(options.seed)
    spot, strike, years = numbers(64, 50, 150), numbers(64, 50, 150), numbers(64, 0.25, 2)
    rate, volatility = numbers(1, 0, 0.1)[0], numbers(64, 0.1, 0.5)
    w, x, y = numbers(4, -2, 2), [numbers(4, -1, 1) for _ in range(64)], numbers(64, 0, 1)
    answers = numbers(64, -2, 2)
    trees, table, rows = ensemble(), [[random.randrange(16) for _ in range(8)] for _ in range(32)], standardised(64)
    neighbours = [random.choice([table[5], [0] * 8, [15] * 8]), table, [random.randrange(10) for _ in range(32)]]
    he, mpc, bits = ["--device", "he", "--scheme", "ckks"], ["--device", "mpc"], ["--device", "he", "--scheme", "cggi"]
    options_given = [spot, strike, years, rate, volatility]
    runs = [
        ("options.tacet", "call_prices", options_given, prices(*options_given), [(he, 0.5), (mpc, 0.02)]),
        ("logistic.tacet", "probabilities", [w, x], probabilities(w, x), [(he, 0.001), (mpc, 0.0001)]),
        ("logistic.tacet", "three_steps", [x, y], descended(x, y, 3), [(he, 0.05), (mpc, 0.001)]),
        ("logistic.tacet", "ten_steps", [x, y], descended(x, y, 10), [(mpc, 0.001)]),
        ("linear.tacet", "predictions", [w, x], [sum(a * b for a, b in zip(w, row)) for row in x], [(he, 0.001), (mpc, 0.0001)]),
        ("linear.tacet", "ten_steps", [x, answers], fitted(x, answers, 10), [(he, 0.05), (mpc, 0.001)]),
        ("components.tacet", "component", [rows], component(rows), [(he, 0.02)]),
        ("trees.tacet", "boosted", trees, boosted(*trees), [(bits, 0), (mpc, 0)]),
        ("neighbours.tacet", "nearest", neighbours, nearest(*neighbours), [(bits, 0), (mpc, 0)]),
    ]
    wrong = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for program, function, given, expected, devices in runs:
            for i, value in enumerate(given):
                (folder / f"{i}.json").write_text(json.dumps(value))
            for device, within in devices:
                done = subprocess.run(
                    [str(options.tacet.resolve()), "run", str(options.examples.resolve() / program), "--fn", function,
                     *device, *[f"@{i}.json" for i in range(len(given))]],
                    cwd=folder, capture_output=True, text=True, check=False)
                lines = [line for line in done.stdout.splitlines() if line.startswith("out = ")]
                if not lines:
                    print(f"{function}, {device[1]}: {done.stdout}{done.stderr}")
                    wrong += 1
                    continue
                error = max(abs(a - b) for a, b in zip(flat([json.loads(lines[0][6:])]), flat([expected])))
                print(f"{function}, {device[1]}: {error:.2g} of {within}")
                wrong += error > within
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Draws digits, fits a small network to them, and writes what `mlp.tacet` takes.

    digits.py FOLDER [--activation square|sigmoid|rectifier] [--images N] [--fit N]

FOLDER gets w1.json, b1.json, w2.json, b2.json, images.json (N images, one a row), labels.json and
scores.json (what the network gives in double precision). Nothing is downloaded, and the same
numbers come out each time.

The images are glyphs of 5 x 7, three times as large, moved, of varying brightness and with noise.
The first layer consists of random projections; the second is fitted by ridge regression, on other
images than those that are written (3,000, or as `--fit` says).
"""

import argparse
import json
import math
import operator
import pathlib
import random

GLYPHS = [
    "01110 10001 10011 10101 11001 10001 01110", "00100 01100 00100 00100 00100 00100 01110",
    "01110 10001 00001 00110 01000 10000 11111", "11111 00010 00100 00010 00001 10001 01110",
    "00010 00110 01010 10010 11111 00010 00010", "11111 10000 11110 00001 00001 10001 01110",
    "00110 01000 10000 11110 10001 10001 01110", "11111 00001 00010 00100 01000 01000 01000",
    "01110 10001 10001 01110 10001 10001 01110", "01110 10001 10001 01111 00001 00010 01100",
]
SIZE, SCALE, HIDDEN = 28, 3, 128
LARGEST = 0.999
ACTIVATIONS = {
    "square": lambda h: h * h,
    "sigmoid": lambda h: 1 / (1 + math.exp(-h)),
    "rectifier": lambda h: max(h, 0.0),
}


def drawn(label, source):
    pixels = [0.0] * (SIZE * SIZE)
    top, left = 3 + source.randint(-2, 2), 6 + source.randint(-3, 3)
    bright = source.uniform(0.5, 1.0)
    for y, row in enumerate(GLYPHS[label].split()):
        for x, bit in enumerate(row):
            for dy in range(SCALE):
                for dx in range(SCALE):
                    if bit == "1":
                        pixels[(top + y * SCALE + dy) * SIZE + left + x * SCALE + dx] = bright
    return [round(min(max(p + source.gauss(0, 0.08) * (p > 0), 0.0), LARGEST), 3) for p in pixels]


def dot(a, b):
    return sum(map(operator.mul, a, b))


def hidden(image, w1, b1, activation):
    return [activation(dot(row, image) + b) for row, b in zip(w1, b1)]


def solved(matrix, rhs):
    """Gaussian elimination with pivots; `rhs` has a column for each digit."""
    n = len(matrix)
    rows = [list(m) + list(r) for m, r in zip(matrix, rhs)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda k: abs(rows[k][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for k in range(i + 1, n):
            factor = rows[k][i] / rows[i][i]
            if factor:
                rows[k] = [a - factor * b for a, b in zip(rows[k], rows[i])]
    for i in reversed(range(n)):
        for k in range(i + 1, n):
            rows[i] = [a - rows[i][k] * b for a, b in zip(rows[i], rows[k])] if rows[i][k] else rows[i]
        rows[i] = [a / rows[i][i] for a in rows[i]]
    return [row[n:] for row in rows]


def fitted(activation, n_images, source):
    w1 = []
    for _ in range(HIDDEN):
        row = [source.gauss(0, 1) for _ in range(SIZE * SIZE)]
        norm = math.sqrt(dot(row, row))
        w1.append([round(0.99 * v / norm, 5) for v in row])
    b1 = [round(source.uniform(-0.4, 0.4), 5) for _ in range(HIDDEN)]
    features, labels = [], []
    for i in range(n_images):
        features.append(hidden(drawn(i % 10, source), w1, b1, activation) + [1.0])
        labels.append(i % 10)
    columns = list(zip(*features))
    gram = [[dot(a, b) for b in columns] for a in columns]
    for i in range(HIDDEN):
        gram[i][i] += 1.0
    targets = [[1.0 if label == k else 0.0 for label in labels] for k in range(10)]
    weights = solved(gram, [[dot(column, t) for t in targets] for column in columns])
    w2 = [[round(weights[i][k], 5) for i in range(HIDDEN)] for k in range(10)]
    return w1, b1, w2, [round(v, 5) for v in weights[HIDDEN]]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--activation", choices=ACTIVATIONS, default="square")
    parser.add_argument("--images", type=int, default=10)
    parser.add_argument("--fit", type=int, default=3000)
    options = parser.parse_args()
    activation = ACTIVATIONS[options.activation]
    w1, b1, w2, b2 = fitted(activation, options.fit, random.Random(7))
    source = random.Random(1234)
    labels = [source.randrange(10) for _ in range(options.images)]
    images = [drawn(label, source) for label in labels]
    scores = []
    for image in images:
        h = hidden(image, w1, b1, activation)
        scores.append([dot(row, h) + b for row, b in zip(w2, b2)])
    options.folder.mkdir(parents=True, exist_ok=True)
    for name, value in [("w1", w1), ("b1", b1), ("w2", w2), ("b2", b2), ("images", images),
                        ("labels", labels), ("scores", scores)]:
        (options.folder / f"{name}.json").write_text(json.dumps(value))
    right = sum(row.index(max(row)) == label for row, label in zip(scores, labels))
    print(f"{right} of {len(labels)} images are recognised")


if __name__ == "__main__":
    main()

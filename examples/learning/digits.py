#!/usr/bin/env python3
"""Draws digits, fits a small network to them, and writes what `mlp.tacet` or `lola.tacet` takes.

    digits.py FOLDER [--network square|sigmoid|rectifier|lola] [--images N] [--fit N]

FOLDER gets w1.json, b1.json, w2.json, b2.json (of lola: k1.json, b1.json to w3.json, b3.json),
images.json (N images, one a row), labels.json and scores.json (what the network gives in double
precision). Nothing is downloaded, and the same numbers come out each time.

The images are glyphs of 5 x 7, three times as large, moved, of varying brightness and with noise.
The first layers consist of random projections; the last is fitted by ridge regression, on other
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


def projection(n, norm, source):
    row = [source.gauss(0, 1) for _ in range(n)]
    factor = norm / math.sqrt(dot(row, row))
    return [round(factor * v, 5) for v in row]


def regressed(features, labels):
    """Weights and a number more for each digit, from features of images."""
    n = len(features[0])
    columns = list(zip(*[row + [1.0] for row in features]))
    gram = [[dot(a, b) for b in columns] for a in columns]
    for i in range(n):
        gram[i][i] += 1.0
    targets = [[1.0 if label == k else 0.0 for label in labels] for k in range(10)]
    weights = solved(gram, [[dot(column, t) for t in targets] for column in columns])
    return [[round(weights[i][k], 5) for i in range(n)] for k in range(10)], [round(v, 5) for v in weights[n]]


class Dense:
    """Two dense layers, with an activation between them."""

    names = ["w1", "b1", "w2", "b2"]

    def __init__(self, activation, n_images, source):
        self.activation = activation
        self.w1 = [projection(SIZE * SIZE, 0.99, source) for _ in range(HIDDEN)]
        self.b1 = [round(source.uniform(-0.4, 0.4), 5) for _ in range(HIDDEN)]
        labels = [i % 10 for i in range(n_images)]
        self.w2, self.b2 = regressed([self.features(drawn(label, source)) for label in labels], labels)

    def features(self, image):
        return hidden(image, self.w1, self.b1, self.activation)

    def scores(self, image):
        features = self.features(image)
        return [dot(row, features) + b for row, b in zip(self.w2, self.b2)]


class Lola:
    """A convolution of stride two and two dense layers, with squares between them."""

    names = ["k1", "b1", "w2", "b2", "w3", "b3"]
    MAPS, KERNEL, SIDE, UNITS, LARGEST_SUM = 5, 5, 12, 100, 2.0

    def __init__(self, n_images, source):
        self.k1 = [projection(self.KERNEL**2, 0.69, source) for _ in range(self.MAPS)]
        self.b1 = [round(source.uniform(-0.2, 0.2), 5) for _ in range(self.MAPS)]
        labels = [i % 10 for i in range(n_images)]
        maps = [self.maps(drawn(label, source)) for label in labels]
        self.w2, self.b2 = [], []
        for _ in range(self.UNITS):
            row = projection(self.MAPS * self.SIDE**2, 0.99, source)
            sums = [dot(row, values) for values in maps]
            middle = sum(sums) / len(sums)
            factor = min(1.0, self.LARGEST_SUM / max(abs(v - middle) for v in sums))
            self.w2.append([round(factor * v, 6) for v in row])
            self.b2.append(round(source.uniform(-1, 1) - factor * middle, 5))
        self.w3, self.b3 = regressed([self.units(values) for values in maps], labels)

    def maps(self, image):
        rows = [image[i * SIZE : (i + 1) * SIZE] for i in range(SIZE)]
        patches = [
            [p for a in range(self.KERNEL) for p in rows[2 * i + a][2 * j : 2 * j + self.KERNEL]]
            for i in range(self.SIDE)
            for j in range(self.SIDE)
        ]
        return [(dot(kernel, patch) + b) ** 2 for kernel, b in zip(self.k1, self.b1) for patch in patches]

    def units(self, maps):
        return [(dot(row, maps) + b) ** 2 for row, b in zip(self.w2, self.b2)]

    def scores(self, image):
        units = self.units(self.maps(image))
        return [dot(row, units) + b for row, b in zip(self.w3, self.b3)]

    def shaped(self):
        """The weights, in the dimensions that the program has."""
        n = self.SIDE
        self.k1 = [[row[a * self.KERNEL : (a + 1) * self.KERNEL] for a in range(self.KERNEL)] for row in self.k1]
        self.w2 = [
            [[row[(c * n + i) * n : (c * n + i + 1) * n] for i in range(n)] for c in range(self.MAPS)]
            for row in self.w2
        ]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--network", choices=[*ACTIVATIONS, "lola"], default="square")
    parser.add_argument("--images", type=int, default=10)
    parser.add_argument("--fit", type=int, default=3000)
    options = parser.parse_args()
    source = random.Random(7)
    is_lola = options.network == "lola"
    network = Lola(options.fit, source) if is_lola else Dense(ACTIVATIONS[options.network], options.fit, source)
    source = random.Random(1234)
    labels = [source.randrange(10) for _ in range(options.images)]
    images = [drawn(label, source) for label in labels]
    scores = [network.scores(image) for image in images]
    if is_lola:
        network.shaped()
        images = [[image[i * SIZE : (i + 1) * SIZE] for i in range(SIZE)] for image in images]
    options.folder.mkdir(parents=True, exist_ok=True)
    values = {name: getattr(network, name) for name in network.names}
    for name, value in (values | {"images": images, "labels": labels, "scores": scores}).items():
        (options.folder / f"{name}.json").write_text(json.dumps(value))
    right = sum(row.index(max(row)) == label for row, label in zip(scores, labels))
    print(f"{right} of {len(labels)} images are recognised")


if __name__ == "__main__":
    main()

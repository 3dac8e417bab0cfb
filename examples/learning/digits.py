#!/usr/bin/env python3
"""Draws digits, fits a network to them, and writes what `mlp.tacet`, `lola.tacet` or `lenet.tacet` takes.

    digits.py FOLDER [--network square|sigmoid|rectifier|lola|lenet] [--images N] [--fit N]

FOLDER gets w1.json, b1.json, w2.json, b2.json (of lola and lenet: k1.json, b1.json and so on),
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


def regressed(features, labels, ridge=1.0):
    """Weights and a number more for each digit, from features of images."""
    n = len(features[0])
    columns = list(zip(*[row + [1.0] for row in features]))
    gram = [[dot(a, b) for b in columns] for a in columns]
    for i in range(n):
        gram[i][i] += ridge
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


class LeNet:
    """Two convolutions, each with averages of 2 x 2 and squares, and three dense layers, with squares between them.

    Sums before squares are between -1 and 1, with a margin, since each layer is scaled so on the images that are fitted.
    """

    names = ["k1", "b1", "k2", "b2", "w3", "b3", "w4", "b4", "w5", "b5"]
    KERNEL, LARGEST_SUM, LARGEST_NORM = 5, 0.7, 2.99

    def __init__(self, n_images, source):
        labels = [i % 10 for i in range(n_images)]
        values = [[drawn(label, source)] for label in labels]
        self.k1, self.b1, values = self.convolution(values, SIZE, 6, source)
        self.k2, self.b2, values = self.convolution(values, 12, 16, source)
        values = [[v for plane in planes for v in plane] for planes in values]
        self.w3, self.b3, values = self.dense(values, 120, source)
        self.w4, self.b4, values = self.dense(values, 84, source)
        self.w5, self.b5 = regressed(values, labels, 0.1)

    def scaled(self, row, sums):
        """A row of weights, and a number more, so that the sums of images are within the limit, the middle off zero."""
        middle = (max(sums) + min(sums)) / 2
        factor = 0.6 * self.LARGEST_SUM / max(max(sums) - middle, 1e-6)
        factor = min(factor, self.LARGEST_NORM / math.sqrt(dot(row, row)))
        return [round(factor * v, 6) for v in row], -factor * middle

    def convolution(self, values, side, n_maps, source):
        """Kernels, numbers, and the squares of averages; of rows of images with planes."""
        n_planes, n = len(values[0]), self.KERNEL**2
        patches = [self.averages(planes, side) for planes in values]
        kernels, numbers = [], []
        for _ in range(n_maps):
            row = projection(n_planes * n, 0.99, source)
            sums = [dot(row, patch) for places in patches for patch in places]
            row, number = self.scaled(row, sums)
            kernels.append(row)
            numbers.append(round(number + source.choice([-0.2, 0.2]) * self.LARGEST_SUM, 5))
        return kernels, numbers, [self.squares(places, kernels, numbers) for places in patches]

    def averages(self, planes, side):
        """For each place behind the averages, what the kernels are multiplied by: averages of four patches."""
        half = (side - self.KERNEL + 1) // 2
        means = []
        for plane in planes:
            rows = [plane[i * side : (i + 1) * side] for i in range(side)]
            means.append([
                [(a + b + c + d) / 4 for a, b, c, d in zip(top, top[1:], low, low[1:])]
                for top, low in zip(rows, rows[1:])
            ])
        return [
            [m for rows in means for a in range(self.KERNEL) for m in rows[2 * i + a][2 * j : 2 * j + self.KERNEL]]
            for i in range(half)
            for j in range(half)
        ]

    @staticmethod
    def squares(places, kernels, numbers):
        return [[(dot(kernel, patch) + b) ** 2 for patch in places] for kernel, b in zip(kernels, numbers)]

    def dense(self, values, n_units, source):
        weights, numbers = [], []
        for _ in range(n_units):
            row = projection(len(values[0]), 0.99, source)
            sums = [dot(row, v) for v in values]
            row, number = self.scaled(row, sums)
            weights.append(row)
            numbers.append(round(number + source.choice([-0.3, 0.3]) * self.LARGEST_SUM, 5))
        return weights, numbers, [self.units(v, weights, numbers) for v in values]

    @staticmethod
    def units(values, weights, numbers):
        return [(dot(row, values) + b) ** 2 for row, b in zip(weights, numbers)]

    def scores(self, image):
        values = self.squares(self.averages([image], SIZE), self.k1, self.b1)
        values = self.squares(self.averages(values, 12), self.k2, self.b2)
        values = self.units([v for plane in values for v in plane], self.w3, self.b3)
        values = self.units(values, self.w4, self.b4)
        return [dot(row, values) + b for row, b in zip(self.w5, self.b5)]

    def shaped(self):
        n = self.KERNEL
        square = lambda row, side: [row[a * side : (a + 1) * side] for a in range(len(row) // side)]  # noqa: E731
        self.k1 = [square(row, n) for row in self.k1]
        self.k2 = [square(square(row, n), n) for row in self.k2]
        self.w3 = [square(square(row, 4), 4) for row in self.w3]


NETWORKS = {"lola": Lola, "lenet": LeNet}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--network", choices=[*ACTIVATIONS, *NETWORKS], default="square")
    parser.add_argument("--images", type=int, default=10)
    parser.add_argument("--fit", type=int, default=3000)
    options = parser.parse_args()
    source = random.Random(7)
    convolves = options.network in NETWORKS
    network = (
        NETWORKS[options.network](options.fit, source)
        if convolves
        else Dense(ACTIVATIONS[options.network], options.fit, source)
    )
    source = random.Random(1234)
    labels = [source.randrange(10) for _ in range(options.images)]
    images = [drawn(label, source) for label in labels]
    scores = [network.scores(image) for image in images]
    if convolves:
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

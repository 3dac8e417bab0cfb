#!/usr/bin/env python3
"""Runs every function of the library on random and extreme inputs against tests/library/oracle.py.

It writes tests with the numbers that the oracle gives, and has `tacet test` run them: one of each
function on all of its devices, and more, with the ends of the types, in plaintext and by parties. A
function of the library without a test is an error.

usage: check_library.py TACET LIBRARY [--seed N] [--rounds N] [--only MODULES] [--keep FOLDER]
                        [--source]

With --source it tests the modules in the folder LIBRARY rather than those that are in the program.
"""

import argparse
import collections
import hashlib
import itertools
import json
import math
import pathlib
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import oracle  # noqa: E402

LEAST, GREATEST = -2**63, 2**63 - 1
EXTREMES = [LEAST, LEAST + 1, -1, 0, 1, GREATEST - 1, GREATEST]
HEADER = "#version 0.1.0\n\n"
DECLARED = re.compile(r"^fn\(([^)]*)\) (\w+)", re.M)


def literal(value) -> str:
    """A value as Tacet writes it."""
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(literal(v) for v in value) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.18f}"
    return f"({LEAST + 1} - 1)" if value == LEAST else str(value)


def elements(name: str, value) -> list:
    """The numbers of a result, each with the expression that reads it."""
    if not isinstance(value, list):
        return [(name, value)]
    return [e for i, v in enumerate(value) for e in elements(f"{name}[{i}]", v)]


class Cases:
    """Tests as text: those for all devices, and those that no encryption can hold."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.everywhere, self.large = [], []
        self.called = set()
        self.distributions = []

    def numbers(self, n: int, low: int, high: int) -> list:
        return [self.rng.randint(low, high) for _ in range(n)]

    def matrix(self, m: int, n: int, low: int, high: int) -> list:
        return [self.numbers(n, low, high) for _ in range(m)]

    def any(self, n: int) -> list:
        """Numbers of all sizes, and the ends of the type."""
        return [self.rng.choice(EXTREMES) if self.rng.random() < 0.4 else
                oracle.wrap(self.rng.getrandbits(64)) >> self.rng.randrange(64) for _ in range(n)]

    def any_matrix(self, m: int, n: int) -> list:
        return [self.any(n) for _ in range(m)]

    def distinct(self, n: int) -> list:
        """Distinct numbers, some of them at the ends of the type."""
        found = dict.fromkeys(self.any(n) + self.numbers(n, -9, 9) + list(range(100, 100 + n)))
        chosen = list(found)[:n]
        self.rng.shuffle(chosen)
        return chosen

    def reals(self, n: int, low: float, high: float) -> list:
        """Multiples of 2^-10, which fixed point has exactly."""
        return [self.rng.randint(int(low * 1024), int(high * 1024)) / 1024 for _ in range(n)]

    def distribution(self, function: str, program: str, chances: dict, n: int):
        """A program `many` of draws, whose number it calls N: `chances` has the probability of each."""
        self.called.add(function)
        self.distributions.append((function, program.replace("N", str(n)), chances, n))

    def add(self, function: str, arguments: list, expected, sizes: tuple = (), within: float = 0,
            large: bool = False, encrypted: tuple | None = None):
        """A test for each result of a call. `encrypted` has the types of arguments and result of a
        function of `he` that makes the call."""
        self.called.add(function)
        tests = self.large if large else self.everywhere
        template = f"'<{', '.join(map(str, sizes))}>" if sizes else ""
        call = f"{function}{template}({', '.join(literal(a) for a in arguments)})"
        if encrypted:
            *types, result = encrypted
            name = f"{function}_under_encryption{len(tests)}"
            names = [f"x{i}" for i in range(len(types))]
            parameters = ", ".join(f"{n}: secret {t}" for n, t in zip(names, types))
            tests.append(f"fn(he) {name}({parameters}) -> secret {result} "
                         f"{{ {function}{template}({', '.join(names)}) }}\n")
            call = f"{name}({', '.join(literal(a) for a in arguments)})"
        results = expected if isinstance(expected, tuple) else (expected,)
        names = [f"result{i}" for i in range(len(results))]
        for name, result in zip(names, results):
            if within:
                compared = " && ".join(
                    f"{e} > {literal(float(v - within))} && {e} < {literal(float(v + within))}"
                    for e, v in elements(name, result))
            else:
                compared = f"{name} == {literal(result)}"
            tests.append(f'test "{len(tests)}: {function}" {{\n    let {", ".join(names)} = {call};\n'
                         f"    {compared}\n}}\n")


def linear(c: Cases):
    m, k, n = (c.rng.randint(1, 4) for _ in range(3))
    for large in (False, True):
        numbers = c.any if large else lambda n: c.numbers(n, -9, 9)
        matrix = c.any_matrix if large else lambda m, n: c.matrix(m, n, -9, 9)
        a, b, x, y = matrix(m, k), matrix(k, n), numbers(k), numbers(k)
        c.add("dot", [x, y], oracle.dot(x, y), large=large)
        c.add("matrix_vector", [a, x], oracle.matrix_vector(a, x), large=large)
        c.add("matrix_matrix", [a, b], oracle.matrix_matrix(a, b), large=large)
        c.add("transpose", [a], oracle.transpose(a), large=large)
        c.add("outer", [x, y], oracle.outer(x, y), large=large)
        c.add("squared_distances", [a, x], oracle.squared_distances(a, x), large=large)
    top = 1 << 20
    for large, high in ((False, 4), (True, top)):
        a, b = [c.reals(k, -high, high) for _ in range(m)], [c.reals(n, -2, 2) for _ in range(k)]
        x, y = c.reals(k, -high, high), c.reals(k, -2, 2)
        near = 2**-18 * 8
        c.add("dot", [x, y], float(oracle.dot(x, y)), within=near, large=large)
        c.add("matrix_vector", [a, y], oracle.matrix_vector(a, y), within=near, large=large)
        c.add("matrix_matrix", [a, b], oracle.matrix_matrix(a, b), within=near, large=large)
        c.add("transpose", [a], oracle.transpose(a), within=near, large=large)
        if not large:
            c.add("squared_distances", [a, x], oracle.squared_distances(a, x), within=near)
    c.add("dot", [[3], [-7]], -21)
    c.add("matrix_matrix", [[[3]], [[5]]], [[15]], large=True)
    c.add("transpose", [[[LEAST]]], [[LEAST]], large=True)


    x = c.reals(2, -2, 2)
    c.add("outer", [x, [1.0, -1.5]], [[v, -1.5 * v] for v in x], within=near,
          encrypted=("[fxp; 2] in -2.5..2.5", "[fxp; 2] in -2.5..2.5", "[fxp; 2, 2]"))
    for large in (9, 2**40 - 1):
        rows, v = c.matrix(3, 4, -large, large), c.numbers(4, -large, large)
        c.add("manhattan_distances", [rows, v], oracle.manhattan_distances(rows, v), large=True)
    for n, high in ((1, 1000), (5, 1000), (5, 2)):
        x, y = c.reals(n, -high, high), [v or 1.0 for v in c.reals(n, -high, high)]
        c.add("norm", [x], math.hypot(*x), within=2**-10, large=True)
        c.add("cosine", [y, y[::-1]], oracle.cosine(y, y[::-1]), within=2**-11, large=True)
    equations(c)


def equations(c: Cases):
    for n in (1, 2, 4):
        # Of a condition of some hundred at most.
        a = [[v + (3.0 * n if (i + j) % n == 0 else 0) for j, v in enumerate(c.reals(n, -1, 1))]
             for i in range(n)]
        b = c.reals(n, -4, 4)
        c.add("solve", [a, b], oracle.solved(a, b), within=2**-9, large=True)
        squares = [[oracle.dot(p, q) / n for q in a] for p in a]
        squares = [[math.floor(v * 1024) / 1024 for v in row] for row in squares]
        c.add("solve_positive", [squares, b], oracle.solved(squares, b), within=2**-9, large=True)
    c.add("solve", [[[0.0, 1.0], [-2.0, 0.0]], [3.0, 4.0]], [-2.0, 3.0], within=2**-12, large=True)
    rows, targets = [c.reals(2, -4, 4) + [1.0] for _ in range(6)], c.reals(6, -8, 8)
    rows += [[4.0, 0.0, 1.0], [0.0, 4.0, 1.0]]
    targets += [1.0, 2.0]
    c.add("least_squares", [rows, targets], oracle.least_squares(rows, targets), within=2**-8,
          large=True)
    a = [[6.0, 1.0, 0.5], [1.0, 2.0, 0.25], [0.5, 0.25, -1.0]]
    start = [0.5, 0.5, 0.25]
    c.add("power_iteration", [a, start], oracle.power_iteration(a, start, 4), (3, 4), within=2**-10,
          large=True)


def statistics(c: Cases):
    n = c.rng.randint(2, 6)
    near = 2**-15
    x, y = c.reals(n, -4, 4), c.reals(n, -4, 4)
    real = f"[fxp; {n}] in -4.5..4.5"
    c.add("mean", [x], oracle.mean(x), within=near, encrypted=(real, "fxp"))
    c.add("variance", [x], oracle.variance(x), within=near, encrypted=(real, "fxp"))
    c.add("covariance", [x, y], oracle.covariance(x, y), within=near, encrypted=(real, real, "fxp"))
    for n_large, high in ((1, 1023), (n, 1023), (40, 1000)):
        x, y = c.reals(n_large, -high, high), c.reals(n_large, -high, high)
        wide = 2**-6  # the square of a mean of 1000 that is off by some 2^-18
        c.add("mean", [x], oracle.mean(x), within=near, large=True)
        c.add("variance", [x], oracle.variance(x), within=wide, large=True)
        c.add("covariance", [x, y], oracle.covariance(x, y), within=wide, large=True)
    edge = [float(2**24 - 1)] * 40
    c.add("mean", [edge], edge[0], within=near, large=True)
    c.add("mean", [[-2.0**24] * 3], -2.0**24, within=near, large=True)
    ends = [-1024.0, 1023.0] * 20
    c.add("variance", [ends], oracle.variance(ends), within=2**-6, large=True)
    x, w = c.reals(n, -1000, 1000), [abs(v) + 0.5 for v in c.reals(n, 0, 9)]
    c.add("weighted_mean", [x, w], oracle.weighted_mean(x, w), within=2**-7, large=True)
    c.add("weighted_mean", [[5.0], [0.0]], 0.0, within=near, large=True)
    for big in (9, 2**40 - 1):
        v = c.numbers(n, -big, big)
        c.add("mean_i64", [v], oracle.mean_i64(v), large=True)
    c.add("mean_i64", [[-2**40] * 5], -2**40, large=True)
    v = c.numbers(n, -9, 9)
    c.add("moments", [v], oracle.moments(v), large=True)
    c.add("moments", [[-2**20] * 9], (-9 * 2**20, 9 * 2**40), large=True)
    w = c.numbers(n, -9, 9)
    c.add("weighted_sum", [v, w], oracle.dot(v, w))
    v, w = c.any(n), c.any(n)
    c.add("weighted_sum", [v, w], oracle.dot(v, w), large=True)
    k = c.rng.randint(1, 5)
    for values in (c.numbers(12, -30, 30), c.any(12)):
        c.add("histogram", [values, -9, 4], oracle.histogram(values, -9, 4, k), (12, k), large=True)
    far = -2**61
    values = c.any(9)
    c.add("histogram", [values, far, 2**40 - 1], oracle.histogram(values, far, 2**40 - 1, 3), (9, 3),
          large=True)
    g, v = c.numbers(6, 0, 3), c.numbers(6, -9, 9)
    c.add("counts", [g], oracle.counts(g, 3), (6, 3))
    c.add("grouped_sums", [g, v], oracle.grouped_sums(g, v, 3), (6, 3))
    g, v = c.numbers(12, -1, k) + c.any(3), c.any(15)
    c.add("counts", [g], oracle.counts(g, k), (15, k), large=True)
    c.add("grouped_sums", [g, v], oracle.grouped_sums(g, v, k), (15, k), large=True)
    for count in (1, 2, 7, 8):
        v = c.any(count)
        c.add("median", [v], oracle.median(v), large=True)
        r = c.reals(count, -1000, 1000)
        c.add("median", [r], oracle.median(r), within=2**-18, large=True)
        for percent in (0, 1, 50, c.rng.randint(0, 100), 100):
            c.add("quantile", [v, percent], oracle.quantile(v, percent), large=True)
        percents = [100, 0, 33]
        c.add("quantiles", [v, percents], [oracle.quantile(v, p) for p in percents], large=True)
    estimates(c)


def estimates(c: Cases):
    for n, high in ((2, 4), (7, 30), (20, 1000)):
        x, y = c.reals(n, -high, high), c.reals(n, -high, high)
        near = 2**-14 * high
        w = [abs(v) + 0.25 for v in c.reals(n, 0, 9)]
        c.add("deviation", [x], math.sqrt(oracle.variance(x)), within=near, large=True)
        half = [v / 2 for v in x]
        c.add("weighted_variance", [half, w], oracle.weighted_variance(half, w), within=near * high,
              large=True)
        c.add("correlation", [x, y], oracle.correlation(x, y), within=2**-10, large=True)
        c.add("linear_regression", [x, y], oracle.linear_regression(x, y), within=2**-8 * high,
              large=True)
        c.add("welch_t", [x, y[1:] + [0.0, 1.0]], oracle.welch_t(x, y[1:] + [0.0, 1.0]),
              within=2**-8, large=True)
        x, y = [v / 2 for v in x], [v / 2 for v in y]
        c.add("paired_t", [x, y], oracle.paired_t(x, y), within=2**-8, large=True)
    c.add("weighted_variance", [[5.0, 6.0], [0.0, 0.0]], 0.0, within=2**-15, large=True)
    c.add("linear_regression", [[0.0, 1.0, 2.0], [1.0, 3.0, 5.0]], (2.0, 1.0), within=2**-12,
          large=True)
    for table in (c.matrix(2, 3, 1, 40), [[7, 0], [3, 0]], [[4095, 1], [0, 4000]], [[0]]):
        c.add("chi_squared", [table], oracle.chi_squared(table), within=2**-4, large=True)
    groups, values = c.numbers(9, -1, 3), c.reals(9, -1000, 1000)
    c.add("grouped_means", [groups, values], oracle.grouped_means(groups, values, 5), (9, 5),
          within=2**-14, large=True)


def retrieval(c: Cases):
    n, w = c.rng.randint(2, 5), c.rng.randint(1, 3)
    for large in (False, True):
        table = c.any_matrix(n, w) if large else c.matrix(n, w, -9, 9)
        index = c.rng.randrange(n)
        c.add("selector", [index], oracle.selector(index, n), (n,), large=large)
        c.add("record_at", [table, index], oracle.record_at(table, index), large=large)
        c.add("selected_record", [table, oracle.selector(index, n)], table[index], large=large)
        cells = [table, table[::-1]]
        c.add("selected_cell", [cells, [0, 1], oracle.selector(index, n)], table[::-1][index],
              large=large)
    for outside in (-1, n, LEAST, GREATEST):
        c.add("record_at", [table, outside], [0] * w, large=True)
        c.add("selector", [outside], [0] * n, (n,), large=True)
    keys = c.distinct(n)
    for key in (c.rng.choice(keys), 77):
        c.add("record_of", [keys, table, key], oracle.record_of(keys, table, key), large=True)
    indices = [c.rng.randrange(n), n, 0]
    c.add("records_at", [table, indices[:2]], [oracle.record_at(table, i) for i in indices[:2]],
          large=True)
    small = c.matrix(2, 2, -9, 9)
    c.add("records_at", [small, [1, 0]], [small[1], small[0]])
    wanted = [keys[-1], 77, keys[-1]]
    found = [oracle.record_of(keys, table, key) for key in wanted]
    c.add("records_of", [keys, table, wanted], tuple(list(f) for f in zip(*found)), large=True)


def sets(c: Cases):
    for n, m in ((1, 1), (c.rng.randint(2, 7), c.rng.randint(1, 7))):
        a = c.distinct(n)
        b = list(dict.fromkeys(c.rng.sample(a, min(n, m) // 2 + 1) + c.distinct(m)))[:m]
        c.rng.shuffle(b)
        m = len(b)
        c.add("contains", [a, a[-1]], True, large=True)
        c.add("contains", [a, 77], 77 in a, large=True)
        c.add("intersection_size", [a, b], oracle.intersection(a, b)[1], large=True)
        c.add("are_members", [a, b], [x in b for x in a], large=True)
        c.add("intersection", [a, b], oracle.intersection(a, b), large=True)
        left = [c.rng.choice(b) if c.rng.random() < 0.7 else c.rng.choice(EXTREMES)
                for _ in range(n + 3)]
        values = c.any(m)
        c.add("join", [left, b, values], oracle.join(left, b, values), large=True)
        keys = [c.rng.choice([LEAST, 0, 5, GREATEST]) for _ in range(n)]
        values = c.any(n)
        c.add("deduplicate", [keys], oracle.deduplicate(keys), large=True)
        c.add("group_by", [keys, values], oracle.group_by(keys, values), large=True)
        c.add("count_by", [keys], oracle.group_by(keys, [1] * n), large=True)
        c.add("extremes_by", [keys, values], oracle.extremes_by(keys, values), large=True)
        second = [c.rng.choice([LEAST, 0, GREATEST]) for _ in range(n)]
        c.add("group_by_both", [keys, second, values],
              oracle.group_by_both(keys, second, values), large=True)
        c.add("union_size", [a, b], len(set(a) | set(b)), large=True)
        c.add("union", [keys, b], oracle.deduplicate(keys + b), large=True)
        c.add("difference", [a, b], oracle.difference(a, b), large=True)

    # The least key is 0, as what is outside of an array is.
    c.add("join", [[0, 3, 0], [5, 0], [8, 7]], ([7, 0, 7], [True, False, True]), large=True)
    c.add("deduplicate", [[0, 4, 0]], ([0, 4, 0], 2), large=True)
    c.add("group_by", [[4, 0, 0], [1, 2, 3]], ([0, 4, 0], [5, 1, 0], 2), large=True)


def markets(c: Cases):
    for n in (1, c.rng.randint(2, 6)):
        bids = [c.rng.choice(EXTREMES) for _ in range(n)]
        c.add("first_price", [bids], oracle.first_price(bids), large=True)
        c.add("places", [bids], oracle.places(bids), large=True)
        c.add("ranking", [bids], oracle.ranking(bids), large=True)
        bids += [LEAST]
        c.add("second_price", [bids], oracle.second_price(bids), large=True)
        votes = c.numbers(n + 3, 0, 2)
        c.add("plurality", [votes], oracle.plurality(votes, 3), (n + 3, 3), large=True)
    c.add("second_price", [[7, 7]], (0, 7), large=True)
    for n, k in ((2, 1), (6, 3)):
        bids = [c.rng.choice([LEAST, -3, 0, 8, GREATEST]) for _ in range(n)]
        c.add("uniform_price", [bids], oracle.uniform_price(bids, k), (n, k), large=True)
    for n, m in ((1, 1), (2, 5), (5, 3)):
        bids, offers = c.numbers(n, 1, 20), c.numbers(m, 1, 20)
        c.add("clearing", [bids, offers], oracle.clearing(bids, offers), large=True)
    c.add("clearing", [[LEAST, 3], [4]], (0, 0, 0), large=True)
    c.add("clearing", [[GREATEST, GREATEST], [LEAST, GREATEST, 5]], (2, GREATEST, 5), large=True)
    values = c.matrix(3, 4, -2, 2)
    c.add("serial_choice", [values], oracle.serial_choice(values), large=True)
    values = [[LEAST, LEAST], [LEAST, GREATEST]]
    c.add("serial_choice", [values], [0, 1], large=True)
    c.distribution("lottery", "fn(mpc) many() -> [i64; N] {\n"
                   "    for l: N { reveal(lottery([true, false, true])) }\n}\n",
                   {0: 0.5, 2: 0.5}, 300)
    c.distribution("shuffled", "fn(mpc) one() -> i64 {\n    let x = shuffled([1, 10, 100]);\n"
                   "    reveal(x[0] + 2 * x[1] + 3 * x[2])\n}\n\n"
                   "fn(mpc) many() -> [i64; N] { for l: N { one() } }\n",
                   {x + 2 * y + 3 * z: 1 / 6 for x, y, z in itertools.permutations([1, 10, 100])},
                   300)
    c.add("lottery", [[False, False]], -1, large=True)
    votes = c.numbers(6, 0, 3)
    c.add("tally", [votes], oracle.counts(votes, 3), (6, 3))
    votes = [c.rng.choice(EXTREMES) for _ in range(9)]
    c.add("tally", [votes], oracle.counts(votes, 2), (9, 2), large=True)
    c.add("plurality", [[LEAST, 9]], 0, (2, 4), large=True)


def learning(c: Cases):
    m, n = c.rng.randint(1, 3), c.rng.randint(1, 4)
    weights, bias, x = [c.reals(n, -2, 2) for _ in range(m)], c.reals(m, -2, 2), c.reals(n, -2, 2)
    c.add("dense", [weights, bias, x], oracle.dense(weights, bias, x), within=2**-15)
    x = c.reals(5, -1000, 1000)
    c.add("relu", [x], [max(v, 0.0) for v in x], within=2**-18, large=True)
    for high, large in ((4, False), (1000, True)):
        x = c.reals(5, -high, high)
        encrypted = (f"[fxp; 5] in -{high}..{high}", "[fxp; 5] within 0.02") if not large else None
        near = 0.02 if not large else 2**-6
        c.add("relu", [x], [max(v, 0.0) for v in x], within=near, large=large, encrypted=encrypted)
        c.add("silu", [x], oracle.silu(x), within=near, large=large, encrypted=encrypted)
        c.add("gelu", [x], oracle.gelu(x), within=near, large=large, encrypted=encrypted)
    for v in (x, [1.5, 1.5], [-3.0]):
        c.add("argmax", [v], v.index(max(v)), large=True)
    for v in (c.any(6), [LEAST], [5, GREATEST, GREATEST]):
        c.add("argmax_i64", [v], v.index(max(v)), large=True)
    for n_points, k, high in ((1, 1, 3), (6, 3, 3), (6, 2, 2**20 - 1)):
        points, labels = c.matrix(n_points, 2, -high, high), c.numbers(n_points, 0, 2)
        x = c.numbers(2, -high, high)
        c.add("nearest_neighbours", [points, labels, x],
              oracle.nearest_neighbours(points, labels, x, k, 3), (n_points, 2, k, 3), large=True)
    for depth in (1, 2, 3):
        nodes = 2**depth - 1
        feature, bound = c.numbers(nodes, 0, 3), c.numbers(nodes, -3, 3)
        leaf, x = c.any(nodes + 1), c.numbers(4, -3, 3)
        c.add("decision_tree", [feature, bound, leaf, x],
              oracle.decision_tree(feature, bound, leaf, x), (depth, nodes, nodes + 1, 4), large=True)
    c.add("decision_tree", [[1], [5], [10, 20], [0, 5]], 20, (1, 1, 2, 2), large=True)
    trees, depth, nodes = 3, 2, 3
    forest = (c.matrix(trees, nodes, 0, 3), c.matrix(trees, nodes, -3, 3), c.matrix(trees, 4, 0, 2))
    c.add("decision_forest", [*forest, x], oracle.decision_forest(*forest, x, 3),
          (trees, depth, nodes, nodes + 1, 4, 3), large=True)
    networks(c)
    regressions(c)
    clusters(c)


def networks(c: Cases):
    near = 2**-15
    for channels, h, w, filters, a, b in ((1, 3, 4, 2, 2, 3), (2, 3, 3, 1, 3, 3)):
        image = [[c.reals(w, -2, 2) for _ in range(h)] for _ in range(channels)]
        weights = [[[c.reals(b, -2, 2) for _ in range(a)] for _ in range(channels)]
                   for _ in range(filters)]
        bias = c.reals(filters, -2, 2)
        c.add("convolution_layer", [image, weights, bias],
              oracle.convolution_layer(image, weights, bias), within=2**-13, large=channels > 1)
    for h, w in ((1, 1), (2, 3)):
        image = [[c.reals(2 * w, -1000, 1000) for _ in range(2 * h)] for _ in range(2)]
        c.add("max_pool", [image], oracle.pooled(image, max), within=2**-18, large=True)
        image = [[c.reals(2 * w, -4, 4) for _ in range(2 * h)] for _ in range(2)]
        encrypted = (f"[fxp; 2, {2 * h}, {2 * w}] in -4..4", f"[fxp; 2, {h}, {w}] within 0.05")
        c.add("max_pool", [image], oracle.pooled(image, max), within=0.05, encrypted=encrypted)
        c.add("mean_pool", [image], oracle.pooled(image, oracle.mean), within=2**-16, large=h > 1)
    for h, w, a, b, apart in ((1, 1, 1, 1, 3), (2, 3, 3, 3, 2), (2, 2, 2, 3, 1), (1, 3, 1, 2, 3)):
        sizes = (2, h, w, a, b, apart)
        image = [[c.reals(apart * (w - 1) + b, -1000, 1000) for _ in range(apart * (h - 1) + a)]
                 for _ in range(2)]
        c.add("max_pool_windows", [image], oracle.windows(image, a, b, apart, max), sizes,
              within=2**-18, large=True)
        image = [[[v / 256 for v in row] for row in rows] for rows in image]
        c.add("mean_pool_windows", [image], oracle.windows(image, a, b, apart, oracle.mean), sizes,
              within=2**-14, large=h * w > 2)
    for x in ([3.0], [0.5, 0.5], c.reals(5, -8, 8), [-65000.0, 65000.0, 64999.0]):
        c.add("softmax", [x], oracle.softmax(x), within=2**-14, large=True)
    for n in (2, 9):
        x, gain, shift = c.reals(n, -100, 100), c.reals(n, -4, 4), c.reals(n, -4, 4)
        c.add("layer_normalised", [x, gain, shift], oracle.normalised(x, gain, shift), within=2**-9,
              large=True)
        rows = [c.reals(2, -100, 100) for _ in range(n)]
        columns = [oracle.normalised(column, [g] * n, [s] * n)
                   for column, g, s in zip(zip(*rows), gain, shift)]
        c.add("batch_normalised", [rows, gain[:2], shift[:2]], oracle.transpose(columns),
              within=2**-9, large=True)
    c.add("layer_normalised", [[7.0] * 3, [1.0] * 3, [0.5] * 3], [0.5] * 3, within=near, large=True)
    x, y = c.reals(4, -4, 4), c.reals(4, -4, 4)
    real = "[fxp; 4] in -4.5..4.5"
    c.add("mean_squared_error", [x, y], oracle.mean_squared_error(x, y), within=near,
          encrypted=(real, real, "fxp"))
    x, y = c.reals(5, -1000, 1000), c.reals(5, -1000, 1000)
    c.add("mean_squared_error", [x, y], oracle.mean_squared_error(x, y), within=2**-6, large=True)
    for p in ([0.5, 0.25, 0.25], [1.0, 0.0, 0.0]):
        for right in range(3):
            target = [float(i == right) for i in range(3)]
            c.add("cross_entropy", [p, target], oracle.cross_entropy(p, target), within=2**-13,
                  large=True)
    p, answers = [abs(v) for v in c.reals(4, 0, 1)] + [0.0, 1.0], [0, 1, 1, 0, 1, 1]
    c.add("logistic_loss", [p, answers], oracle.logistic_loss(p, answers), within=2**-12, large=True)


def regressions(c: Cases):
    for m, n in ((1, 1), (4, 3)):
        weights, bias, rows = c.reals(n, -2, 2), c.reals(1, -2, 2)[0], [c.reals(n, -4, 4)
                                                                        for _ in range(m)]
        targets = c.reals(m, -50, 50)
        c.add("linear_regression_step", [weights, bias, rows, targets, 0.125],
              oracle.linear_regression_step(weights, bias, rows, targets, 0.125), within=2**-12,
              large=True)
        answers = c.numbers(m, 0, 1)
        c.add("logistic_regression_step", [weights, bias, rows, answers, 0.5],
              oracle.logistic_regression_step(weights, bias, rows, answers, 0.5), within=2**-12,
              large=True)


def clusters(c: Cases):
    for m, n, k, high in ((1, 1, 1, 9), (7, 2, 3, 9), (5, 2, 2, 2**20 - 1)):
        points, centres = c.matrix(m, n, -high, high), c.matrix(k, n, -high, high)
        c.add("nearest_centres", [points, centres],
              [oracle.nearest(centres, p) for p in points], large=True)
        c.add("k_means_step", [points, centres], oracle.k_means_step(points, centres), large=True)
        c.add("nearest", [points, centres[0]], oracle.nearest(points, centres[0]), large=True)
    at = centres
    for _ in range(3):
        at = oracle.k_means_step(points, at)
    c.add("k_means", [points, centres], at, (m, n, k, 3), large=True)


def images(c: Cases):
    h, w = c.rng.randint(2, 4), c.rng.randint(2, 4)
    image, ones = c.matrix(h, w, 0, 15), [[1] * 3] * 3
    weights = c.matrix(c.rng.randint(1, 3), c.rng.randint(1, 3), -4, 4)
    c.add("convolution", [image, weights], oracle.convolution(image, weights))
    c.add("blur", [image], oracle.convolution(image, ones))
    c.add("threshold", [image, 7], oracle.threshold(image, 7))
    c.add("edges", [image], oracle.edges(image),
          encrypted=(f"[i64; {h}, {w}] in 0..16", f"[i64; {h}, {w}]"))
    for h, w in ((1, 1), (4, 5)):
        image = c.matrix(h, w, 0, 65535)
        c.add("edges", [image], oracle.edges(image), large=True)
        image = c.any_matrix(h, w)
        weights = c.any_matrix(2, 4)
        c.add("convolution", [image, weights], oracle.convolution(image, weights), large=True)
        c.add("blur", [image], oracle.convolution(image, ones), large=True)
        level = c.rng.choice(EXTREMES)
        c.add("threshold", [image, level], oracle.threshold(image, level), large=True)
        c.add("turned", [image], [list(row) for row in zip(*image[::-1])], large=True)
        doubled = [[p for p in row for _ in range(2)] for row in image for _ in range(2)]
        c.add("doubled", [image], doubled, large=True)
    for h, w, high in ((1, 1, 65535), (2, 3, 65535)):
        image = c.matrix(2 * h, 2 * w, 0, high)
        sums = oracle.pooled([image], sum)[0]
        c.add("sums_of_four", [image], sums, large=True)
        c.add("halved", [image], [[v // 4 for v in row] for row in sums], large=True)
    for h, w, k in ((1, 1, 1), (2, 1, 3), (1, 3, 2)):
        image = c.matrix(k * h, k * w, 0, 65535)
        sums = oracle.windows([image], k, k, k, sum)[0]
        c.add("block_sums", [image], sums, (h, w, k), large=k > 2)
        c.add("shrunk", [image], [[v // (k * k) for v in row] for row in sums], (h, w, k),
              large=True)
        image = c.any_matrix(h, w)
        c.add("enlarged", [image],
              [[p for p in row for _ in range(k)] for row in image for _ in range(k)], (h, w, k),
              large=True)
    image = c.matrix(2, 2, 0, 9)
    c.add("sums_of_four", [image], [[sum(image[0]) + sum(image[1])]])
    c.add("turned", [image], [list(row) for row in zip(*image[::-1])])
    image = c.matrix(2, 3, 0, 3)
    levels = oracle.counts(sum(image, []), 3)
    c.add("level_counts", [image], levels, (2, 3, 3))
    c.add("level_counts", [image + [[LEAST, GREATEST, -1]]], levels, (3, 3, 3), large=True)


def bits(c: Cases):
    for x in (0, 1, 2**64 - 1, 2**63, c.rng.getrandbits(64)):
        c.add("popcount", [x], x.bit_count(), large=True)
        for k in (0, 1, 63, c.rng.randrange(64)):
            c.add("rotate_left", [x, k], oracle.rotate_left(x, k), large=True)
            c.add("rotate_right", [x, k], oracle.rotate_right(x, k), large=True)
    for n in (1, c.rng.randint(2, 9)):
        x = c.numbers(n, 0, 255)
        rows = oracle.bit_rows(x, 8)
        c.add("bits_of_bytes", [x], rows, large=True)
        c.add("bytes_of_bits", [rows], x, large=True)
        rows = oracle.bit_rows(c.numbers(n, 0, 255), 8)
        matrix = c.numbers(3, 0, 255)
        c.add("linear_image", [matrix, rows], oracle.linear_image(matrix, rows), large=True)
    for w in (1, 2, 5, 64):
        a, b = (c.rng.choice([2**w - 1, c.rng.getrandbits(w)]) for _ in range(2))
        bits_of = [[v >> i & 1 == 1 for i in range(w)] for v in (a, b, a + b)]
        c.add("add_bits", bits_of[:2], bits_of[2], large=True)
        if w > 1:
            x = [c.rng.random() < 0.5 for _ in range(w)]
            total = oracle.number_of_bits(bits_of[2]) + oracle.number_of_bits(x)
            c.called.add("add_to_pair")
            c.large.append(f'test "add_to_pair of {w}" {{\n'
                           f"    let pair = add_to_pair({literal(bits_of[:2])}, {literal(x)});\n"
                           f"    add_bits(pair[0], pair[1]) == "
                           f"{literal([total >> i & 1 == 1 for i in range(w)])}\n}}\n")
    byte = [c.rng.randrange(256)]
    c.add("bits_of_bytes", [byte], oracle.bit_rows(byte, 8))
    c.add("bytes_of_bits", [oracle.bit_rows(byte, 8)], byte)
    c.add("aes_substitute", [oracle.bit_rows(byte, 8)],
          oracle.bit_rows([oracle.aes_box(byte[0])], 8))
    a, b = c.numbers(2, 0, 7)
    bits_of = [[v >> i & 1 == 1 for i in range(3)] for v in (a, b, a + b)]
    c.add("add_bits", bits_of[:2], bits_of[2])
    pairs = [(a, b) for a in range(16) for b in range(16)]
    rows = [oracle.bit_rows([p[k] for p in pairs], 4) for k in range(2)]
    products = [oracle.product_16(a, b) for a, b in pairs]
    c.add("products_16", rows, oracle.bit_rows(products, 4), large=True)
    inverses = [oracle.inverse_16(a) for a in range(16)]
    c.add("inverses_16", [oracle.bit_rows(range(16), 4)], oracle.bit_rows(inverses, 4), large=True)
    box = [oracle.aes_box(x) for x in range(256)]
    c.add("aes_substitute", [oracle.bit_rows(range(256), 8)], oracle.bit_rows(box, 8), large=True)
    key = c.numbers(16, 0, 255)
    keys = oracle.aes_128_round_keys(key)
    for round, constant in ((0, 1), (8, 27)):
        c.add("aes_128_next_key", [oracle.bit_rows(keys[round], 8), constant],
              oracle.bit_rows(keys[round + 1], 8), large=True)
    blocks = c.matrix(c.rng.randint(1, 3), 16, 0, 255)
    c.add("aes_128", [blocks, key], [oracle.aes_128(block, key) for block in blocks], large=True)
    # FIPS 197, C.1.
    c.add("aes_128", [[[17 * i for i in range(16)]], list(range(16))],
          [list(bytes.fromhex("69c4e0d86a7b0430d8cdb78070b4c55a"))], large=True)
    # FIPS 180-4's padding takes another block for more than 55 bytes.
    for n in (3, 55 + c.rng.randint(0, 1), c.rng.randint(57, 64)):
        message = c.numbers(n, 0, 255)
        c.add("sha_256", [message], list(hashlib.sha256(bytes(message)).digest()), large=True)
    c.called.add("sha_256_block")  # by sha_256
    for n in (1, 7, 8, c.rng.randint(9, 20)):
        message = c.numbers(n, 0, 255)
        c.add("sip_hash_2_4", [message, key], oracle.sip_hash_2_4(message, key), large=True)
    c.called.add("sip_round")  # by sip_hash_2_4
    c.add("sip_hash_2_4", [list(range(15)), list(range(16))], 0xa129ca6149be45e5, large=True)


def text(c: Cases):
    for n, m in ((1, 1), (5, 1), (9, 2), (6, 6)):
        letters = [c.rng.choice([0, 255, 97]) for _ in range(n)]
        word = letters[-m:] if c.rng.random() < 0.6 else [c.rng.choice([0, 255, 98]) for _ in range(m)]
        c.add("match_counts", [letters, word], oracle.match_counts(letters, word), large=True)
        c.add("find", [letters, word], oracle.find(letters, word), large=True)
        if n < 7:
            c.add("edit_distance", [letters, word], oracle.edit_distance(letters, word), large=True)
            for k in (1, 2):
                c.add("is_within_edits", [letters, word], oracle.edit_distance(letters, word) <= k,
                      (n, m, k), large=True)
        other = [c.rng.choice([x, 5]) for x in letters]
        c.add("hamming_distance", [letters, other], oracle.hamming_distance(letters, other),
              large=True)
        for most in (0, 1, m):
            c.add("find_similar", [letters, word, most], oracle.find_similar(letters, word, most),
                  large=True)
    for a, b, k in (("kitten", "sitting", 3), ("kitten", "sitting", 2), ("abcdef", "bcdefa", 2),
                    ("abcdef", "bcdefa", 1), ("a", "abcd", 3), ("abcd", "a", 2), ("ab", "ba", 5)):
        a, b = list(a.encode()), list(b.encode())
        c.add("is_within_edits", [a, b], oracle.edit_distance(a, b) <= k, (len(a), len(b), k),
              large=True)
    automata(c)


def automata(c: Cases):
    """Words of a, b and others, of which some match (a|bb)*c?."""
    class_of = [{"a": 0, "b": 1, "c": 2}.get(chr(x), 3) for x in range(256)]
    following = [[0, 1, 2, 3], [3, 0, 3, 3], [3, 3, 3, 3], [3, 3, 3, 3]]
    accepts = [True, False, True, False]
    words = ["a", "b", "bb", "abbac", "abab", "c", "ca", "x", "bbbbbbbc", "\u00ff"]
    words += ["".join(c.rng.choice("abc") for _ in range(4)) for _ in range(3)]
    for word in words:
        matches = re.fullmatch("(a|bb)*c?", word) is not None
        tables = [list(word.encode("latin-1")), class_of, following, accepts]
        c.add("is_accepted", tables, matches, large=True)
        c.add("is_accepted_in_steps", tables, matches, large=True)
        prefixes = [re.fullmatch("(a|bb)*c?", word[:i]) is not None for i in range(len(word) + 1)]
        c.add("accepted_prefixes", tables, prefixes, large=True)
    c.called.update(["letter_classes", "transitions"])  # by is_accepted


def privacy(c: Cases):
    chance = 1 / (1 + math.exp(0.75))
    c.distribution("randomised_response", "fn(mpc) many() -> [bool; N] {\n    reveal("
                   "randomised_response(for i: N { true }, 0.75))\n}\n",
                   {False: chance, True: 1 - chance}, 2000)
    for epsilon in (0.25, 1.5):
        q = math.exp(-epsilon)
        c.distribution("discrete_laplace", "fn(mpc) many() -> [i64; N] {\n    reveal("
                       f"discrete_laplace'<N>({epsilon}))\n}}\n",
                       {x: (1 - q) / (1 + q) * q**abs(x) for x in range(-300, 301)}, 3000)
    for sigma, bound in ((0.5, 4), (3.0, 24)):
        weights = {x: math.exp(-x * x / (2 * sigma**2)) for x in range(-bound, bound + 1)}
        c.distribution("discrete_gaussian", "fn(mpc) many() -> [i64; N] {\n    reveal("
                       f"discrete_gaussian'<N, {bound}>({sigma}))\n}}\n",
                       {x: w / sum(weights.values()) for x, w in weights.items()}, 1000)
    # Two scores that differ by 1: the noise of one has to exceed that of the other.
    q = math.exp(-0.5)
    noise = {x: (1 - q) / (1 + q) * q**abs(x) for x in range(-80, 81)}
    second = sum(p * r for x, p in noise.items() for y, r in noise.items() if y + 1 > x)
    c.distribution("noisy_maximum", "fn(mpc) many() -> [i64; N] {\n"
                   "    for l: N { reveal(noisy_maximum([4, 5], 1)) }\n}\n",
                   {0: 1 - second, 1: second}, 300)


MODULES = [linear, statistics, retrieval, sets, markets, learning, images, bits, text, privacy]


def run(tacet: str, folder: pathlib.Path, name: str, devices: list) -> bool:
    passed = True
    for device in devices:
        done = subprocess.run([tacet, "test", str(folder / name), *device], text=True,
                              capture_output=True)
        if done.returncode != 0:
            lines = [line for line in done.stdout.splitlines() if not line.startswith("passed")]
            print("\n".join(lines), done.stderr, sep="\n")
            passed = False
    return passed


def surprise(counts: collections.Counter, chances: dict, n: int) -> float:
    """How far counts of draws are from their expectations: chi squared as a normal deviate, by
    Wilson and Hilferty. Results of which few are expected are taken together."""
    bins, rest = [], [0, 0.0]
    for value, chance in chances.items():
        if chance * n >= 10:
            bins.append((counts[value], chance * n))
        else:
            rest = [rest[0] + counts[value], rest[1] + chance * n]
    bins += [tuple(rest)] if rest[1] > 5 else []
    degrees = len(bins) - 1
    chi = sum((found - expected)**2 / expected for found, expected in bins)
    spread = 2 / (9 * degrees)
    return ((chi / degrees)**(1 / 3) - 1 + spread) / math.sqrt(spread)


def check_distribution(tacet: str, path: pathlib.Path, case: tuple, devices: list) -> bool:
    function, program, chances, n = case
    path.write_text(path.read_text() + program)
    passed = True
    for device in devices:
        done = subprocess.run([tacet, "run", str(path), "--fn", "many", "--device", device,
                               "--format", "json"], text=True, capture_output=True)
        if done.returncode != 0:
            print(f"{function}, {device}:", done.stdout, done.stderr, sep="\n")
            return False
        counts = collections.Counter(json.loads(done.stdout)["results"][0]["value"])
        far = surprise(counts, chances, n)
        # 5 deviations: once in some 10^6 runs.
        if far > 5 or not set(counts) <= set(chances):
            print(f"{function}, {device}: {dict(counts)} are {far} deviations off")
            passed = False
    return passed


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("tacet")
    parser.add_argument("library", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--only", help="the modules, separated by commas")
    parser.add_argument("--source", action="store_true", help="the files, not the program's copy")
    options = parser.parse_args()
    modules = [m for m in MODULES if not options.only or m.__name__ in options.only.split(",")]
    passed = True
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or pathlib.Path(scratch)
        folder.mkdir(exist_ok=True)
        for module in modules:
            name = module.__name__
            text_of_module = (options.library / f"{name}.tacet").read_text()
            cases = Cases(random.Random(f"{options.seed} {name}"))
            for _ in range(options.rounds):
                module(cases)
            head = HEADER + f'import "std/{name}"\n\n'
            if options.source:
                head = HEADER + f"import source_of_{name}\n\n"
                (folder / f"source_of_{name}.tacet").write_text(text_of_module)
            (folder / f"{name}.tacet").write_text(head + "\n".join(cases.everywhere))
            (folder / f"{name}_large.tacet").write_text(head + "\n".join(cases.large))
            passed = run(options.tacet, folder, f"{name}.tacet", [[]]) and passed
            passed = run(options.tacet, folder, f"{name}_large.tacet",
                         [["--device", "ref"], ["--device", "mpc"]]) and passed
            for i, case in enumerate(cases.distributions):
                path = folder / f"{name}_draws{i}.tacet"
                path.write_text(head)
                passed = check_distribution(options.tacet, path, case, ["ref", "mpc"]) and passed
            for devices, function in DECLARED.findall(text_of_module):
                if function not in cases.called:
                    print(f"{options.library}/{name}.tacet: `{function}` has no test")
                    passed = False
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Runs every function of the library on random and extreme inputs against tests/library/oracle.py.

It writes tests with the numbers that the oracle gives, and has `tacet test` run them: one of each
function on all of its devices, and more, with the ends of the types, in plaintext and by parties. A
function of the library without a test is an error.

usage: check_library.py TACET LIBRARY [--seed N] [--rounds N] [--only MODULES] [--keep FOLDER]
"""

import argparse
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
        c.add("dot_fxp", [x, y], float(oracle.dot(x, y)), within=near, large=large)
        c.add("matrix_vector_fxp", [a, y], oracle.matrix_vector(a, y), within=near, large=large)
        c.add("matrix_matrix_fxp", [a, b], oracle.matrix_matrix(a, b), within=near, large=large)
        c.add("transpose_fxp", [a], oracle.transpose(a), within=near, large=large)
        if not large:
            c.add("squared_distances_fxp", [a, x], oracle.squared_distances(a, x), within=near)
    c.add("dot", [[3], [-7]], -21)
    c.add("matrix_matrix", [[[3]], [[5]]], [[15]], large=True)
    c.add("transpose", [[[LEAST]]], [[LEAST]], large=True)


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
        c.add("median_fxp", [r], oracle.median(r), within=2**-18, large=True)
        for percent in (0, 1, 50, c.rng.randint(0, 100), 100):
            c.add("quantile", [v, percent], oracle.quantile(v, percent), large=True)


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


def bits(c: Cases):
    for x in (0, 1, 2**64 - 1, 2**63, c.rng.getrandbits(64)):
        c.add("popcount", [x], x.bit_count(), large=True)
        for k in (0, 1, 63, c.rng.randrange(64)):
            c.add("rotate_left", [x, k], oracle.rotate_left(x, k), large=True)
            c.add("rotate_right", [x, k], oracle.rotate_right(x, k), large=True)


def text(c: Cases):
    for n, m in ((1, 1), (5, 1), (9, 2), (6, 6)):
        letters = [c.rng.choice([0, 255, 97]) for _ in range(n)]
        word = letters[-m:] if c.rng.random() < 0.6 else [c.rng.choice([0, 255, 98]) for _ in range(m)]
        c.add("match_counts", [letters, word], oracle.match_counts(letters, word), large=True)
        c.add("find", [letters, word], oracle.find(letters, word), large=True)
        if n < 7:
            c.add("edit_distance", [letters, word], oracle.edit_distance(letters, word), large=True)


MODULES = [linear, statistics, retrieval, sets, markets, learning, images, bits, text]


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


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("tacet")
    parser.add_argument("library", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--only", help="the modules, separated by commas")
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
            (folder / f"{name}.tacet").write_text(head + "\n".join(cases.everywhere))
            (folder / f"{name}_large.tacet").write_text(head + "\n".join(cases.large))
            passed = run(options.tacet, folder, f"{name}.tacet", [[]]) and passed
            passed = run(options.tacet, folder, f"{name}_large.tacet",
                         [["--device", "ref"], ["--device", "mpc"]]) and passed
            for devices, function in DECLARED.findall(text_of_module):
                if function not in cases.called:
                    print(f"{options.library}/{name}.tacet: `{function}` has no test")
                    passed = False
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())

"""Rounds, bytes and time of ordinary loops on three parties: a Markdown table.

    table.py TACET [--before TACET] [--only TEXT] [--repeat 3] [--check]

Runs each function of `loops.tacet` on random values, beside the reference device, with the smallest time of
`--repeat` runs. `--before` is an older program to put beside it. The last column is a lower bound of what a person
would write: steps that depend on each other, in rounds of this protocol. With `--check` nothing is timed, and the
exit status is 1 if a result is not that of the reference device.
"""

import argparse
import json
import random
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).parent / "loops.tacet"

# Rounds of operations on i32 and on fixed point, three parties.
MIN, LESS, EQ, SELECT, MUL, FMUL = 11, 8, 6, 3, 1, 2


def ints(shape, low=0, high=100):
    if not shape:
        return random.randrange(low, high)
    return [ints(shape[1:], low, high) for _ in range(shape[0])]


def bools(n):
    return [random.random() < 0.5 for _ in range(n)]


def reals(shape, low, high):
    if not shape:
        return round(random.uniform(low, high), 4)
    return [reals(shape[1:], low, high) for _ in range(shape[0])]


def diagonal(n, width=None):
    """A matrix that eliminations are stable on."""
    rows = reals([n, width or n], -0.5, 0.5)
    for i in range(n):
        rows[i][i] = 3.5
    return rows


def symmetric(n):
    rows = diagonal(n)
    return [[rows[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)]


def permutations(n):
    return [random.sample(range(n), n) for _ in range(n)]


def rank_of(orders):
    return [[order.index(i) for i in range(len(order))] for order in orders]


# Name: values, rounds that a person would need, within how much fixed point must agree.
PROGRAMS = {
    "prefix_sums": (lambda: [ints([64])], 0),
    "conditional_scan": (lambda: [ints([64])], LESS + SELECT + 6 * MUL),
    "largest_and_place": (lambda: [ints([1000], -1000, 1000)], 10 * MIN),
    "edit_distance": (lambda: [ints([32], 0, 4), ints([32], 0, 4)], 63 * 2 * MIN),
    "common_subsequence": (lambda: [ints([24], 0, 3), ints([24], 0, 3)], 47 * (MIN + 1)),
    "smith_waterman": (lambda: [ints([20], 0, 3), ints([20], 0, 3)], 39 * 3 * MIN),
    "all_shortest_paths": (lambda: [ints([16, 16], 1, 1000)], 16 * MIN),
    "bellman_ford": (lambda: [ints([10, 10], 1, 1000)], 9 * 4 * MIN),
    "dijkstra": (lambda: [ints([8, 8], 1, 1000)], 8 * (3 * (MIN + 2) + EQ + SELECT + MIN)),
    "viterbi": (lambda: [ints([6, 6]), ints([20, 6])], 20 * 3 * MIN),
    "knapsack": (lambda: [ints([20], 1, 50), ints([20], 1, 40)], 20 * MIN),
    "matrix_chain": (lambda: [ints([11], 1, 20)], 9 * 4 * MIN),
    "game_of_life": (lambda: [ints([12, 12], 0, 2)], 4 * (EQ + 3)),
    "lu": (lambda: [diagonal(6)], 5 * (25 + FMUL)),
    "cholesky": (lambda: [symmetric(6)], 6 * (40 + FMUL)),
    "butterflies": (lambda: [reals([16], -1, 1), reals([16], -1, 1)], 4 * FMUL),
    "bitonic_sort": (lambda: [ints([32])], 15 * MIN),
    "bubble_sort": (lambda: [ints([16])], 29 * MIN),
    "searches": (lambda: [sorted(ints([64])), ints([20])], 6 * (EQ + MUL + LESS + SELECT + 10)),
    "longest_run": (lambda: [ints([100], 0, 2)], EQ + 7 * MUL + 7 * MIN),
    "balanced": (lambda: [bools(100)], 2 + 7 * MIN + EQ),
    "parity_automaton": (lambda: [ints([200], 0, 4)], EQ + 8),
    "automaton": (lambda: [ints([40], 0, 4), ints([8, 4], 0, 8)], 2 * EQ + 6),
    "moving_median": (lambda: [ints([40])], 3 * MIN),
    "k_means": (lambda: [ints([24]), ints([3])], 3 * (2 * MIN + EQ + 60)),
    "page_rank": (lambda: [reals([8, 8], 0, 0.12)], 10 * FMUL),
    "convolution": (lambda: [ints([64]), ints([5])], MUL),
    "horner": (lambda: [ints([64], 0, 9), ints([], 0, 9)], 6 * MUL),
    "newton": (lambda: [reals([], 0.6, 1.9)], 6 * 25),
    "fibonacci_like": (lambda: [ints([100], 0, 9), ints([100], 0, 9)], 7 * MUL),
    "chinese_remainders": (lambda: [[random.randrange(m) for m in (3, 5, 7, 11, 13, 17)]], 70),
    "median_of_medians": (lambda: [ints([25])], 2 * 5 * MIN),
    "auction": (lambda: [ints([10, 4])], 4 * 2 * MIN),
    "stable_matching": (lambda: [permutations(4), rank_of(permutations(4))], 16 * 40),
    "saturating_sum": (lambda: [ints([64], -60, 60)], 6 * 2 * MIN),
    "carries": (lambda: [bools(64), bools(64)], 7),
    "longest_increasing": (lambda: [ints([24])], 23 * MIN),
    "gaussian_elimination": (lambda: [diagonal(5, 6)], 6 * 25 + 5 * FMUL),
    "histogram": (lambda: [ints([50], 0, 8)], EQ + 2),
    "exponential_average": (lambda: [reals([40], 0, 8)], FMUL),
    "queue": (lambda: [ints([64], -60, 60)], 6 * 2 * MIN),
    "largest_sum": (lambda: [ints([64], -1000, 1000)], 7 * MIN),
    "populations": (lambda: [ints([64]), ints([64])], 7 * MUL),
    "recursive_filter": (lambda: [ints([64]), ints([2])], 7 * MUL),
    "interest": (lambda: [ints([32, 4]), ints([32, 4])], 6 * MUL),
}


def run(tacet: str, name: str, values: list, device: str) -> dict | None:
    given = [json.dumps(value) for value in values]
    command = [tacet, "run", str(SOURCE), "--fn", name, "--device", device, "--format", "json",
               "--stats", *given]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(f"{name} on {device}:\n{done.stderr}", file=sys.stderr)
        return None
    return json.loads(done.stdout)


def differs(found, expected) -> bool:
    if isinstance(found, list):
        return len(found) != len(expected) or any(map(differs, found, expected))
    if isinstance(found, dict):
        return any(differs(found[key], expected[key]) for key in expected)
    if isinstance(found, float):
        return abs(found - expected) > 1e-2
    return found != expected


def measured(tacet: str, name: str, values: list, n: int) -> tuple | None:
    runs = [run(tacet, name, values, "mpc") for _ in range(n)]
    if None in runs:
        return None
    seconds = min(each["stats"]["seconds"]["evaluate"] for each in runs)
    stats = runs[0]["stats"]
    return runs[0], stats["rounds"], stats["bytes_sent"], seconds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tacet")
    parser.add_argument("--before")
    parser.add_argument("--only", default="")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    random.seed(1)
    n_wrong = 0
    if not options.check:
        print("| program | rounds before | after | bytes before | after | ms before | after | "
              "by hand, at least |\n|---|---|---|---|---|---|---|---|")
    for name, (make, by_hand) in PROGRAMS.items():
        values = make()
        if options.only not in name:
            continue
        expected = run(options.tacet, name, values, "ref")
        after = measured(options.tacet, name, values, 1 if options.check else options.repeat)
        if after is None or expected is None or differs(after[0]["results"], expected["results"]):
            n_wrong += 1
            print(f"{name}: wrong", file=sys.stderr)
            continue
        before = None
        if options.before:
            before = measured(options.before, name, values, options.repeat)
        if not options.check:
            old = before[1:] if before else ("", "", None)
            milliseconds = "" if old[2] is None else f"{old[2] * 1e3:.0f}"
            print(f"| {name} | {old[0]} | {after[1]} | {old[1]} | {after[2]} | {milliseconds} | "
                  f"{after[3] * 1e3:.0f} | {by_hand} |", flush=True)
    return 1 if n_wrong else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Integer programs on `he` that arithmetic schemes find hard, as whole runs.

    python3 bench/he/integers.py TACET [N_RUNS]

Prints the median of the runs' times and their largest memory, beside the aims, and checks results.
"""

import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

TEXT = """#version 0.1.0

fn(he) less(a: secret i64 in 0..4000 from client, b: secret i64 in 0..4000 from client) -> secret bool { a < b }
fn(he) sevenths(x: secret i64 in 0..4000 from client) -> secret i64 { x / 7 }
fn(he) exclusive(a: secret i64 in 0..256 from client, b: secret i64 in 0..256 from client) -> secret i64 { a ^ b }
fn(he) largest(a: secret [i64; 10] in 0..64 from client) -> secret i64 { max(a) }
fn(he) place(a: secret [i64; 10] in 0..64 from client) -> secret i64 {
    let greatest = max(a);
    min(for i: 10 { i if a[i] == greatest else 10 })
}
fn(he) lookup(t: secret [i64; 512] in 0..64 from server, i: secret i64 in 0..512 from client) -> secret i64 { t[i] }
fn(he) running(a: secret [i64; 1000] in 0..64 from client) -> secret [i64; 1000] {
    var total = 0;
    var all: secret [i64; 1000] = [0; 1000];
    for i in 0..1000 { total = total + a[i]; all[i] = total; }
    all
}
fn(he) average(a: secret [i64; 40] in 0..100 from client) -> secret i64 { sum(a) / 40 }
"""


def below(limit, n):
    return [random.randrange(limit) for _ in range(n)]


# Name, aim in seconds, inputs, what the result is.
PROGRAMS = [
    ("less", 1.5, lambda: below(4000, 2), lambda a, b: a < b),
    ("sevenths", 2, lambda: below(4000, 1), lambda x: x // 7),
    ("exclusive", 2, lambda: below(256, 2), lambda a, b: a ^ b),
    ("largest", 3, lambda: [below(64, 10)], max),
    ("place", 4, lambda: [below(64, 10)], lambda a: a.index(max(a))),
    ("lookup", 1, lambda: [below(64, 512), random.randrange(512)], lambda t, i: t[i]),
    ("running", 1, lambda: [below(64, 1000)], lambda a: [sum(a[: i + 1]) for i in range(1000)]),
    ("average", 8, lambda: [below(100, 40)], lambda a: sum(a) // 40),
]


def run(tacet, file, name, inputs):
    """Seconds, MiB and the result of a run."""
    begin = time.monotonic()
    process = subprocess.Popen(
        [tacet, "run", file, "--fn", name, "--device", "he", *map(json.dumps, inputs)],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    out = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - begin
    if status != 0:
        sys.exit(f"{name} failed")
    return seconds, usage.ru_maxrss / 1024, json.loads(out.split("=", 1)[1])


def main():
    tacet = sys.argv[1]
    n_runs = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    random.seed(1)
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "integers.tacet")
        file.write_text(TEXT)
        print(f"{'':10} {'median s':>9} {'aim s':>6} {'MiB':>6}")
        for name, aim, inputs_of, result_of in PROGRAMS:
            runs = []
            for _ in range(n_runs):
                inputs = inputs_of()
                *cost, found = run(tacet, file, name, inputs)
                if found != result_of(*inputs):
                    sys.exit(f"{name}{inputs} is {found}, not {result_of(*inputs)}")
                runs.append(cost)
            print(f"{name:10} {statistics.median(r[0] for r in runs):9.2f} {aim:6.1f} "
                  f"{max(r[1] for r in runs):6.0f}")


if __name__ == "__main__":
    main()

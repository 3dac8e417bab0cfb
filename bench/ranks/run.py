#!/usr/bin/env python3
"""Measures servers of several processes, and tabulates the model's times on up to 64 machines.

usage: run.py TACET [--model-only]

64 independent blocks on four ranks of one thread each, which share this machine: what counts is the work of each rank
by its threads' own clocks, and the bytes between ranks, against the inputs and outputs of the blocks that are not at
the root. The table is for machines of one thread, with links of 10 Gbit/s and of 1 Gbit/s, and the operation times of
this machine (`tacet bench --calibrate`) or those that Tacet comes with.
"""

import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

BLOCKS = """he_program 1
slots 2 x 8192
modulus 65537
primes 6
input a[64, 64] from client
cipher x[i:64] = a[i, c] over (c:64) repeat
cipher y
for i: 64 {
  x[i] = mul x[i], x[i]
  x[i] = relinearise x[i]
  x[i] = drop x[i]
  y = rotate x[i], 1
  x[i] = add x[i], y
  y = rotate x[i], 2
  x[i] = add x[i], y
  x[i] = mul x[i], x[i]
  x[i] = relinearise x[i]
  x[i] = drop x[i]
}
output o[64, 64] over (i:64, c:64) [i, c] = x[i] at 0, c
"""

DIAGONALS = """he_program 1
slots 2 x 8192
modulus 65537
primes 4
input a[512] from client
input m[512, 512] from server
cipher x = a[j] over (j:512) repeat
native d[i:512] = m[j, (i + j) mod 512] over (j:512) repeat
plain w
cipher sum
cipher term
w = encode d[0]
sum = mul x, w
for i: 1..512 {
  w = encode d[i]
  term = rotate x, i
  term = mul term, w
  sum = add sum, term
}
output o[512] over (j:512) [j] = sum at 0, j
"""

# A tree of products: each level has half of the work of the one before.
TREE = """he_program 1
slots 2 x 8192
modulus 65537
primes 8
input a[128, 64] from client
cipher x[i:128] = a[i, c] over (c:64) repeat
""" + "".join(f"""for i: {64 >> level} {{
  x[i] = mul x[2*i], x[2*i + 1]
  x[i] = relinearise x[i]
  x[i] = drop x[i]
}}
""" for level in range(7)) + """output o[64] over (c:64) [c] = x[0] at 0, c
"""

TACET = pathlib.Path(sys.argv[1]).resolve()
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def run(folder, *words):
    return subprocess.run([str(word) for word in words], cwd=folder, env=ENVIRONMENT, check=True,
                          capture_output=True, text=True).stdout


RUNS = 15


def measure(folder):
    (folder / "blocks.he").write_text(BLOCKS)
    (folder / "a.json").write_text(str([[(i + c) % 4 for c in range(64)] for i in range(64)]))
    run(folder, TACET, "run", "blocks.he", "--role", "client", "--input", "a=@a.json")
    run(folder, TACET, "run", "blocks.he", "--role", "server")
    exchange = folder / "blocks.he.exchange"
    alone = (exchange / "results").read_bytes()
    runs = []
    for _ in range(RUNS):
        (exchange / "results").unlink()
        stats = json.loads(run(folder, "mpirun", "--oversubscribe", "-n", 4, TACET, "run", "blocks.he", "--role", "server",
                               "--threads", 1, "--stats", "--format", "json"))["stats"]
        assert (exchange / "results").read_bytes() == alone, "the bytes differ from those of one process"
        runs.append(stats["ranks"])
    # Who touches memory for the first time waits for the system, each time somebody else.
    work = [statistics.median(ranks[i]["work_seconds"] for ranks in runs) for i in range(4)]
    mean = sum(work) / len(work)
    operations = [rank["operations"] for rank in runs[0]]
    sent = sum(rank["bytes_sent"] for rank in runs[0])
    least = 48 / 64 * ((exchange / "inputs").stat().st_size + len(alone))
    print(f"64 blocks on 4 ranks: operations {operations}, work {[round(seconds, 3) for seconds in work]} s")
    print(f"imbalance: {100 * (max(operations) / (sum(operations) / 4) - 1):.1f} % of operations, "
          f"{100 * (max(work) / mean - 1):.1f} % of measured work, the medians of {RUNS} runs")
    print(f"bytes: {sent / 1e6:.1f} MB, {sent / least:.3f} of the least; equal bytes of results: yes")


def model(folder, name, program, megabits):
    path = folder / f"{name}.he"
    path.write_text(program)
    row = []
    for ranks in (1, 4, 8, 16, 32, 64):
        text = run(folder, TACET, "emit", "--from", "program", "--stage", "distribution", "--ranks", ranks,
                   "--interconnect", megabits, "--threads", 1, f"{name}.he")
        time = float(re.search(r"predicted (\S+) ms", text)[1])
        sent = float(re.search(r"message\S*, (\S+) MB", text)[1])
        row.append((time, sent))
    return row


def main():
    folder = pathlib.Path(tempfile.mkdtemp())
    if "--model-only" not in sys.argv:
        measure(folder)
    print("| program | link | " + " | ".join(f"{n} ranks" for n in (1, 4, 8, 16, 32, 64)) + " |")
    print("|---|---|" + "---|" * 6)
    for name, program in (("blocks", BLOCKS), ("diagonals", DIAGONALS), ("tree", TREE)):
        for megabits in (10000, 1000):
            row = model(folder, name, program, megabits)
            cells = [f"{row[0][0]:.0f} ms"] + [f"{row[0][0] / time:.1f} x, {sent:.0f} MB" for time, sent in row[1:]]
            print(f"| {name} | {megabits // 1000} Gbit/s | " + " | ".join(cells) + " |")


main()

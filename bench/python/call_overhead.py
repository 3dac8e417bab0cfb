#!/usr/bin/env python3
"""Prints what a call from Python costs beside the library, as medians.

usage: call_overhead.py [--runs N]

TACET_LIBRARY names the shared library, and the folder `python` is on PYTHONPATH. `call` is the time of
the call, `library` that of the function of the C interface in it, and `overhead` is what Python adds.
"""

import argparse
import statistics
import sys
import time

import tacet
from tacet._library import library

SOURCE = """#version 0.1.0
fn(mpc) same(x: secret i64) -> secret i64 { x }
fn(mpc) total(x: secret [i64; 10000] in 0..1000) -> secret i64 { sum(x) }
fn(mpc) twice(x: secret [i64; 10000] in 0..1000) -> secret [i64; 10000] { x + x }
fn(he) dot(x: secret [i64; 4] in 0..256 from client, w: [i64; 4] in 0..256 from server) -> secret i64 {
    sum(x * w)
}
"""


class Timed:
    """A function of the library that adds up the time of its calls."""

    def __init__(self, name: str) -> None:
        self._function = getattr(library, name)
        self.seconds = 0.0
        setattr(library, name, self)

    def __call__(self, *arguments: object) -> object:
        begin = time.perf_counter()
        error = self._function(*arguments)
        self.seconds += time.perf_counter() - begin
        return error


def measure(run, function: Timed, runs: int) -> tuple:
    """Medians in microseconds: of the calls, of the library's share, and of the differences."""
    calls, shares = [], []
    for _ in range(runs):
        function.seconds = 0
        begin = time.perf_counter()
        run()
        calls.append((time.perf_counter() - begin) * 1e6)
        shares.append(function.seconds * 1e6)
    overheads = [call - share for call, share in zip(calls, shares)]
    return statistics.median(calls), statistics.median(shares), statistics.median(overheads)


def cases():
    numbers = list(range(1000)) * 10
    run, encrypt = Timed("tacet_run"), Timed("tacet_client_encrypt")
    evaluate, decrypt = Timed("tacet_server_evaluate"), Timed("tacet_client_decrypt")
    same, total, twice = (tacet.compile(SOURCE, name, "ref") for name in ("same", "total", "twice"))
    yield "ref, a number", lambda: same(7), run
    yield "ref, a list of 10,000 numbers to a sum", lambda: total(numbers), run
    try:
        import numpy as np
    except ImportError:
        print("NumPy is not installed: no arrays", file=sys.stderr)
    else:
        array = np.array(numbers)
        yield "ref, an array of 10,000 numbers to a sum", lambda: total(array), run
        yield "ref, an array of 10,000 numbers to another", lambda: twice(array), run
    dot = tacet.compile(SOURCE, "dot")
    client = tacet.Client(dot)
    x, w = [1, 2, 3, 4], [5, 6, 7, 8]
    server = tacet.Server(dot, client.keys, w)
    request = client.encrypt(x)
    answer = server.evaluate(request)
    yield "he, client and server in one call", lambda: dot(x, w), run
    yield "he, Client.encrypt", lambda: client.encrypt(x), encrypt
    yield "he, Server.evaluate", lambda: server.evaluate(request), evaluate
    yield "he, Client.decrypt", lambda: client.decrypt(answer), decrypt


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--runs", type=int, default=300)
    runs = parser.parse_args().runs
    print(f"{'microseconds':44}{'call':>10}{'library':>10}{'overhead':>10}")
    for name, run, function in cases():
        measure(run, function, max(runs // 10, 3))
        call, share, overhead = measure(run, function, runs)
        print(f"{name:44}{call:10.1f}{share:10.1f}{overhead:10.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

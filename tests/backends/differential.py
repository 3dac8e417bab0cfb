"""Code for other libraries against the reference device.

usage: from differential import main, Backend

A backend builds the code in a folder and runs it. Every program runs on numbers at the ends of their
ranges and on random ones; integers must be equal, and reals within the bound that the compiler states,
times `ERRORS`.
"""

import argparse
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

from cases import CASES, is_slow

ERRORS = 1
ROOT = pathlib.Path(__file__).resolve().parents[2]


class Failure(Exception):
    pass


def run(command, directory=ROOT):
    done = subprocess.run(command, capture_output=True, text=True, cwd=directory)
    if done.returncode != 0:
        raise Failure(f"{' '.join(map(str, command))[:300]}\nended with {done.returncode}: "
                      f"{done.stderr[-400:]}{done.stdout[-200:]}")
    return done.stdout


class Interface:
    """The inputs and results of a compiled program, from its text."""

    def __init__(self, text):
        self.inputs = []
        self.errors = {}
        extents = {}
        for name, shape in re.findall(r"^input (\w+)(?:\[([\d, ]+)\])?", text, re.M):
            extents[name] = [int(n) for n in shape.split(",")] if shape else []
        for line in text.splitlines():
            words = line.split()
            if line.startswith("%input"):
                self.inputs.append((words[2], int(words[3]), int(words[4]), extents[words[1]]))
            elif line.startswith("%result"):
                self.errors[words[1]] = float(words[6]) if len(words) > 5 else 0

    def values(self, choose):
        """JSON values of all inputs; `choose` gives elements as they are stored."""
        return [json.dumps(self.array(type_, low, high, extents, choose))
                for type_, low, high, extents in self.inputs]

    def array(self, type_, low, high, extents, choose):
        if extents:
            return [self.array(type_, low, high, extents[1:], choose) for _ in range(extents[0])]
        stored = choose(low, high)
        if type_ == "bool":
            return stored != 0
        if type_.startswith("fxp"):
            return stored / 2 ** int((re.search(r"\d+", type_) or ["18"])[0])
        return stored


def choices(seed, is_quick):
    chance = random.Random(seed)
    all_choices = [("low", lambda low, high: low), ("high", lambda low, high: high),
            ("zero", lambda low, high: min(max(0, low), high)),
            ("random", lambda low, high: chance.randint(low, high)),
            ("ends", lambda low, high: chance.choice([low, high]))]
    return all_choices[-2:] if is_quick else all_choices


def flat(value):
    return [x for each in value for x in flat(each)] if isinstance(value, list) else [value]


def compare(expected, found, errors):
    """How far results are apart, as a part of what is allowed; a failure if that is too far."""
    most = 0.0
    for ours, theirs in zip(expected["results"], found["results"], strict=True):
        a, b = flat(ours["value"]), flat(theirs["value"])
        if ours["name"] != theirs["name"] or ours["type"] != theirs["type"] or len(a) != len(b):
            raise Failure(f"results differ in shape: {ours} and {theirs}")
        allowed = errors[ours["name"]] * ERRORS
        for x, y in zip(a, b):
            if allowed == 0 and x != y or abs(x - y) > allowed:
                raise Failure(f"result {ours['name']}: expected {x}, got {y}")
            most = max(most, abs(x - y) / allowed if allowed else 0.0)
    return most


def test_case(tacet, backend, case, folder, choose_all):
    file, shared, options = case
    started = time.monotonic()
    run([tacet, "emit", "--to", backend.target, file, *shared, *options, "--unhidden", "-o", folder])
    emitted = time.monotonic() - started
    bundle = run([tacet, "emit", "--stage", "program", file, *shared, *options,
                  "--unhidden"])
    interface = Interface(bundle)
    program = backend.build(folder)
    most, took = 0.0, 0.0
    for name, choose in choose_all:
        values = interface.values(choose)
        arguments = []
        for i, value in enumerate(values):
            path = folder / f"{name}{i}.json"
            path.write_text(value)
            arguments.append(f"@{path}")
        reference = json.loads(run([tacet, "run", "--format", "json", file, *shared, *arguments]))
        started = time.monotonic()
        found = json.loads(run([*program, *arguments]))
        took += time.monotonic() - started
        most = max(most, compare(reference, found, interface.errors))
    return emitted, took / len(choose_all), most




def main(backend):
    parser = argparse.ArgumentParser()
    parser.add_argument("tacet")
    parser.add_argument("--only", default="", help="a part of the names of programs")
    parser.add_argument("--quick", action="store_true", help="without programs that take seconds")
    parser.add_argument("--seed", type=int, default=20251128)
    backend.add_arguments(parser)
    arguments = parser.parse_args()
    arguments.tacet = str(pathlib.Path(arguments.tacet).resolve())
    backend.prepare(arguments)
    n_passed = n_failed = n_skipped = 0
    for case in CASES:
        name = " ".join([pathlib.Path(case[0]).name, *case[1], *case[2]])
        if arguments.only not in name or (arguments.quick and is_slow(case)):
            continue
        with tempfile.TemporaryDirectory(prefix="tacet_backend_") as folder:
            try:
                emitted, took, most = test_case(arguments.tacet, backend, case,
                                                pathlib.Path(folder),
                                                choices(arguments.seed, arguments.quick))
            except Failure as failure:
                known = backend.limits(case, str(failure))
                n_skipped += known
                n_failed += not known
                print(f"{'limit ' if known else 'FAILED'} {name}\n       {failure}", flush=True)
                continue
        n_passed += 1
        error = f", {most:.2g} of the allowed error" if most else ""
        print(f"passed {name}: emitted in {1000 * emitted:.0f} ms, run in {took:.2f} s{error}",
              flush=True)
    try:
        backend.extra(arguments)
    except Failure as failure:
        n_failed += 1
        print(f"FAILED {failure}", flush=True)
    print(f"{n_passed} passed, {n_failed} failed, {n_skipped} beyond the library's limits")
    return 1 if n_failed or not n_passed else 0


class Backend:
    """How code for a library is built and run."""

    target = ""

    def add_arguments(self, parser):
        pass

    def prepare(self, arguments):
        pass

    def build(self, folder):
        """The command that runs the code in a folder."""
        raise NotImplementedError

    def extra(self, arguments):
        """Further tests, which raise a failure."""

    def limits(self, case, failure):
        """Whether a failure is a documented limit of the library."""
        return False

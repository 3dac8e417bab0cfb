"""Compiles source for MP-SPDZ and runs it in the library's emulator, against the reference device.

usage: run_mp_spdz.py TACET SOURCES, where SOURCES is a checkout of data61/MP-SPDZ in which `make emulate.x`
has been run

The emulator has one party, so all inputs are read from the first one's file, in their order. Results are
recorded in bench/backends/README.md.
"""

import argparse
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

from differential import ROOT, Failure, flat, run

FORMS = "tests/backends/programs/parties.tacet"
EDGES = [-2**63, 2**63 - 1, 0, -1, 1, 2**62, -2**62, 2**32, -2**32 - 1]
# Functions of FORMS or of examples, with the kinds of their inputs: numbers and truth values by extents.
CASES = [(FORMS, "orders"), (FORMS, "extremes"), (FORMS, "logic"), (FORMS, "sums"),
         (FORMS, "products"), (FORMS, "moved"), (FORMS, "sorted"), (FORMS, "quotients"),
         ("examples/mpc/salaries.tacet", "statistics")]


def inputs_of(program):
    """Owner-independent: name, kind and extents of all inputs, from the text of a program."""
    found = re.findall(r"^input (\w+): secret (\w+)(?:\[([\d, ]+)\])?", program, re.M)
    return [(kind, [int(n) for n in extents.split(",")] if extents else [])
            for _, kind, extents in found]


def value(kind, extents, choose):
    if extents:
        return [value(kind, extents[1:], choose) for _ in range(extents[0])]
    return choose() % 2 == 1 if kind == "bool" else choose()


def test(tacet, sources, file, function, seed):
    chance = random.Random(seed)
    program = run([tacet, "emit", "--stage", "mpc", file, "--fn", function])
    code = run([tacet, "emit", "--to", "mp-spdz", file, "--fn", function])
    code = re.sub(r"get_input_from\(\d+\)", "get_input_from(0)", code)
    (sources / "Programs" / "Source" / "tacet_test.mpc").write_text(code)
    run(["python3", sources / "compile.py", "-R", "64", "tacet_test"], directory=sources)
    for choose in (lambda: chance.choice(EDGES), lambda: chance.randint(-20, 20),
                   lambda: chance.randint(-2**63, 2**63 - 1)):
        values = [value(kind, extents, choose) for kind, extents in inputs_of(program)]
        reference = json.loads(run([tacet, "run", "--format", "json", file, "--fn", function, "--",
                                    *map(json.dumps, values)]))["results"]
        player = sources / "Player-Data" / "Input-P0-0"
        player.parent.mkdir(exist_ok=True)
        player.write_text(" ".join(str(int(x)) for x in flat(values)) + "\n")
        out = run([sources / "emulate.x", "tacet_test"], directory=sources)
        found = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
        for ours, theirs in zip(reference, found, strict=True):
            if [int(x) for x in flat(ours["value"])] != flat(theirs["value"]):
                raise Failure(f"{function} of {values}: expected {ours}, got {theirs}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tacet")
    parser.add_argument("sources", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=20251128)
    arguments = parser.parse_args()
    tacet = str(pathlib.Path(arguments.tacet).resolve())
    n_failed = 0
    for file, function in CASES:
        try:
            test(tacet, arguments.sources.resolve(), file, function, arguments.seed)
            print(f"passed {function}", flush=True)
        except Failure as failure:
            n_failed += 1
            print(f"FAILED {function}\n       {failure}", flush=True)
    print(f"{len(CASES) - n_failed} passed, {n_failed} failed")
    return 1 if n_failed else 0


sys.exit(main())

#!/usr/bin/env python3
"""Random regular expressions, imported: the tables of the programs, run here, against Python's `re`, and some programs
run on a device.

usage: patterns.py TACET [--runs N] [--seed N]
"""

from __future__ import annotations

import argparse
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

ATOMS = ["a", "b", "c", "0", "é", ".", "[ab]", "[^a]", "[a-c0-9]", r"\d", r"\W", r"\s", r"[^\w-]", r"\x00", r"\xff",
         r"[\x80-\xff]", r"\.", "()", r"[]a]", r"\n", "-", "[a-]", "B", "(?i:b)", "(?s:.)", r"[\s\S]"]
REPEATS = ["*", "+", "?", "{2}", "{0}", "{1,3}", "{2,}", "{0,2}", "*?", "{0,}"]
LETTERS = [b"a", b"b", b"c", b"0", "é".encode(), b".", b"\n", b"\x00", b"\xff", b" ", b"-", b"B", b"]", b"ab"]
FIXED = ["()", "^", "$", "^$", "$^", "a$|^b", "(a*)*", "((a?)*b{0,2})*", "(^a|b)*", "(a|b$)*", "a|", "|", "[^\\x00-\\xff]",
         "(?i)abC", "(a{2}){3}", ".*a.{3}", "GAT+ACA|[0-9]{3}-[0-9]{4}", "(?P<word>a+)b", "a{20}", "(?:a?){12}a{12}", "(?i)[^b]"]


def pattern_of(rng: random.Random, depth: int) -> str:
    kind = rng.random()
    if depth == 0 or kind < 0.25:
        return rng.choice(ATOMS)
    if kind < 0.55:
        return "".join(pattern_of(rng, depth - 1) for _ in range(rng.randint(1, 3)))
    if kind < 0.7:
        return "(?:" + "|".join(pattern_of(rng, depth - 1) for _ in range(rng.randint(2, 3))) + ")"
    if kind < 0.93:
        return "(" + pattern_of(rng, depth - 1) + ")" + rng.choice(REPEATS)
    return rng.choice(["^", "$"]) + pattern_of(rng, depth - 1)


def compiled(pattern: str) -> re.Pattern[bytes]:
    """The same language for `re`, whose `$` also matches in front of a last line feed, and whose items are bytes."""
    return re.compile(pattern.replace("é", "(?:é)").replace("$", r"\Z").encode())


def table(source: str, name: str):
    found = re.search(rf"^const {name} = (.*?\])$", source, re.MULTILINE | re.DOTALL)
    return json.loads(re.sub(r",\s*\]", "]", found[1])) if found else None


def state_after(source: dict, name: str, text: bytes) -> list[int]:
    states = [0]
    for letter in text:
        states.append(source[name + "_next"][states[-1]][source[name + "_class_of"][letter]])
    return states


def tables_of(source: str) -> dict:
    names = [f"{a}_{b}" for a in ("p", "p_anywhere", "p_backwards") for b in ("class_of", "next", "accepts")]
    return {name: table(source, name) for name in names + ["p_backwards_accepts_inside"]}


def expected(regex: re.Pattern[bytes], text: bytes) -> tuple[bool, bool, list[bool]]:
    places = [regex.match(text, i) is not None for i in range(len(text) + 1)]
    return regex.fullmatch(text) is not None, regex.search(text) is not None, places


def found(tables: dict, text: bytes) -> tuple[bool, bool | None, list[bool] | None]:
    whole = tables["p_accepts"][state_after(tables, "p", text)[-1]]
    occurs = places = None
    if tables["p_anywhere_next"]:
        occurs = tables["p_anywhere_accepts"][state_after(tables, "p_anywhere", text)[-1]]
    if tables["p_backwards_next"]:
        at_end = tables["p_backwards_accepts"]
        inside = tables["p_backwards_accepts_inside"] or at_end
        states = state_after(tables, "p_backwards", text[::-1])[::-1]
        places = [(at_end if i == 0 else inside)[s] for i, s in enumerate(states)]
    return whole, occurs, places


def is_minimal(tables: dict, name: str) -> bool:
    """Are all states different, by Moore's refinement, and all columns?"""
    following = tables[name + "_next"]
    label = list(zip(tables[name + "_accepts"], tables.get(name + "_accepts_inside") or tables[name + "_accepts"]))
    while True:
        finer = [(label[s], *(label[t] for t in row)) for s, row in enumerate(following)]
        ids = {key: i for i, key in enumerate(sorted(set(finer)))}
        finer = [ids[key] for key in finer]
        if len(set(finer)) == len(set(label)):
            return len(ids) == len(following) and len(set(zip(*following))) == len(following[0])
        label = finer


def check_on_device(tacet: str, path: pathlib.Path, regex: re.Pattern[bytes], text: bytes, device: str) -> list[str]:
    whole, occurs, places = expected(regex, text)
    wanted = {"matches": whole, "occurs": occurs, "places": places, "count": sum(places),
              "first": places.index(True) if True in places else -1}
    faults = []
    for name, value in wanted.items():
        if f"p_{name}'" not in path.read_text():
            continue
        done = subprocess.run([tacet, "run", str(path), "--fn", f"p_{name}", "--device", device, json.dumps(list(text))],
                              capture_output=True, text=True, check=False)
        if done.stdout.strip() != "out = " + json.dumps(value):
            faults.append(f"{name} of {text!r} on {device}: {done.stdout}{done.stderr}, expected {value}")
    return faults


def check_pattern(tacet: str, pattern: str, rng: random.Random, folder: pathlib.Path, runs_on: str | None) -> list[str]:
    path = folder / "p.tacet"
    done = subprocess.run([tacet, "import", f"--regex={pattern}", "--fn", "p", "-o", str(path)], capture_output=True,
                          text=True, check=False)
    if done.returncode != 0:
        return [done.stderr]
    source = path.read_text()
    tables = tables_of(source)
    regex = compiled(pattern)
    faults = [f"{name} is not minimal" for name in ("p", "p_anywhere", "p_backwards")
              if tables[name + "_next"] and not is_minimal(tables, name)]
    texts = [b"", b"aaa", b"GATTACA", b"555-1234"] + [b"".join(rng.choice(LETTERS) for _ in range(rng.randint(0, 9))) for _ in range(24)]
    for text in texts:
        wanted = expected(regex, text)
        got = found(tables, text)
        faults += [f"{text!r}: {g}, expected {w}" for g, w in zip(got, wanted) if g is not None and g != w]
    if runs_on:
        faults += check_on_device(tacet, path, regex, rng.choice([t for t in texts if t]), runs_on)
    return faults


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("tacet")
    parser.add_argument("--runs", type=int, default=220)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    patterns = FIXED + [pattern_of(rng, rng.randint(1, 4)) for _ in range(options.runs)]
    n_faults = 0
    with tempfile.TemporaryDirectory() as name:
        for i, pattern in enumerate(patterns):
            runs_on = {0: "ref", 5: "mpc"}.get(i % 10)
            for fault in check_pattern(options.tacet, pattern, rng, pathlib.Path(name), runs_on)[:3]:
                n_faults += 1
                print(f"{pattern!r}: {fault}")
    print(f"{len(patterns)} patterns, {n_faults} faults")
    return 1 if n_faults else 0


if __name__ == "__main__":
    sys.exit(main())

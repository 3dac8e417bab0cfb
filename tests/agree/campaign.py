#!/usr/bin/env python3
"""Random programs on every device, against `evaluate.py`.

usage: campaign.py RUNNER [--programs N] [--first SEED] [--jobs N] [--profile NAME] [--on DEVICES]

Prints what differs, with the program and a command that shows it again, and in the end how much was
compared. Exits with 1 if anything differs, or if so little was compared that nothing could.
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import json
import multiprocessing
import re
import subprocess
import sys
import time

import evaluate
import generate
import tree
from expressions import Profile
from numbers_of_tacet import BrokenBound, Fault

EVERYWHERE = {
    "he": ["ref", "he", "he:cggi"],
    "mpc": ["ref", "mpc"],
}


class Runner:
    """The program `tacet_agree_runner`, which answers a line with a line."""

    def __init__(self, path: str):
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, request: dict) -> dict:
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise EOFError(f"the runner ended with {self.process.wait()}")
        return json.loads(answer)

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def cells(value) -> list[int]:
    return [x & (2**64 - 1) for x in evaluate.flat(value)]


def expected_of(program: tree.Program, inputs: list) -> tuple[str, object]:
    """("values", cells by result), ("fault", why), ("broken", why) or ("long", nothing)."""
    try:
        return "values", [cells(value) for value in evaluate.results_of(program, inputs)]
    except BrokenBound as fault:
        return "broken", str(fault)
    except Fault as fault:
        return "fault", str(fault)
    except evaluate.TooLong:
        return "long", None


def signed(cell: int) -> int:
    return cell - 2**64 if cell >> 63 else cell


def is_close(found: list[list[int]], wanted: list[list[int]], program: tree.Program, bounds: list[float]) -> bool:
    """Of approximate reals: within what was stated."""
    for values, right, result, bound in zip(found, wanted, program.main.results, bounds):
        if not result.element.is_fixed:
            if values != right:
                return False
            continue
        most = bound * 2**result.element.fraction_bits * (1 + 1e-9)
        if any(abs(signed(a) - signed(b)) > most for a, b in zip(values, right)):
            return False
    return True


@dataclasses.dataclass
class Outcome:
    """Of one program."""

    counts: collections.Counter
    complaints: list[str]


class Judge:
    def __init__(self, program: tree.Program, profile: Profile, seed: int):
        self.program = program
        self.profile = profile
        self.seed = seed
        self.text = program.text()
        is_fixed = any(element.is_fixed for element in profile.elements)
        # On shares quotients and functions of `fxp` are within a few units, not equal.
        self.is_approximate = is_fixed and (" / " in self.text or profile.real_functions)
        # Sums of products are rounded once there, not term by term, and products as a tree.
        self.rounds_otherwise = is_fixed and any(
            form in self.text for form in (" * ", "product(", "reduce(*")
        )
        self.expected = [expected_of(program, inputs) for inputs in program.inputs]
        self.counts: collections.Counter = collections.Counter()
        self.complaints: list[str] = []

    def request(self, on: list[str]) -> dict:
        return {
            "text": self.text,
            "function": "f",
            "inputs": [[cells(value) for value in inputs] for inputs in self.program.inputs],
            "on": on,
        }

    def complain(self, what: str):
        again = f"--profile '{self.profile.name}' --first {self.seed} --programs 1"
        self.complaints.append(f"{what}\n({again})\n{self.text}")

    def judge(self, answer: dict) -> Outcome:
        errors = [d for d in answer["check"] if d["severity"] == "error"]
        if "failed" in answer:
            self.complain(f"cannot be run: {answer['failed']}")
        if errors:
            self.count("rejected by check", errors[0]["code"])
            # A constant argument outside of its bound is rejected where nothing reaches the call, too.
            breaks_a_bound = re.search("is outside (of )?the bound", errors[0]["message"]) is not None
            if (
                any(kind == "values" for kind, _ in self.expected)
                and errors[0]["code"][:2] in ("T0", "T1", "T2", "T8")
                and not breaks_a_bound
            ):
                self.complain(f"rejected: {errors[0]['code']}: {errors[0]['message']}")
        for on, runs in answer.items():
            if on not in ("check", "failed"):
                self.judge_device(on, runs)
        return Outcome(self.counts, self.complaints)

    def count(self, what: str, detail: str = ""):
        self.counts[f"{self.profile.name}: {what}"] += 1
        if detail:
            self.counts[f"{self.profile.name}: {what} ({detail})"] += 1

    def judge_device(self, on: str, runs):
        bounds = None
        if isinstance(runs, dict) and "runs" in runs:
            bounds, runs = runs["error_bound"], runs["runs"]
        if isinstance(runs, dict):
            self.count(f"refused on {on}", runs["refused"].split(":")[0][:40])
            if not self.errors_of(runs["refused"]):
                self.complain(f"refused on {on} without a reason")
            return
        for i, (run, (kind, right)) in enumerate(zip(runs, self.expected)):
            if kind == "long" or (kind == "broken" and on != "ref"):
                continue
            if self.is_approximate and on.startswith("mpc:"):
                self.count(f"approximate on {on}")
                continue
            inputs = json.dumps(self.program.inputs[i])
            if "error" in run:
                if kind == "values":
                    self.complain(f"{on} fails on {inputs} with «{run['error']}»; right is {right}")
                self.count(f"faults on {on}")
            elif kind in ("fault", "broken"):
                self.complain(f"{on} gives {run['values']} on {inputs}; right is a fault: {right}")
            elif run["values"] == right or (bounds and is_close(run["values"], right, self.program, bounds)):
                self.count(f"values on {on}")
            elif self.rounds_otherwise and on.startswith("mpc") and self.is_near(run["values"], right):
                self.count(f"values rounded otherwise on {on}")
            else:
                found = [[signed(x) for x in value] for value in run["values"]]
                wanted = [[signed(x) for x in value] for value in right]
                self.complain(f"{on} gives {found} on {inputs}; right is {wanted}; bounds {bounds}")

    def is_near(self, found: list[list[int]], wanted: list[list[int]]) -> bool:
        """Of results in which a unit more or less of a sum may have been multiplied."""
        for values, right, result in zip(found, wanted, self.program.main.results):
            if result.element.is_fixed and any(
                abs(signed(a) - signed(b)) > 64 + abs(signed(b)) // 1024 for a, b in zip(values, right)
            ):
                return False
        return True

    @staticmethod
    def errors_of(refused: str) -> bool:
        return bool(refused.strip())


def work(arguments) -> Outcome:
    runner_path, profile_name, seeds, on = arguments
    profile = next(p for p in generate.profiles() if p.name == profile_name)
    runner = Runner(runner_path)
    total = Outcome(collections.Counter(), [])
    for seed in seeds:
        judge = Judge(generate.program_of(seed, profile), profile, seed)
        try:
            answer = runner.ask(judge.request(on or EVERYWHERE[profile.device]))
        except EOFError as error:
            judge.complain(f"CRASH: {error}")
            total.complaints += judge.complaints
            runner = Runner(runner_path)
            continue
        outcome = judge.judge(answer)
        total.counts += outcome.counts
        total.complaints += outcome.complaints
    runner.end()
    return total


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runner")
    parser.add_argument("--programs", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=multiprocessing.cpu_count())
    parser.add_argument("--profile", default="")
    parser.add_argument("--on", default="")
    parser.add_argument("--show", type=int, default=10, help="how many differences are printed")
    options = parser.parse_args()
    names = [p.name for p in generate.profiles() if options.profile in p.name]
    each = max(1, options.programs // len(names))
    chunk = max(1, min(200, each // options.jobs or 1))
    begin = time.time()
    jobs = [
        (options.runner, name, range(first, min(first + chunk, options.first + each)), options.on.split(",") if options.on else [])
        for name in names
        for first in range(options.first, options.first + each, chunk)
    ]
    total = Outcome(collections.Counter(), [])
    with multiprocessing.Pool(options.jobs) as pool:
        for outcome in pool.imap_unordered(work, jobs):
            total.counts += outcome.counts
            total.complaints += outcome.complaints
    for complaint in total.complaints[: options.show]:
        print(complaint)
    for what, n in sorted(total.counts.items()):
        print(f"{n:8} {what}")
    print(f"{len(total.complaints)} differences in {each * len(names)} programs, {time.time() - begin:.1f} s")
    return 1 if total.complaints else 0


if __name__ == "__main__":
    sys.exit(main())

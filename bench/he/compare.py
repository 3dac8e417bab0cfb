"""Homomorphic operations by several programs, in the same minutes: Markdown tables.

    compare.py [--schemes bfv,bgv,ckks] [--sizes 4096,…] [--rounds 3] NAME=COMMAND…

Each COMMAND, which is given a scheme and a ring dimension after its own arguments, talks as
operations.cpp says; `{scheme}` and `{n}` in it are replaced instead if they occur. Every round asks
each program for each operation alternately, so that what else the machine does hits all of them. A cell
has the median over rounds of medians, a program after the other; a second table has the ratios of
the others' times to the first program's.
"""

import argparse
import shlex
import statistics
import subprocess
import sys


class Program:
    def __init__(self, command: str, scheme: str, n: int) -> None:
        if "{n}" in command:
            command = command.replace("{scheme}", scheme).replace("{n}", str(n))
        else:
            command = f"{command} {scheme} {n}"
        self.process = subprocess.Popen(shlex.split(command), stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.operations = list(iter(lambda: self.process.stdout.readline().strip(), ""))

    def median(self, operation: str) -> float | None:
        """In microseconds; nothing for what the program does not have."""
        if operation not in self.operations:
            return None
        self.process.stdin.write(operation + "\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline().split()[0])

    def stop(self) -> None:
        self.process.stdin.close()
        self.process.wait()


def measure(commands: dict[str, str], scheme: str, n: int, rounds: int) -> dict[str, list]:
    """For every operation of the first program the time by each program, or None."""
    programs = [Program(command, scheme, n) for command in commands.values()]
    times = {operation: [[] for _ in programs] for operation in programs[0].operations}
    for _ in range(rounds):
        for operation, cells in times.items():
            for program, cell in zip(programs, cells):
                time = program.median(operation)
                if time is not None:
                    cell.append(time)
    for program in programs:
        program.stop()
    return {operation: [statistics.median(cell) if cell else None for cell in cells]
            for operation, cells in times.items()}


def shown(microseconds: float | None) -> str:
    if microseconds is None:
        return "–"
    if microseconds < 1000:
        return f"{microseconds:.3g} µs" if microseconds < 100 else f"{microseconds:.0f} µs"
    milliseconds = microseconds / 1000
    return f"{milliseconds:.3g} ms" if milliseconds < 100 else f"{milliseconds:.0f} ms"


def ratio(first: float, other: float | None) -> str:
    return "–" if other is None else f"{other / first:.3g}"


def table(title: str, columns: dict[int, dict[str, list]], cell) -> str:
    operations = list(dict.fromkeys(name for column in columns.values() for name in column))
    lines = [f"**{title}**", "", "| operation | " + " | ".join(f"N = {n}" for n in columns) + " |",
             "|---" * (1 + len(columns)) + "|"]
    for operation in operations:
        cells = [cell(column[operation]) if operation in column else "–"
                 for column in columns.values()]
        lines.append(f"| {operation.replace(' x ', ' × ')} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--schemes", default="bfv,bgv,ckks")
    parser.add_argument("--sizes", default="4096,8192,16384,32768")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("programs", nargs="+", metavar="NAME=COMMAND")
    arguments = parser.parse_args()
    commands = dict(program.split("=", 1) for program in arguments.programs)
    names = list(commands)
    for scheme in arguments.schemes.split(","):
        columns = {}
        for n in map(int, arguments.sizes.split(",")):
            print(f"measuring {scheme}, N = {n}", file=sys.stderr)
            columns[n] = measure(commands, scheme, n, arguments.rounds)
        print(table(f"{scheme.upper()}: {' / '.join(names)}", columns,
                    lambda times: " / ".join(shown(time) for time in times)))
        if len(names) > 1:
            title = f"{scheme.upper()}: {' / '.join(names[1:])}, as multiples of {names[0]}"
            print(table(title, columns,
                        lambda times: " / ".join(ratio(times[0], time) for time in times[1:])))


if __name__ == "__main__":
    main()

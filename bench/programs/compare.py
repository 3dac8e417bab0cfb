"""The published array programs, compiled and run under encryption: Markdown tables.

    compare.py TACET MEASURE FOLDER [--rounds 15]

Every program of FOLDER is run with random inputs in the ranges below; its results are held against
the reference device's. Counts are held against the best layouts that an expert wrote by hand (in
brackets where they differ), bytes against what these take (in brackets), and the server's time
against that expert's time on another library (measured elsewhere, on one thread of a machine with the
same instructions; see README.md). In these layouts the server does all additions and hides nothing,
so `--sums server --unhidden` is compared with them; the last columns are without these. MEASURE is measure_he_bundle: it evaluates in
a loop, as the expert's times were taken.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

BIT, SMALL, DATA = "0..2", "0..16", "0..100"

# Ranges of the inputs; of the expert's best: input ciphertexts, rotations, products of ciphertexts
# and with plaintexts; milliseconds; and the ring with its data primes, one special prime besides.
PROGRAMS = {
    "distance_64": ({"point": SMALL, "tests": SMALL}, (1, 6, 1, 0), 1.06, (4096, 2)),
    "conv_siso": ({"image": SMALL, "filter": SMALL}, (1, 4, 0, 3), 0.874, (4096, 2)),
    "conv_simo": ({"image": SMALL, "filter": SMALL}, (1, 4, 0, 9), 1.07, (4096, 2)),
    "double_matmul": ({}, (1, 4, 0, 1), 0.588, (4096, 2)),
    "retrieval_256": ({"values": DATA, "keys": BIT, "query": BIT}, (3, 11, 5, 0), 31.5, (16384, 6)),
    "retrieval_1024": ({"values": DATA, "keys": BIT, "query": BIT}, (3, 14, 6, 0), 45.1,
                       (16384, 7)),
    "set_union_16": ({"a_data": DATA, "b_data": DATA, "a_id": BIT, "b_id": BIT},
                     (4, 10, 8, 0), 87.1, (16384, 9)),
    "set_union_128": ({"a_data": DATA, "b_data": DATA, "a_id": BIT, "b_id": BIT},
                      (10, 15, 16, 0), 553, (32768, 13)),
}


def expert_bytes(counts: tuple, ring: tuple) -> tuple[int, int]:
    """What the expert's inputs and rotation keys take as the peer stores them: a word a residue,
    halves that are random left out, a digit of a key for each prime, a key for each rotation."""
    row = 8 * ring[0]
    return counts[0] * ring[1] * row, counts[1] * ring[1] * (ring[1] + 1) * row


def inputs_of(program: Path) -> list[str]:
    lines = program.read_text().splitlines()
    return [line.split()[1].rstrip(":") for line in lines if line.startswith("input ")]


def run(tacet: str, program: Path, device: list[str], values: list[str]) -> dict:
    command = [tacet, "run", str(program), *values, "--stats", "--format", "json", *device]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}:\n{done.stderr}")
    return json.loads(done.stdout)


def options_of(program: Path, ranges: dict) -> tuple[list[str], list[str]]:
    """Random inputs, and ranges."""
    inputs, bounds = ["--seed", "1"], []
    for name in inputs_of(program):
        inputs += ["--input", f"{name}=@random"]
        bounds += ["--range", f"{name}={ranges.get(name, SMALL)}"]
    return inputs, bounds


def measure(arguments, program: Path, ranges: dict, options: list[str]) -> tuple[dict, list[float]]:
    """The statistics of a whole run, whose results are held against the reference device's; and the
    server's milliseconds, median and least."""
    inputs, bounds = options_of(program, ranges)
    expected = run(arguments.tacet, program, ["--device", "ref"], inputs + bounds)
    bounds += options
    done = run(arguments.tacet, program, ["--device", "he", "--threads", "1"], inputs + bounds)
    if done["results"] != expected["results"]:
        sys.exit(f"{program}: `he` differs from `ref`")
    with tempfile.TemporaryDirectory() as folder:
        bundle = f"{folder}/bundle.he"
        subprocess.run([arguments.tacet, "build", str(program), "-o", bundle, *bounds], check=True,
                       stdout=subprocess.DEVNULL)
        times = subprocess.run([arguments.measure, bundle, str(arguments.rounds)], check=True,
                               capture_output=True, text=True).stdout
    return done["stats"], [float(time) for time in times.split()]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("tacet")
    parser.add_argument("measure")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=15)
    arguments = parser.parse_args()
    print("| program | scheme, N | bits | inputs | rotations | products | by plaintext "
          "| input KB | rotation keys, KB "
          "| ms, median and least | expert's ms | times faster | search, s | circuit, s "
          "| hidden, client adds: N | rotations | rotation keys, KB | ms |")
    print("|---" * 18 + "|")
    for name, (ranges, counts, milliseconds, ring) in PROGRAMS.items():
        program = arguments.folder / f"{name}.tlhe"
        stats, times = measure(arguments, program, ranges, ["--sums", "server", "--unhidden"])
        fewer, less = measure(arguments, program, ranges, [])
        found = (stats["input_ciphertexts"], stats["rotations"], stats["ct_ct_products"],
                 stats["ct_pt_products"])
        cells = [str(a) if a == b else f"{a} ({b})" for a, b in zip(found, counts)]
        cells += [f"{a / 1000:.0f} ({b / 1000:.0f})" for a, b in
                  zip((stats["input_bytes"], stats["rotation_key_bytes"]),
                      expert_bytes(counts, ring))]
        seconds = stats["seconds"]
        print(f"| {name.replace('_', '-')} | {stats['scheme']}, {stats['ring_dimension']} "
              f"| {stats['modulus_bits']:.0f} | {' | '.join(cells)} "
              f"| {times[0]:.3g}, {times[1]:.3g} | {milliseconds} "
              f"| {milliseconds / times[0]:.2g}, {milliseconds / times[1]:.2g} | {seconds['schedule']:.2g} "
              f"| {seconds['optimise']:.2g} | {fewer['ring_dimension']} "
              f"| {fewer['rotations']} "
              f"| {fewer['rotation_key_bytes'] / 1000:.0f} | {less[0]:.3g} |", flush=True)


if __name__ == "__main__":
    main()

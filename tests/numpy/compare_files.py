#!/usr/bin/env python3
"""Fails where `tacet run` reads other numbers from a file than Python wrote, or Python other ones
than `tacet run --output` wrote.

usage: compare_files.py TACET

Random arrays of every type, with the ends of the type among them, are written by NumPy and by
Python's csv and json, in the formats, byte orders, element orders and versions there are. A program
that returns what it is given copies them into another file.
"""

import csv
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    DEBIAN = "/usr/bin/python3"
    if os.path.exists(DEBIAN) and not os.path.samefile(DEBIAN, sys.executable):
        os.execv(DEBIAN, [DEBIAN, "-B", *sys.argv])
    print("skipped: python3-numpy is not installed")
    sys.exit(77)

INTEGERS = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"]
FLOATS = ["f32", "f64"]
TYPES = ["bool", *INTEGERS, *FLOATS]
DTYPES = {"bool": np.bool_, "f32": np.float32, "f64": np.float64,
          **{name: np.dtype(f"{name[0]}{int(name[1:]) // 8}") for name in INTEGERS}}
SHAPES = [(5,), (1,), (4, 3), (2, 1), (2, 3, 4)]


def random_array(name: str, shape: tuple, rng) -> np.ndarray:
    """Elements of every magnitude, and both ends of the type."""
    n = int(np.prod(shape))
    bits = rng.integers(0, 2**64, n, dtype=np.uint64) >> rng.integers(0, 64, n, dtype=np.uint64)
    if name == "bool":
        flat = bits % np.uint64(2) == 1
    elif name in INTEGERS:
        flat = bits.astype(DTYPES[name])
        ends = np.iinfo(DTYPES[name])
        flat[0], flat[-1] = ends.min, ends.max
    else:
        raw = np.frombuffer(rng.bytes(n * 8), np.uint64)
        flat = raw.view(np.float64) if name == "f64" else raw.astype(np.uint32).view(np.float32)
        flat = np.nan_to_num(flat.copy())
        flat[0], flat[-1] = np.finfo(DTYPES[name]).min, -0.0
    return flat.astype(DTYPES[name]).reshape(shape)


def program() -> str:
    """A function for each number of dimensions that gives what it is given."""
    text = "#version 0.1.0\n"
    for rank, sizes in [(1, "n"), (2, "n, m"), (3, "n, m, k")]:
        parameters = ", ".join(f"{name}_: [{name}; {sizes}]" for name in TYPES)
        results = ", ".join(f"[{name}; {sizes}]" for name in TYPES)
        values = ", ".join(f"{name}_" for name in TYPES)
        text += f"fn(mpc) copy{rank}'<{sizes}>({parameters}) -> ({results}) {{ ({values}) }}\n"
        for name in TYPES:
            text += f"fn(mpc) {name}_{rank}'<{sizes}>(x: [{name}; {sizes}]) -> [{name}; {sizes}] {{ x }}\n"
    return text


class Comparison:
    def __init__(self, tacet: str, folder: pathlib.Path):
        self.tacet = tacet
        self.folder = folder
        self.n_wrong = 0
        self.n_runs = 0
        (folder / "copy.tacet").write_text(program())

    def run(self, function: str, arguments: list, output: str) -> bool:
        self.n_runs += 1
        done = subprocess.run(
            [self.tacet, "run", "copy.tacet", "--fn", function, *arguments, "--output", output],
            cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            self.wrong(f"{function} {arguments} {output}: {done.stdout}")
        return done.returncode == 0

    def wrong(self, what: str):
        self.n_wrong += 1
        print(what)

    def equal(self, what: str, found: np.ndarray, expected: np.ndarray):
        if found.dtype != expected.dtype or found.shape != expected.shape or \
                found.tobytes() != expected.tobytes():
            self.wrong(f"{what}: found {found!r}, expected {expected!r}")

    def archives(self, shape: tuple, rng):
        """All types at once through archives, and out through each format."""
        arrays = {f"{name}_": random_array(name, shape, rng) for name in TYPES}
        for save in [np.savez, np.savez_compressed]:
            save(self.folder / "in.npz", **arrays)
            if not self.run(f"copy{len(shape)}", ["--input", "@in.npz"], "out.npz"):
                continue
            with np.load(self.folder / "out.npz", allow_pickle=False) as found:
                for i, name in enumerate(TYPES):
                    self.equal(f"npz {name} {shape}", found[f"out{i}"], arrays[f"{name}_"])
        if self.run(f"copy{len(shape)}", ["--input", "@in.npz"], "out.json"):
            found = json.loads((self.folder / "out.json").read_text())
            for i, name in enumerate(TYPES):
                self.equal(f"json {name} {shape}",
                           np.array(found[f"out{i}"], DTYPES[name]), arrays[f"{name}_"])
        members = {name: array.tolist() for name, array in arrays.items()}
        (self.folder / "in.json").write_text(json.dumps(members, indent=random.choice([None, 2])))
        if self.run(f"copy{len(shape)}", ["--input", "@in.json"], "out.npz"):
            with np.load(self.folder / "out.npz", allow_pickle=False) as found:
                for i, name in enumerate(TYPES):
                    self.equal(f"from json {name} {shape}", found[f"out{i}"], arrays[f"{name}_"])

    def tables(self, n_rows: int, dialect: dict, rng):
        arrays = {f"{name}_": random_array(name, (n_rows,), rng) for name in TYPES}
        names = [*arrays, "Ä, \"note\"\n;"]
        random.shuffle(names)
        with open(self.folder / "in.csv", "w", newline="", encoding="utf-8-sig") as file:
            writer = csv.writer(file, **dialect)
            writer.writerow(names)
            for row in range(n_rows):
                writer.writerow([repr(arrays[name][row].item()) if name in arrays else "a\n\"b\";,\t"
                                 for name in names])
        if self.run("copy1", ["--input", "@in.csv"], "out.csv"):
            with open(self.folder / "out.csv", newline="", encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
            for i, name in enumerate(TYPES):
                column = [row[f"out{i}"] for row in rows]
                if name == "bool":
                    column = [text == "true" for text in column]
                elif name in INTEGERS:
                    column = [int(text) for text in column]
                self.equal(f"csv {name}", np.array(column, DTYPES[name]), arrays[f"{name}_"])

    def single(self, name: str, shape: tuple, rng):
        """One array in a random byte order, element order and version."""
        array = random_array(name, shape, rng)
        stored = array.astype(array.dtype.newbyteorder(random.choice("<>")),
                              order=random.choice("CF"))
        version = random.choice([(1, 0), (2, 0), (3, 0)])
        with open(self.folder / "in.npy", "wb") as file:
            np.lib.format.write_array(file, stored, version=version)
        if self.run(f"{name}_{len(shape)}", ["@in.npy"], "out.npy"):
            found = np.load(self.folder / "out.npy", allow_pickle=False)
            self.equal(f"npy {stored.dtype} {shape} {version}", found, array)


def main() -> int:
    random.seed(1)
    rng = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        comparison = Comparison(str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(folder))
        for shape in SHAPES:
            comparison.archives(shape, rng)
        for dialect in [{}, {"delimiter": ";"}, {"delimiter": "\t", "lineterminator": "\n"},
                        {"quoting": csv.QUOTE_ALL}]:
            comparison.tables(rng.integers(1, 20), dialect, rng)
        for name in 2 * TYPES:
            comparison.single(name, random.choice(SHAPES), rng)
    print(f"{comparison.n_runs} runs, {comparison.n_wrong} wrong")
    return 1 if comparison.n_wrong else 0


if __name__ == "__main__":
    sys.exit(main())

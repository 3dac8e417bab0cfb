#!/usr/bin/env python3
"""The networks of examples/learning on encrypted images, against double precision.

usage: agree.py TACET EXAMPLES [--images N] [--fit N]

The scores must be within the tolerance of each network, and the digit with the largest score the same
where the two largest are farther apart than twice the tolerance; how often it differs elsewhere is
printed.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

DENSE = ["w1", "b1", "w2", "b2"]
NETWORKS = [
    ("square", "mlp.tacet", "with_squares", 0.02, DENSE),
    ("sigmoid", "mlp.tacet", "with_sigmoids", 0.06, DENSE),
    ("rectifier", "mlp.tacet", "with_rectifiers", 0.4, DENSE),
    ("lola", "lola.tacet", "lola", 0.1, ["k1", "b1", "w2", "b2", "w3", "b3"]),
    ("lenet", "lenet.tacet", "lenet", 0.4, ["k1", "b1", "k2", "b2", "w3", "b3", "w4", "b4", "w5", "b5"]),
]


def scored(tacet: str, program: pathlib.Path, function: str, folder: pathlib.Path, weights: list[str],
           image: list) -> list[float]:
    (folder / "image.json").write_text(json.dumps(image))
    command = [tacet, "run", str(program), "--fn", function, "--device", "he", "--scheme", "ckks", "@image.json"]
    done = subprocess.run(command + [f"@{name}.json" for name in weights], cwd=folder, capture_output=True, text=True,
                          check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith("out = ")]
    if not lines:
        raise RuntimeError(f"{function}: {done.stdout}{done.stderr}")
    return json.loads(lines[0][6:])


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("tacet", type=pathlib.Path)
    parser.add_argument("examples", type=pathlib.Path)
    parser.add_argument("--images", type=int, default=1)
    parser.add_argument("--fit", type=int, default=300)
    options = parser.parse_args()
    tacet = str(options.tacet.resolve())
    wrong = 0
    for network, program, function, tolerance, weights in NETWORKS:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            subprocess.run([sys.executable, "-B", str(options.examples / "digits.py"), name, "--network", network,
                            "--images", str(options.images), "--fit", str(options.fit)], check=True)
            images = json.loads((folder / "images.json").read_text())
            expected = json.loads((folder / "scores.json").read_text())
            largest, n_other = 0.0, 0
            for image, scores in zip(images, expected):
                found = scored(tacet, options.examples.resolve() / program, function, folder, weights, image)
                error = max(abs(a - b) for a, b in zip(found, scores))
                largest = max(largest, error)
                best, second = sorted(scores)[:-3:-1]
                is_other = found.index(max(found)) != scores.index(best)
                n_other += is_other
                wrong += error > tolerance or (is_other and best - second > 2 * tolerance)
            print(f"{function}: the largest error {largest:.2g} of {tolerance}, another digit {n_other} times")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

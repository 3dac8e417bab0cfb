"""What `tacet explore` chooses, against the best of an exhaustive measurement: a Markdown table.

    choices.py TACET ROOT [--budget 60] [--exhaustive 600] [--only TEXT] [--repeat 1]

For each program, all candidates are measured seven times (`--exhaustive`), and then `tacet explore`
chooses as it does by itself. The loss is how much longer the chosen candidate takes than the fastest,
both as the exhaustive measurement has them. Predictions are compared with its medians, too. A machine
that has been calibrated (`tacet bench --calibrate`) predicts better. `tacet.explore` is not written.
"""

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

RANDOM = "@random"

# Name: file, target, values, options.
PROGRAMS = {
    "a sum selected once": ("explore/sums.tacet", "selected", ["1", "30", "200"], []),
    "over two levels": ("explore/sums.tacet", "twice_selected", ["1", "30", "200"], []),
    "over three levels": ("explore/sums.tacet", "largest", ["1", "30", "200"], []),
    "chain of matrices, parties": ("explore/matrix_chain.tacet", "chain", [RANDOM] * 3,
                                   ["--device", "mpc"]),
    "chain of matrices, encrypted": ("explore/matrix_chain.tacet", "chain", [RANDOM] * 3,
                                     ["--device", "he"]),
    "private lookup": ("explore/lookup.tacet", "lookup", [RANDOM, "5"], []),
    "private lookup, encrypted": ("explore/lookup.tacet", "lookup", [RANDOM, "5"],
                                  ["--device", "he"]),
    "filtered sum": ("explore/filtered_sum.tacet", "filtered", [RANDOM, "50"], []),
    "filtered sum, encrypted": ("explore/filtered_sum.tacet", "filtered", [RANDOM, "50"],
                                ["--device", "he"]),
    "sorting": ("explore/sorting.tacet", "ascending", [RANDOM], []),
    "nearest neighbour": ("explore/nearest.tacet", "nearest", [RANDOM] * 3, []),
    "three stages": ("explore/stages.tacet", "", ["[1, 2, 3, 4]", "[4, 3, 2, 1]", "15"], []),
    "matrix times vector": ("encrypted/matrix_vector.tacet", "layer", [RANDOM] * 3, []),
    "moving average": ("encrypted/moving_average.tacet", "smoothed", [RANDOM], []),
    "polynomial": ("encrypted/polynomial.tacet", "logistic", [RANDOM], []),
    "inner product": ("oblivious/dot_product.tacet", "dot_8", [RANDOM] * 2, []),
    "box blur": ("oblivious/box_blur.tacet", "blur_16", [RANDOM], []),
    "edges": ("oblivious/roberts_cross.tacet", "roberts_cross", [RANDOM], []),
    "distances": ("oblivious/distances.tacet", "l2_distance", [RANDOM] * 2, []),
    "maximum of eight": ("cggi/sorting.tacet", "maximum", [RANDOM], []),
}


def explore(tacet: str, program: Path, target: str, values: list[str], options: list[str],
            budget: float) -> dict | None:
    what = ["--fn", target] if target else []
    command = [tacet, "explore", str(program), *what, *values, *options, "--budget", str(budget),
               "--restart", "--dry-run", "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(f"{' '.join(command)}:\n{done.stderr}", file=sys.stderr)
        return None
    return json.loads(done.stdout)


def key_of(candidate: dict) -> str:
    return json.dumps([candidate.get(name) for name in
                       ("implementation", "device", "scheme", "protocol", "calls")])


def time_text(milliseconds: float) -> str:
    return (f"{milliseconds / 1000:.2f} s" if milliseconds >= 1000 else
            f"{milliseconds:.1f} ms" if milliseconds >= 1 else f"{1000 * milliseconds:.2f} µs")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("tacet")
    parser.add_argument("root", type=Path)
    parser.add_argument("--budget", type=float, default=60)
    parser.add_argument("--exhaustive", type=float, default=600)
    parser.add_argument("--only", default="")
    parser.add_argument("--repeat", type=int, default=1)
    options = parser.parse_args()
    losses, errors = [], []
    print("| program | measured | best | chosen | loss | predicted / measured |")
    print("|---|---|---|---|---|---|")
    for name, (path, target, values, choice) in PROGRAMS.items():
        if options.only not in name:
            continue
        program = options.root / "examples" / path
        full = explore(options.tacet, program, target, values, [*choice, "--exhaustive"],
                       options.exhaustive)
        if full is None:
            continue
        times = {key_of(c): c["milliseconds"] for c in full["candidates"] if "milliseconds" in c}
        ratios = [c["predicted_milliseconds"] / c["milliseconds"] for c in full["candidates"]
                  if "predicted_milliseconds" in c and "milliseconds" in c]
        errors += [abs(ratio - 1) for ratio in ratios]
        for _ in range(options.repeat):
            chosen = explore(options.tacet, program, target, values, choice, options.budget)
            if chosen is None or "best" not in chosen:
                continue
            best = min(times, key=lambda key: times[key])
            took = times.get(key_of(chosen["best"]))
            if took is None:
                print(f"{name}: what was chosen was not measured", file=sys.stderr)
                continue
            losses.append(took / times[best] - 1)
            print(f"| {name} | {len(times)} | {time_text(times[best])} | {time_text(took)} | "
                  f"{100 * losses[-1]:.1f} % | "
                  f"{', '.join(f'{ratio:.2f}' for ratio in ratios[:8])} |", flush=True)
    if losses:
        print(f"\nloss: median {100 * statistics.median(losses):.1f} %, "
              f"greatest {100 * max(losses):.1f} %, of {len(losses)}")
    if errors:
        print(f"error of predictions: median {100 * statistics.median(errors):.0f} %, "
              f"of {len(errors)}")


if __name__ == "__main__":
    main()

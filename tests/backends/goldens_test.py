"""Compares code for other libraries with files of `goldens`, which UPDATE_GOLDEN=1 rewrites.

usage: goldens_test.py TACET
"""

import os
import pathlib
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent / "goldens"
VECTORS = ("seal", "openfhe", "lattigo", "node-seal")
CASES = [(target, program) for target in VECTORS for program in ("product.he", "mean.he")] + [
    ("heir-mlir", "mean.he"), ("tfhe-rs", "gates.tacet"), ("mp-spdz", "parties.tacet")]
OPTIONS = {"gates.tacet": ["--fn", "larger", "--unhidden"], "parties.tacet": ["--fn", "largest"]}


def emitted(tacet, target, program):
    """The files by their names."""
    with tempfile.TemporaryDirectory(prefix="tacet_golden_") as folder:
        done = subprocess.run([tacet, "emit", "--to", target, FOLDER / program, "-o", folder,
                               *OPTIONS.get(program, [])], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{target} of {program}: {done.stderr}")
        root = pathlib.Path(folder)
        return {str(path.relative_to(root)): path.read_text()
                for path in sorted(root.rglob("*")) if path.is_file()}


def main():
    tacet = sys.argv[1]
    is_update = bool(os.environ.get("UPDATE_GOLDEN"))
    known = set()
    n_failed = 0
    for target, program in CASES:
        for name, text in emitted(tacet, target, program).items():
            path = FOLDER / target / program.split(".")[0] / name
            known.add(path)
            if is_update:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            elif not path.exists() or path.read_text() != text:
                n_failed += 1
                print(f"{path} is not what `tacet emit --to {target}` prints; UPDATE_GOLDEN=1 rewrites it")
    for path in FOLDER.glob("*/*/**/*"):
        if path.is_file() and path not in known:
            n_failed += 1
            print(f"{path} belongs to nothing")
    print(f"{len(known)} files, {n_failed} differ")
    return 1 if n_failed or not known else 0


sys.exit(main())

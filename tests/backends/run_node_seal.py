"""Runs code for node-seal and compares it with the reference device.

usage: run_node_seal.py TACET FOLDER, with node-seal in FOLDER/node_modules
"""

import json
import pathlib
import random
import shutil
import sys
import tempfile

from differential import Backend, compare, main, run

COMPILED = pathlib.Path(__file__).resolve().parent / "goldens" / "product.he"


class NodeSeal(Backend):
    target = "node-seal"

    def add_arguments(self, parser):
        parser.add_argument("folder")

    def prepare(self, arguments):
        self.modules = pathlib.Path(arguments.folder).resolve() / "node_modules"
        if not (self.modules / "node-seal").exists():
            print("skipped: node-seal is not installed; ./dev test installs it")
            sys.exit(77)

    def build(self, folder):
        (folder / "node_modules").symlink_to(self.modules)
        [program] = folder.glob("*.mjs")
        return ["node", program]


    def extra(self, arguments):
        """A compiled program with what the compiler rarely makes: tables, rows, sums of gathers."""
        with tempfile.TemporaryDirectory(prefix="tacet_backend_") as name:
            folder = pathlib.Path(name)
            shutil.copy(COMPILED, folder)
            chance = random.Random(arguments.seed)
            vector = [chance.randint(-8, 8) for _ in range(16)]
            matrix = [[chance.randint(-8, 8) for _ in range(16)] for _ in range(16)]
            tacet = [arguments.tacet, "run", COMPILED.name, "--format", "json", "--role"]
            run([*tacet, "client", json.dumps(vector)], folder)
            run([*tacet, "server", json.dumps(matrix)], folder)
            expected = json.loads(run([*tacet, "client"], folder))
            run([arguments.tacet, "emit", "--to", self.target, COMPILED, "-o", folder])
            program = self.build(folder)
            found = json.loads(run([*program, json.dumps(matrix), json.dumps(vector)]))
            compare(expected, found, {"result": 0})
            print(f"passed {COMPILED.name}")


sys.exit(main(NodeSeal()))

"""Runs code for node-seal and compares it with the reference device.

usage: run_node_seal.py TACET FOLDER, with node-seal in FOLDER/node_modules
"""

import pathlib
import sys

from differential import Backend, main


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


sys.exit(main(NodeSeal()))

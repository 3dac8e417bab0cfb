#!/usr/bin/env python3
"""Fails when the README shows something else than what happens.

A `console` block is a sequence of `$ command` lines, each followed by what the command prints;
commands of tacet and of `./dev run` are run in the root of the repository and compared. A block
after a line `<!-- PATH -->` is the text of that file.

usage: check_readme.py ROOT TACET
"""

import pathlib
import re
import shlex
import subprocess
import sys

BLOCK = re.compile(r"(?:<!-- (\S+) -->\n)?```(\w*)\n(.*?)```\n", re.S)
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.M)


def arguments_of(command: str) -> list | None:
    """What follows `tacet` in a command, or None if the command runs something else."""
    words = shlex.split(command, comments=True)
    if words[:2] == ["./dev", "run"]:
        return words[1:]
    return words[1:] if words[:1] == ["tacet"] else None


def check_command(root: pathlib.Path, tacet: str, command: str, expected: str):
    arguments = arguments_of(command)
    if arguments is None:
        return
    done = subprocess.run(
        [tacet, *arguments], cwd=root, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    printed = done.stdout + done.stderr
    if printed != expected:
        yield f"$ {command}\nprints\n{printed}and not\n{expected}"


def check_file(root: pathlib.Path, path: str, shown: str):
    if not (root / path).is_file():
        yield f"{path} does not exist"
    elif (root / path).read_text() != shown:
        yield f"{path} is not what the README shows"


def violations(root: pathlib.Path, tacet: str):
    for path, language, text in BLOCK.findall((root / "README.md").read_text()):
        if path:
            yield from check_file(root, path, text)
        if language == "console":
            for command, expected in COMMAND.findall(text):
                yield from check_command(root, tacet, command, expected)


def main() -> int:
    found = list(violations(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]))
    print("\n".join(found) or "README: ok")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

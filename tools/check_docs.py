#!/usr/bin/env python3
"""Fails when the README or another given page shows something else than what happens.

A page is read as its reader would follow it, in a folder of its own that has the `examples`:

* a block after a line `<!-- PATH -->` is the file of that name: of the repository, which must be the
  same, or else one that the reader writes;
* a `console` block is a sequence of `$ command` lines, each followed by what it prints; commands of
  `tacet` and of `./dev run` are run and compared. A line `…` stands for any lines. Commands that end
  with `&` run at the same time; what all of them print follows `$ wait`, one by one;
* another `tacet` block is a program, or items of one, which `tacet check` must like; behind a line
  `<!-- fails: T5001 -->` that must be reported.

usage: check_docs.py ROOT TACET PAGE…
"""

import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"(?:<!-- ([^\n]+) -->\n)?```(\w*)\n(.*?)```\n", re.S)
COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", re.M)


def arguments_of(command: str) -> list | None:
    """What follows `tacet` in a command, or None if the command runs something else."""
    words = shlex.split(command.replace("\\\n", " "), comments=True)
    if words[:2] == ["./dev", "run"]:
        return words[1:]
    return words[1:] if words[:1] == ["tacet"] else None


def is_shown(printed: str, expected: str) -> bool:
    parts = [re.escape(part) for part in re.split(r"^…\n", expected, flags=re.M)]
    return re.fullmatch("(?:.*\n)*".join(parts), printed) is not None


class Page:
    """Follows a page, and collects what is not as it says."""

    def __init__(self, root: pathlib.Path, tacet: str, folder: pathlib.Path):
        self.root = root
        self.tacet = tacet
        self.folder = folder
        self.wrong = []
        (folder / "examples").symlink_to(root / "examples")

    def start(self, arguments: list) -> subprocess.Popen:
        return subprocess.Popen(
            [self.tacet, *arguments],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, arguments: list) -> tuple[int, str]:
        done = subprocess.run(
            [self.tacet, *arguments],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        return done.returncode, done.stdout

    def file(self, name: str, text: str):
        if not (self.root / name).is_file():
            if "/" in name:
                self.wrong.append(f"{name} does not exist")
            else:
                (self.folder / name).write_text(text)
        elif (self.root / name).read_text() != text:
            self.wrong.append(f"{name} is not what is shown")

    def console(self, text: str):
        started = []
        for command, expected in COMMAND.findall(text):
            arguments = arguments_of(command)
            if command == "wait":
                printed = "".join(process.communicate()[0] for process in started)
                started = []
            elif arguments is None:
                continue
            elif arguments[-1:] == ["&"]:
                started.append(self.start(arguments[:-1]))
                continue
            else:
                _, printed = self.run(arguments)
            if not is_shown(printed, expected):
                self.wrong.append(f"$ {command}\nprints\n{printed}and not\n{expected}")

    def program(self, text: str, code: str):
        if not text.startswith("#version"):
            text = "#version 0.1.0\n" + text
        (self.folder / "block.tacet").write_text(text)
        status, printed = self.run(["check", "block.tacet"])
        if (f"[{code}]" not in printed) if code else status != 0:
            self.wrong.append(f"{text}is reported\n{printed}")
        (self.folder / "block.tacet").unlink()

    def follow(self, text: str):
        for note, language, block in BLOCK.findall(text):
            if note.startswith("fails: "):
                self.program(block, note.removeprefix("fails: "))
            elif note:
                self.file(note, block)
            elif language == "console":
                self.console(block)
            elif language == "tacet":
                self.program(block, "")


def violations(root: pathlib.Path, tacet: str, page: pathlib.Path):
    with tempfile.TemporaryDirectory() as folder:
        follower = Page(root, tacet, pathlib.Path(folder))
        follower.follow(page.read_text())
        return follower.wrong


def main() -> int:
    root = pathlib.Path(sys.argv[1]).resolve()
    tacet = str(pathlib.Path(sys.argv[2]).resolve())
    n_wrong = 0
    for page in sys.argv[3:]:
        for wrong in violations(root, tacet, root / page):
            print(f"{page}: {wrong}")
            n_wrong += 1
    print(f"{len(sys.argv) - 3} pages: {n_wrong} wrong" if n_wrong else "pages: ok")
    return 1 if n_wrong else 0


if __name__ == "__main__":
    sys.exit(main())

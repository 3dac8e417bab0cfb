#!/usr/bin/env python3
"""Fails when a file breaks one of the house rules that a reader can see at a glance.

usage: check_tidy.py [ROOT]
"""

import pathlib
import re
import sys

import source_tree

CODE = (".h", ".cpp", ".def", ".py", ".cmake", ".js", ".mjs", ".ts", ".lua", ".el",
        ".vim", ".kak", ".sh")
PROSE = (".md",)
UNFINISHED = re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME|X" + r"XX|HA" + r"CK)\b")
NAMES_THAT_SAY_NOTHING = {"util", "utils", "helper", "helpers", "common", "misc", "manager"}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
CODES = "compiler/core/diagnostics/codes.def"
PAGES = "docs/diagnostics"


def check_text(path: str, text: str):
    """Spaces and line ends, and words that say something is unfinished."""
    for number, line in enumerate(text.split("\n"), 1):
        if "\t" in line:
            yield f"{path}:{number}: a tab"
        if line != line.rstrip():
            yield f"{path}:{number}: spaces at the end of the line"
        if UNFINISHED.search(line):
            yield f"{path}:{number}: unfinished business belongs in an issue"
    if text and not text.endswith("\n"):
        yield f"{path}: the last line has no end"


def check_name(path: str):
    words = set(re.split(r"[_.\-]", path.rsplit("/", 1)[-1].lower()))
    for word in sorted(words & NAMES_THAT_SAY_NOTHING):
        yield f"{path}: '{word}' does not say what is in the file"


def check_header(path: str, text: str):
    directives = re.findall(r"^\s*#\s*(\w+.*)$", text, re.M)
    if not directives or directives[0].strip() != "pragma once":
        yield f"{path}: does not begin with #pragma once"


def check_own_header_first(path: str, text: str, paths: set):
    own = path.removesuffix(".cpp") + ".h"
    if own in paths and INCLUDE.findall(text)[:1] != [own]:
        yield f"{path}: does not include {own} first"


def check_links(root: pathlib.Path, path: str, text: str):
    """Links to other files of the repository lead somewhere."""
    for target in LINK.findall(text):
        if re.match(r"[a-z]+:", target):
            continue
        if not (root / path).parent.joinpath(target).exists():
            yield f"{path}: the link to {target} leads nowhere"


def check_diagnostic_pages(root: pathlib.Path, paths: set):
    """Each code has its page, and each page its code."""
    pages = {path for path in paths if re.fullmatch(PAGES + r"/T\d{4}\.md", path)}
    if CODES not in paths or not pages:
        return
    codes = re.findall(r"^TACET_DIAGNOSTIC\((T\d{4}),", source_tree.read(root, CODES), re.M)
    wanted = {f"{PAGES}/{code}.md" for code in codes}
    for page in sorted(wanted - pages):
        yield f"{page}: is missing; every diagnostic has a page"
    for page in sorted(pages - wanted):
        yield f"{page}: explains a code that {CODES} does not have"


def violations(root: pathlib.Path):
    paths = set(source_tree.files(root))
    for path in sorted(paths):
        yield from check_name(path)
        if not path.endswith(CODE + PROSE) and not path.endswith("CMakeLists.txt"):
            continue
        text = source_tree.read(root, path)
        yield from check_text(path, text)
        if path.endswith(".h"):
            yield from check_header(path, text)
        elif path.endswith(".cpp"):
            yield from check_own_header_first(path, text, paths)
        elif path.endswith(PROSE):
            yield from check_links(root, path, text)
    yield from check_diagnostic_pages(root, paths)


def main() -> int:
    found = list(violations(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()))
    print("\n".join(found) or "tidy: ok")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

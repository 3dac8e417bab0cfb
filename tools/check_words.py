#!/usr/bin/env python3
"""Fails where a text or comment has a word that the field does not use.

usage: check_words.py [ROOT]

Checks prose (README, CHANGELOG, the book and the other pages of docs) without its code, string literals of
production code that hold more than one word, and comments of all C++ code.
"""

import pathlib
import re
import sys

import source_tree

# What not to say, and what to say.
WORDS = [
    (r"\b(?:a|an|each|every|one|first|second|last|next|many|more|per|without a|number of) turns?\b",
     "iteration"),
    (r"\bturns of (?:a|the|this|its|that) loops?\b", "iterations"),
    (r"\bmend(?:s|ed|ing)?\b", "fix"),
    (r"\bused up\b", "consumed"),
    (r"\btaken away\b", "removed"),
    (r"\b(?:too|as|so) dear\b|\bdearer\b|\bdearest\b", "expensive"),
    (r"\bput together\b", "combined"),
    (r"\blooked at again\b", "rechecked"),
    (r"\bnow and then\b", "rarely, occasionally"),
    (r"\bby far\b", "a number, or nothing"),
    (r"\b(?:stands?|stood|standing) (?:in|on|beside|behind|before|next|there|here)\b", "is in, is next to"),
    (r"\broom for\b", "at most"),
    (r"\b(?:comes?|came) to (?:about|at most|a |the |\d)", "is, amounts to"),
    (r"\bwhoever\b", "a noun"),
    (r"\bwhich of them\b", "a noun"),
    (r"\bone after (?:another|the other)\b", "sequential, in sequence"),
    (r"\bin the clear\b", "in plaintext, unencrypted"),
    (r"\bwhat (?:nothing|nobody) (?:reads|uses|needs)\b", "unused"),
    (r"\bwhat (?:it|this|that) takes\b", "its cost"),
    (r"\b(?:is|are|was|were) told\b|\btells (?:that|what|how|which|whether|so)\b", "reported, shown"),
    (r"\bcannot be had\b", "is not available"),
    (r"\bof which nothing\b|\bof whom\b", "a noun"),
    (r"(?<!there )\b(?:is|are) no (?:number|variable|array|name|reference|value|type|integer|file|part)\b",
     "is not a ..."),
    (r"\bbring(?:s)? about\b", "cause"),
]
# Also in comments; in other texts these have a good meaning, too.
WORDS_OF_COMMENTS = [
    (r"\btold\b|\btelling\b", "reported, shown"),
    (r"\b(?:goes|went) on\b", "continues"),
    (r"\b(?:on|by|of) (?:some|each|every|all|both|two|the two) ways?\b", "path, branch"),
    (r"\bways? (?:through|out of|on which)\b", "path, exit"),
    (r"\bis gone\b|\bare gone\b", "is removed, no longer exists"),
    (r"\blooked at\b", "checked, read"),
    (r"\basked for\b", "requested, expected, needed"),
    (r"\bunder way\b", "in progress, in flight"),
]
PATTERNS = [(re.compile(pattern, re.I), better) for pattern, better in WORDS]
PATTERNS_OF_COMMENTS = PATTERNS + [(re.compile(pattern, re.I), better)
                                   for pattern, better in WORDS_OF_COMMENTS]
PROSE = re.compile(r"(README|CHANGELOG|ARCHITECTURE|CONTRIBUTING)\.md$|"
                   r"docs/(book|diagnostics|editors|subsystems)/.*\.md$|docs/cli\.md$")
CODE = re.compile(r"(base|compiler|cli|debugger|engine|formatter|importer|include|interface|linter|lsp|playground|problems|project|site)/.*\.(cpp|h|def)$")
TESTS = re.compile(r"_test\.cpp$|/testing/")
COMMENTED = re.compile(r"(base|bench|compiler|cli|debugger|engine|formatter|importer|include|interface|linter|lsp|playground|problems|project|site|tests)"
                       r"/.*\.(cpp|h|def)$")
COMMENT = re.compile(r'((?:[^"/]|"(?:[^"\\]|\\.)*"|/(?!/))*)//[/<!]*(.*)')
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


def prose_lines(text: str):
    """The lines of a page outside of its code, without what is between backticks."""
    in_code = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("```"):
            in_code = not in_code
        elif not in_code:
            yield number, re.sub(r"`[^`]*`", "`code`", line)


def literals(text: str):
    """The strings of more than one word of a source file."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith(("//", "#include")):
            continue
        for literal in LITERAL.findall(line):
            if " " in literal:
                yield number, re.sub(r"`[^`]*`", "`code`", literal)


def comments(text: str):
    """The comments of a source file, those on consecutive lines as one, by their first line."""
    first, words = 0, []
    for number, line in enumerate(text.split("\n"), 1):
        found = COMMENT.match(line)
        if not found or found.group(1).strip():
            if words:
                yield first, " ".join(words)
            words = []
        if found:
            first = first if words else number
            words.append(re.sub(r"`[^`]*`", "`code`", found.group(2).strip()))
    if words:
        yield first, " ".join(words)


def texts(path: str, text: str):
    """Lines to check and the words that they must not have."""
    if PROSE.search(path):
        yield from ((number, line, PATTERNS) for number, line in prose_lines(text))
    if CODE.match(path) and not TESTS.search(path):
        yield from ((number, line, PATTERNS) for number, line in literals(text))
    if COMMENTED.match(path):
        yield from ((number, line, PATTERNS_OF_COMMENTS) for number, line in comments(text))


def violations(root: pathlib.Path):
    for path in source_tree.files(root):
        if not (PROSE.search(path) or COMMENTED.match(path)):
            continue
        text = (root / path).read_text(encoding="utf-8")
        for number, line, patterns in texts(path, text):
            for pattern, better in patterns:
                found = pattern.search(line)
                if found:
                    yield f"{path}:{number}: '{found.group()}': say {better}"


def main() -> int:
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    found = list(violations(root))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

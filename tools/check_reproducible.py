#!/usr/bin/env python3
"""Fails where the numbers of a compiled program could depend on the machine that compiled it.

usage: check_reproducible.py [ROOT]

`long double` has 64, 113 or 53 bits, by the platform, so nothing of the compiler, the command line and
what they share computes with it; tests may, to know better. What includes `base/double_double.h` is
compiled without contraction, which rounds once where the text rounds twice, where a processor can. And
folders whose numbers are written into programs call no function of the C library whose last bit is left
to it: `base/elementary.h` has them.
"""

import pathlib
import re
import sys

import source_tree

FOLDERS = ("base/", "compiler/", "cli/", "lsp/")
# What is in constants and certified errors.
EXACT_FOLDERS = ("compiler/he/approximate/", "compiler/device/array/real_functions")
LONG_DOUBLE = re.compile(r"\blong\s+double\b|\b\d[\d.]*(?:[ep][+-]?\d+)?L\b")
LIBRARY = re.compile(r"\bstd::(exp2?|expm1|log(?:2|10|1p)?|pow|a?(?:sin|cos|tan)h?|atan2|cbrt|erfc?|tgamma|lgamma)\(")
NO_CONTRACTION = re.compile(r"target_compile_options\([^)]*-ffp-contract=off[^)]*\)")
COMMENT = re.compile(r"//[^\n]*")
NEEDS_NO_CONTRACTION = re.compile(r"\b(?:DoubleDouble|exact_(?:sum|product))\b")


def is_production(path: str) -> bool:
    return path.startswith(FOLDERS) and path.endswith((".cpp", ".h")) and not path.endswith("_test.cpp")


def violations(root: pathlib.Path):
    for path in source_tree.files(root):
        if not is_production(path):
            continue
        text = COMMENT.sub("", source_tree.read(root, path))
        for number, line in enumerate(text.split("\n"), 1):
            if LONG_DOUBLE.search(line):
                yield f"{path}:{number}: `long double` differs from platform to platform; use `DoubleDouble`"
            found = LIBRARY.search(line) if path.startswith(EXACT_FOLDERS) else None
            if found:
                yield (f"{path}:{number}: `{found.group(0)}…)` differs from library to library; "
                       "use base/elementary.h, or products")
        computes = path.endswith(".cpp") and NEEDS_NO_CONTRACTION.search(text)
        folder = path.rpartition("/")[0]
        if computes and not is_without_contraction(root, folder):
            yield f"{path}: computes with `DoubleDouble`; {folder}/CMakeLists.txt lacks `-ffp-contract=off`"


def is_without_contraction(root: pathlib.Path, folder: str) -> bool:
    build = root / folder / "CMakeLists.txt"
    return build.exists() and bool(NO_CONTRACTION.search(build.read_text()))


def main() -> int:
    found = list(violations(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()))
    print("\n".join(found) or "reproducible: ok")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

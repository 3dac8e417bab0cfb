#!/usr/bin/env python3
"""Fails when files that may be compiled together have a name of their own in common.

usage: check_batches.py [ROOT]

The files of a folder are compiled in batches (cmake/TacetFolder.cmake). Two functions of one name
and signature do not compile there, but of two overloads one may silently take the other's calls. So
functions and constants that are local to a file have different names in a folder, but for files
that are compiled apart.
"""

import collections
import pathlib
import re
import sys

import source_tree

TARGET = re.compile(r"\btacet_(folder|test)\(")
APART = re.compile(r"\bAPART\s+([^)A-Z]*)")
FOLDERS = re.compile(r"\bFOLDERS\s+([^)A-Z]*)")
OWN_FLAGS = re.compile(r"set_source_files_properties\(([^)]*?)\bPROPERTIES\b[^)]*COMPILE_OPTIONS")
UNNAMED = re.compile(r"^namespace \{$.*?^\}  // namespace$", re.S | re.M)
FUNCTION = re.compile(r"^(static )?(?:inline |constexpr )*(?:auto|void|bool) (\w+)\(", re.M)
CONSTANT = re.compile(r"^(static )?(?:inline )?const(?:expr)? [\w:<>,* ]*?(k[A-Z]\w*)\b", re.M)


def local_names(text: str) -> set[str]:
    """The functions and constants that only this file sees."""
    unnamed = [found.span() for found in UNNAMED.finditer(text)]
    names = set()
    for pattern in (FUNCTION, CONSTANT):
        for found in pattern.finditer(text):
            is_inside = any(begin <= found.start() < end for begin, end in unnamed)
            if found.group(1) or is_inside or pattern is CONSTANT:
                names.add(found.group(2))
    return names


def words(pattern: re.Pattern, text: str) -> set[str]:
    return {word for found in pattern.findall(text) for word in found.split()}


def violations(root: pathlib.Path):
    paths = list(source_tree.files(root))
    for build in paths:
        if not build.endswith("CMakeLists.txt"):
            continue
        text = source_tree.read(root, build)
        target = TARGET.search(text)
        if not target:
            continue
        is_library = target.group(1) == "folder"  # its tests are another program
        folder = build.removesuffix("CMakeLists.txt")
        apart = words(APART, text) | words(OWN_FLAGS, text)
        places = [folder, *(folder + name + "/" for name in words(FOLDERS, text))]
        for is_test in (False, True) if is_library else (None,):
            users = collections.defaultdict(list)
            for path in paths:
                is_here = any(path.startswith(place) and "/" not in path[len(place):] for place in places)
                if not is_here or not path.endswith(".cpp") or path.removeprefix(folder) in apart:
                    continue
                if is_test in (None, path.endswith("_test.cpp")):
                    for name in local_names(source_tree.read(root, path)):
                        users[name].append(path)
            for name, files in sorted(users.items()):
                if len(files) > 1:
                    yield f"{', '.join(files)}: each has a `{name}` of its own; rename one, or name a file in APART"


def main() -> int:
    found = list(violations(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()))
    print("\n".join(found) or "batches: ok")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

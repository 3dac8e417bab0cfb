"""What programs that use libtacet rely on stays as it was: abi.txt has the exported functions with
their declarations, and what abi.c prints. New lines may be added to it, old ones stay."""

import argparse
import os
import re
import subprocess
import sys
import tempfile


def exported(library):
    table = subprocess.run(["nm", "-D", "--defined-only", library], check=True,
                           capture_output=True, text=True).stdout
    return sorted({line.split()[-1].split("@")[0] for line in table.splitlines()
                   if " A " not in line})


def declared(header):
    """The functions of the header: name, and the declaration on one line."""
    text = re.sub(r"/\*.*?\*/", " ", header, flags=re.DOTALL)
    found = {}
    for declaration in re.findall(r"^TACET_API ([^;]*);", text, flags=re.MULTILINE):
        line = " ".join(declaration.split())
        found[re.search(r"(tacet_\w+)\(", line).group(1)] = line
    return found


def layout(source, compiler):
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "abi")
        subprocess.run([compiler, "-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic",
                        "-I" + source,
                        os.path.join(source, "tests/interface/abi.c"), "-o", program], check=True)
        return subprocess.run([program], check=True, capture_output=True, text=True).stdout


def main():
    parser = argparse.ArgumentParser()
    for name in ["--library", "--compiler", "--source"]:
        parser.add_argument(name, required=True)
    options = parser.parse_args()
    with open(os.path.join(options.source, "include/tacet.h"), encoding="utf-8") as file:
        functions = declared(file.read())
    failures = []
    if exported(options.library) != sorted(functions):
        difference = set(exported(options.library)) ^ set(functions)
        failures.append(f"the library's exports are not the header's functions: {sorted(difference)}")
    found = "".join(functions[name] + "\n" for name in sorted(functions))
    found += layout(options.source, options.compiler)
    path = os.path.join(options.source, "tests/interface/abi.txt")
    if os.environ.get("UPDATE_GOLDEN"):
        with open(path, "w", encoding="utf-8") as file:
            file.write(found)
    with open(path, encoding="utf-8") as file:
        recorded = file.read()
    gone = [line for line in recorded.splitlines() if line not in found.splitlines()]
    new = [line for line in found.splitlines() if line not in recorded.splitlines()]
    failures += [f"changed or removed: {line}" for line in gone]
    failures += [f"not in abi.txt (UPDATE_GOLDEN=1 adds it): {line}" for line in new]
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

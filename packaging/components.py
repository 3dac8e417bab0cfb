"""What others wrote that is part of a program, found in how it was built, never in a list kept by hand.

Libraries come from the linker's map, headers from the dependencies that ninja recorded, both through dpkg; what
JavaScript is in a bundle, from the bundler's own report.
"""

import dataclasses
import pathlib
import re
import subprocess
import tomllib
import urllib.parse

import archives

HERE = pathlib.Path(__file__).resolve().parent
COMMON_LICENCES = pathlib.Path("/usr/share/common-licenses")
ARCHIVE_IN_MAP = re.compile(r"(?<![\w.+-])((?:\.{0,2}/)?[\w/.+-]+\.a)\(")
PLAYGROUND = "editors/playground/page/licences.txt"
# A header of tree-sitter's that its generator writes next to each parser.
PARSER_HEADER = "grammar/src/tree_sitter/parser.h"


@dataclasses.dataclass(frozen=True, order=True)
class Component:
    """A part of a program: a source package of Debian, or a package of npm."""

    kind: str  # deb, npm
    name: str
    version: str
    licence: str  # an SPDX expression
    # Its licence and notices, as its author states them.
    text: str = dataclasses.field(compare=False, default="")
    # Whether it is in the program, or loaded by it.
    is_inside: bool = True

    def purl(self) -> str:
        """Its name for scanners of vulnerabilities."""
        name = urllib.parse.quote(self.name, safe="/")
        version = urllib.parse.quote(self.version, safe=".-_")
        if self.kind == "deb":
            return f"pkg:deb/debian/{name}@{version}?arch=source"
        return f"pkg:npm/{name}@{version}"


class Unknown(ValueError):
    """A part whose origin or licence is not known."""


def run(*command) -> str:
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True).stdout


def licence_table() -> dict:
    with open(HERE / "licences.toml", "rb") as file:
        return tomllib.load(file)


def debian_licence(package: str, source: str, text: str, table: dict) -> str:
    """The licence of most files of a package, as its copyright file states it."""
    if source in table["sources"]:
        return table["sources"][source]
    for paragraph in re.split(r"\n\s*\n", text):
        if re.search(r"^Files:\s+\*\s*$", paragraph, re.M):
            found = re.search(r"^License:[ \t]*(\S[^\n]*)", paragraph, re.M)
            if found and found.group(1).strip() in table["names"]:
                return table["names"][found.group(1).strip()]
            named = found.group(1).strip() if found else "nothing"
            raise Unknown(f"the licence of {package} is {named}, which packaging/licences.toml does not have")
    raise Unknown(f"/usr/share/doc/{package}/copyright has no licence for all files; state that of {source} in "
                  f"packaging/licences.toml")


def of_debian_packages(packages: set, is_inside: bool = True) -> set:
    """The source packages of installed packages."""
    if not packages:
        return set()
    table = licence_table()
    fields = run("dpkg-query", "-W", "-f=${binary:Package}\t${source:Package}\t${source:Version}\n", *sorted(packages))
    found: dict = {}
    for line in sorted(fields.splitlines()):
        package, source, version = line.split("\t")
        name = package.partition(":")[0]
        text = pathlib.Path(f"/usr/share/doc/{name}/copyright").read_text(encoding="utf-8", errors="replace")
        if source not in found:
            found[source] = Component("deb", source, version, debian_licence(name, source, text, table), text, is_inside)
    return set(found.values())


def packages_of_files(paths: set) -> set:
    """The installed packages that have the files."""
    if not paths:
        return set()
    resolved = {str(pathlib.Path(path).resolve()) for path in paths}
    # Files in /lib are those of packages in /lib or /usr/lib.
    wanted = resolved | {path.removeprefix("/usr") for path in resolved if path.startswith("/usr/lib")}
    listed = subprocess.run(["dpkg-query", "--search", *sorted(wanted)], capture_output=True, text=True, check=False).stdout
    packages, seen = set(), set()
    for line in listed.splitlines():
        names, _, path = line.partition(": ")
        if path in wanted and not line.startswith("diversion "):
            packages.add(names.split(", ")[0])
            seen.add(path)
    lost = sorted(path for path in resolved if path not in seen and path.removeprefix("/usr") not in seen)
    if lost:
        raise Unknown(f"no Debian package has {', '.join(lost[:3])}")
    return packages


def libraries_in(map_file: pathlib.Path, folder: pathlib.Path) -> set:
    """The static libraries of which a program that was linked in `folder` has parts."""
    text = map_file.read_text(encoding="utf-8", errors="replace")
    return {(folder / name).resolve() for name in set(ARCHIVE_IN_MAP.findall(text))}


def inputs_of(build: pathlib.Path, target: str) -> set:
    return set(run("ninja", "-C", build, "-t", "inputs", target).splitlines())


def headers_of(build: pathlib.Path, inputs: set) -> set:
    """The files of others that objects of these inputs include."""
    found, is_used = set(), False
    for line in run("ninja", "-C", build, "-t", "deps").splitlines():
        if line.startswith(" "):
            path = line.strip()
            if is_used and path.startswith("/usr/"):
                found.add(path)
            elif is_used and path.endswith(PARSER_HEADER):
                found.add("/usr/include/tree_sitter/parser.h")
        else:
            is_used = line.partition(":")[0] in inputs
    return found


def static_sources(prefix: pathlib.Path) -> dict:
    """The sources and versions of the libraries that packaging/static_libraries.sh compiled."""
    lines = (prefix / "versions").read_text(encoding="utf-8").split()
    return dict(line.split("=", 1) for line in lines)


def of_static_libraries(libraries: set, root: pathlib.Path) -> set:
    """The components of static libraries that are not ours."""
    prefix = (root / "build/static").resolve()
    compiled = {path for path in libraries if path.is_relative_to(prefix)}
    systems = {str(path) for path in libraries if not path.is_relative_to(root)}
    found = of_debian_packages(packages_of_files(systems))
    names = {"libfmt.a": "libfmt-dev", "libtbb.a": "libtbb-dev", "libisl.a": "libisl-dev"}
    for path in sorted(compiled):
        if path.name not in names:
            raise Unknown(f"{path} is of no known source package")
        found |= of_debian_packages({names[path.name]})
    versions = static_sources(prefix) if compiled else {}
    for component in found:
        if versions.get(component.name, component.version) != component.version:
            raise Unknown(f"{component.name} was compiled in another version than {component.version}; "
                          f"run packaging/static_libraries.sh build/static")
    return found


def of_notices(path: pathlib.Path) -> set:
    """The packages of npm in a bundle, by the licences that its script collects."""
    text = path.read_text(encoding="utf-8")
    found = set()
    for part in text.split("=" * 72 + "\n")[1:]:
        head, _, licence = part.partition("\n")
        named = re.fullmatch(r"(\S+) (\S+) \((.+)\)", head)
        if not named:
            raise Unknown(f"{path} has a part without name, version and licence: {head}")
        found.add(Component("npm", *named.groups(), licence.strip() + "\n"))
    return found


def of_target(root: pathlib.Path, build: pathlib.Path, target: str, map_file: pathlib.Path | None) -> set:
    """All components of a program or library that was built in `build`."""
    inputs = inputs_of(build, target)
    found = of_debian_packages(packages_of_files(headers_of(build, inputs)))
    if map_file:
        found |= of_static_libraries(libraries_in(map_file, build), root)
    if any("editors/playground/page/" in path for path in inputs):
        found |= of_notices(root / PLAYGROUND)
    return found


def licence_files(components: set) -> dict:
    """The licences of components, by file name, with the texts that they refer to."""
    found, referred = {}, set()
    for component in sorted(components):
        name = component.name.replace("/", "_").lstrip("@")
        found[f"{name}.txt"] = archives.Entry(component.text.encode())
        referred |= set(re.findall(r"/usr/share/common-licenses/([A-Za-z0-9.+-]*[A-Za-z0-9])", component.text))
    for name in sorted(referred):
        path = COMMON_LICENCES / name
        if path.is_file():
            found[f"common-licenses/{name}"] = archives.Entry(path.read_bytes())
    return found


def licence_text(components: set) -> bytes:
    """The same in one text."""
    rule = "=" * 100
    parts = [f"{rule}\n{name}\n\n".encode() + entry.content.rstrip() + b"\n"
             for name, entry in sorted(licence_files(components).items())]
    return b"\n".join([b"This program is part of Tacet, under the Apache License 2.0, and contains:\n", *parts])

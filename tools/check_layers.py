#!/usr/bin/env python3
"""Fails when an #include or a link crosses the layer rules in tools/layers.toml.

usage: check_layers.py [ROOT]
"""

import pathlib
import re
import sys
import tomllib

import source_tree

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)
LINKS = re.compile(r"\btacet_folder\(\s*([\w/]+)([^)]*)\)")
KEYWORDS = {"LINKS": "uses", "PRIVATE_LINKS": "uses", "TEST_LINKS": "test_uses"}


class Layers:
    """The rules of one layers.toml: which layer a path is in, and what it may use."""

    def __init__(self, rules: dict):
        self.layers = rules.get("layer", {})
        self.forbidden = rules.get("forbid", [])
        for house, rooms in rules.get("rooms", {}).items():
            self.check_rooms(house, rooms)
        for name in self.layers:
            self.closure(name)
        for rule in rules.get("reach", []):
            self.check_reach(rule)

    def check_reach(self, rule: dict):
        """Raises ValueError for a layer that reaches one that `rule` leaves out, however it does."""
        for place in [*rule["in"], rule["of"], *rule["may"]]:
            if not any(is_inside(name, place) for name in self.layers):
                raise ValueError(f"tools/layers.toml: {place} has no layer")
        for name in self.layers:
            if not any(is_inside(name, place) for place in rule["in"]):
                continue
            for path in self.paths_from(name):
                end = path[-1]
                if is_inside(end, rule["of"]) and not any(is_inside(end, p) for p in rule["may"]):
                    chain = " -> ".join(path)
                    raise ValueError(f"tools/layers.toml: {chain}: {rule['because']}")

    def paths_from(self, name: str) -> list[tuple]:
        """A shortest path to every layer that `name` reaches, itself included, nearest first."""
        paths = {name: (name,)}
        for path in (queue := [(name,)]):
            for used in self.layers[path[-1]].get("uses", []):
                if used not in paths:
                    paths[used] = (*path, used)
                    queue.append(paths[used])
        return list(paths.values())

    def check_rooms(self, house: str, rooms: list[str]):
        """Raises ValueError for a layer that is in no room, or uses a layer of a later room."""

        def floor(name: str) -> int:
            room = name.removeprefix(house + "/").split("/")[0]
            if room not in rooms:
                raise ValueError(f"tools/layers.toml: {name} is in none of the rooms of {house}")
            return rooms.index(room)

        for name in self.layers:
            for used in self.layers[name].get("uses", []) if is_inside(name, house) else []:
                if is_inside(used, house) and floor(used) > floor(name):
                    raise ValueError(f"tools/layers.toml: {name} uses {used}, of a later room")

    def owner(self, path: str) -> str | None:
        """The innermost layer that `path` lies in."""
        owners = [name for name in self.layers if is_inside(path, name)]
        return max(owners, key=len, default=None)

    def closure(self, name: str, above: tuple = ()) -> set[str]:
        """`name` and every layer below it. Raises ValueError for a cycle or an unknown name."""
        if name in above:
            raise ValueError(f"tools/layers.toml: {' -> '.join((*above, name))} is a cycle")
        if name not in self.layers:
            raise ValueError(f"tools/layers.toml: {above[-1]} uses {name}, which is no layer")
        found = {name}
        for used in self.layers[name].get("uses", []):
            found |= self.closure(used, (*above, name))
        return found

    def allowed(self, layer: str, is_test: bool) -> set[str]:
        found = self.closure(layer)
        for used in self.layers[layer].get("test_uses", []) if is_test else []:
            found |= self.closure(used, (layer,))
        return found

    def reasons_against(self, path: str, header: str):
        """Yields why the external `header` may not be included by `path`."""
        for rule in self.forbidden:
            if applies(rule, path) and any(matches(header, word) for word in rule["headers"]):
                yield rule["because"]


def applies(rule: dict, path: str) -> bool:
    if path.endswith("_test.cpp") and not rule.get("tests", False):
        return False
    if any(is_inside(path, place) for place in rule.get("except", [])):
        return False
    in_place = any(is_inside(path, folder) for folder in rule["in"])
    return in_place and path.endswith(tuple(rule.get("files", [""])))


def is_inside(path: str, place: str) -> bool:
    return place in ("", path) or path.startswith(place + "/")


def matches(header: str, word: str) -> bool:
    return header.startswith(word) if word.endswith("/") else header == word


def check_file(layers: Layers, path: str, text: str):
    here = layers.owner(path)
    if here is None:
        yield f"{path}: belongs to no layer; add its folder to tools/layers.toml"
        return
    allowed = layers.allowed(here, path.endswith("_test.cpp"))
    for quote, target in INCLUDE.findall(text):
        other = layers.owner(target)
        if quote == '"' and other is None:
            yield f'{path}: "{target}" is not spelled from the root of the repository'
        if other and other not in allowed:
            yield f"{path}: {here} must not depend on {other} ({target})"
        for reason in layers.reasons_against(path, target):
            yield f"{path}: must not include <{target}>: {reason}"


def check_links(layers: Layers, path: str, text: str):
    """The same arrows in the calls of tacet_folder()."""
    for folder, arguments in LINKS.findall(text):
        if layers.owner(folder) is None:
            yield f"{path}: {folder} is in no layer; add it to tools/layers.toml"
            continue
        mode = "uses"
        for word in arguments.split():
            mode = KEYWORDS.get(word, mode)
            other = layers.owner(word)
            allowed = layers.allowed(layers.owner(folder), mode == "test_uses")
            if other and other not in allowed:
                yield f"{path}: {folder} must not link {word}"


def violations(root: pathlib.Path):
    try:
        layers = Layers(tomllib.loads(source_tree.read(root, "tools/layers.toml")))
    except ValueError as error:
        yield str(error)
        return
    for path in source_tree.files(root):
        if path.endswith((".h", ".hpp", ".c", ".cc", ".cpp")):
            yield from check_file(layers, path, source_tree.read(root, path))
        elif path.endswith("CMakeLists.txt"):
            yield from check_links(layers, path, source_tree.read(root, path))


def main() -> int:
    found = list(violations(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()))
    print("\n".join(found) or "layers: ok")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

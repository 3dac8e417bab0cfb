"""A tree of files for the tests of these tools."""

import pathlib
import tempfile
from collections.abc import Callable, Iterable


def violations_in(files: dict, violations: Callable[[pathlib.Path], Iterable]) -> list:
    """What `violations` finds in a folder with these texts, by path."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(text.encode())
        return list(violations(root))

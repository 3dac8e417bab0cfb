"""Which files of a checkout are ours to check: no build folders, no generated parser."""

import os
import pathlib

SKIPPED_FOLDERS = {"build", "node_modules", "__pycache__"}
GENERATED = ("grammar/src/",)


def files(root: pathlib.Path):
    """Yields every file below `root` as a path relative to it, in a stable order."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(
            name for name in folders if name not in SKIPPED_FOLDERS and not name.startswith(".")
        )
        for name in sorted(names):
            path = (pathlib.Path(folder) / name).relative_to(root).as_posix()
            if not path.startswith(GENERATED):
                yield path


def read(root: pathlib.Path, path: str) -> str:
    """The text of a file; bytes that are not UTF-8 become replacement characters. Line ends
    stay as they are."""
    return (root / path).read_bytes().decode("utf-8", "replace")

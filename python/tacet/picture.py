"""Pictures of programs."""

from __future__ import annotations

import os
from typing import Union

__all__ = ["Picture"]


class Picture:
    """A picture as SVG, which notebooks show."""

    def __init__(self, kind: str, svg: str) -> None:
        self.kind = kind
        self.svg = svg

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes an `.svg` file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)

    def __repr__(self) -> str:
        return f"Picture({self.kind!r}, {len(self.svg)} characters of SVG)"

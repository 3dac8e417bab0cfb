"""The text of programs: what can be checked, formatted and explained without running it."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from ._control import controlled
from ._library import (call_diagnostics, call_handle, call_text, encoded,
                       encoded_path)
from ._options import options_handle, options_of
from .errors import Diagnostics, UsageError

__all__ = ["Completion", "Function", "Source", "check", "emit", "explain_code", "fix", "format",
           "functions", "lint"]

ENDINGS = (".tacet", ".tlhe", ".cm")

# A text, or the path of a file.
SourceLike = Union[str, "os.PathLike[str]", "Source"]


@dataclass(frozen=True)
class Function:
    """What can be run."""

    name: str
    device: str
    """`he` or `mpc`, the device that it is written for, or `ref`: any."""
    line: int


@dataclass(frozen=True)
class Completion:
    """What could be written at a place: `insert` replaces the columns from `begin` to `end`."""

    label: str
    insert: str
    kind: str
    detail: str
    begin: int
    end: int


class Source:
    """A module with all that it imports, as it was when it was opened.

    `source` is the text of a program, or the path of a file: a path object, or a string of one line
    that ends with `.tacet`, `.tlhe` or `.cm`. `path` is where a text would be: its ending is the
    language, and what it imports is looked for beside it.
    """

    path: str

    def __init__(self, source: Union[str, "os.PathLike[str]"], path: str = "program.tacet") -> None:
        if not isinstance(source, (str, os.PathLike)):
            raise UsageError(f"a program is a text or a path, not {type(source).__name__}")
        self.path = _path_of(source) or path
        self._text: Optional[str] = None
        if _path_of(source):
            self._handle = call_handle("sources_open", "sources_free", encoded_path(self.path))
            return
        self._text = str(source)
        raw = self._text.encode("utf-8", "surrogatepass")
        self._handle = call_handle("sources_from_text", "sources_free", raw, len(raw),
                                   encoded_path(path))

    def __repr__(self) -> str:
        return f"Source({self.path!r})"

    def __reduce__(self) -> Tuple[Any, ...]:
        return (Source, (self._text, self.path)) if self._text is not None else (_opened, (self.path,))

    @property
    def functions(self) -> List[Function]:
        """What can be run, in the order of the text."""
        found = json.loads(controlled(call_text, "functions", self._handle.pointer))
        return [Function(each["name"], each["kind"], each["line"]) for each in found]

    def check(self) -> Diagnostics:
        """Errors, warnings and remarks. Never raises because of the program."""
        return controlled(call_diagnostics, "check", self._handle.pointer)

    def lint(self, select: Sequence[str] = (), ignore: Sequence[str] = ()) -> Diagnostics:
        """Findings of the linter: secret-dependent control flow, likely mistakes and more. Rules are
        codes, names or groups."""
        options = options_handle(options_of({"select": _names(select), "ignore": _names(ignore)}))
        return controlled(call_diagnostics, "lint", self._handle.pointer, options.pointer)

    def fix(self) -> str:
        """The text after all safe fixes of the linter."""
        return controlled(call_text, "fix", self._handle.pointer)

    def format(self) -> str:
        """The formatted text. ProgramError if it has syntax errors."""
        return call_text("format", self._handle.pointer)

    def emit(self, stage: str, function: Optional[str] = None,
             sizes: Optional[Mapping[str, Any]] = None, ranges: Optional[Mapping[str, Any]] = None,
             **options: Any) -> str:
        """The output of a stage of the compiler: `oblivious`, `array`, `circuit`, `gates`, ….

        Options are those of `tacet emit`, with underscores.
        """
        given: Dict[str, Any] = {"fn": function, **options}
        handle = options_handle(options_of(given, sizes, ranges))
        return controlled(call_text, "emit", self._handle.pointer, encoded(stage, "the stage"), handle.pointer)

    def hover(self, line: int, column: int) -> str:
        """What editors show of a place, in Markdown; empty if that is nothing."""
        return controlled(call_text, "hover", self._handle.pointer, line, column)

    def complete(self, line: int, column: int) -> List[Completion]:
        """What could be written at a place, the best first."""
        found = json.loads(controlled(call_text, "complete", self._handle.pointer, line, column))
        return [Completion(each["label"], each["insert"], each.get("kind", ""),
                           each.get("detail", ""), each["begin"], each["end"]) for each in found]


def _path_of(source: Any) -> str:
    """The path that is meant, or nothing if it is a text."""
    if isinstance(source, os.PathLike):
        return os.fsdecode(source)
    text = str(source)
    return text if "\n" not in text and text.endswith(ENDINGS) else ""


def _opened(path: str) -> Source:
    return Source(os.fspath(path) if path.endswith(ENDINGS) else _Path(path))


class _Path(os.PathLike):  # type: ignore[type-arg]
    def __init__(self, path: str) -> None:
        self._path = path

    def __fspath__(self) -> str:
        return self._path


def _names(names: Union[str, Sequence[str]]) -> List[str]:
    return [names] if isinstance(names, str) else list(names)


def opened(source: SourceLike, path: str = "program.tacet") -> Source:
    """A source, which may have been opened already."""
    return source if isinstance(source, Source) else Source(source, path)


def check(source: SourceLike) -> Diagnostics:
    """Errors, warnings and remarks about a program. Never raises because of the program.

    >>> print(tacet.check(text))
    """
    return opened(source).check()


def lint(source: SourceLike, select: Sequence[str] = (), ignore: Sequence[str] = ()) -> Diagnostics:
    """Findings of the linter: secret-dependent control flow, likely mistakes and more."""
    return opened(source).lint(select, ignore)


def fix(source: SourceLike) -> str:
    """The text of a program after all safe fixes of the linter."""
    return opened(source).fix()


def format(source: SourceLike) -> str:
    """The formatted text of a program. ProgramError if it has syntax errors."""
    return opened(source).format()


def functions(source: SourceLike) -> List[Function]:
    """What can be run, in the order of the text."""
    return opened(source).functions


def emit(source: SourceLike, stage: str, function: Optional[str] = None, **options: Any) -> str:
    """The output of a stage of the compiler: `oblivious`, `array`, `circuit`, `gates`, …."""
    return opened(source).emit(stage, function, **options)


def explain_code(code: str) -> str:
    """The page of a diagnostic: its meaning, a program that causes it, and a corrected one. An empty
    code lists all codes; the name of a rule or a group of the linter is good, too."""
    return call_text("explain", encoded(code, "the code"))

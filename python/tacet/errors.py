"""What can go wrong: exceptions, and the diagnostics that the compiler reports."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Dict, Iterable, List, Tuple

__all__ = ["ArgumentError", "Cancelled", "Diagnostic", "Diagnostics", "Error", "InternalError", "ProgramError",
           "RunError", "UsageError"]


@dataclass(frozen=True)
class Diagnostic:
    """A finding in a program.

    Lines and columns count from 1, columns in characters; the end is behind the last character.
    """

    code: str
    """`T2001`; `tacet.explain_code` gives its page."""
    severity: str
    """`error`, `warning`, `info` or `hint`."""
    message: str
    path: str
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}: {self.severity}[{self.code}]: {self.message}"


class Diagnostics(Tuple[Diagnostic, ...]):
    """A tuple of `Diagnostic`. As a string it shows the lines of the program, with carets."""

    text: str
    """As `tacet check` prints them."""
    json: str
    """As `tacet check --format json` prints them: an object a line, with notes and fixes."""

    def __new__(cls, found: Iterable[Diagnostic] = (), text: str = "", json: str = "") -> "Diagnostics":
        self = super().__new__(cls, found)  # type: ignore[arg-type]
        self.text = text
        self.json = json
        return self

    def __reduce__(self) -> Tuple[Any, ...]:
        return type(self), (tuple(self), self.text, self.json)

    def __str__(self) -> str:
        return self.text.rstrip("\n")

    def details(self) -> List[Dict[str, Any]]:
        """The findings with their labels, notes and fixes, as JSON objects."""
        return [json.loads(line) for line in self.json.splitlines() if line.strip()]


class Error(Exception):
    """Any error of Tacet."""


class UsageError(Error, ValueError):
    """An argument is wrong: a value, a range, an option."""


class ArgumentError(UsageError, TypeError):
    """A call has too few or too many arguments, or one of an unknown name."""


class ProgramError(Error):
    """The program has errors, or a device cannot run it."""

    diagnostics: Diagnostics
    """The errors with their places; empty if they have none."""

    def __init__(self, message: str, diagnostics: Diagnostics = Diagnostics()) -> None:
        super().__init__(message)
        self.diagnostics = diagnostics

    def __reduce__(self) -> Tuple[Any, ...]:
        return type(self), (str(self), self.diagnostics)


class RunError(Error):
    """A file, another party, or a run failed."""


class Cancelled(Error):
    """The call was stopped: `progress` returned False, or a `Cancellation` was cancelled."""


class InternalError(Error):
    """A bug in Tacet."""

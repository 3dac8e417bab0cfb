"""Progress of long calls: the library's callback as a call of a Python function."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import Any, Callable, Iterator, List, Optional

from ._library import Progress, text_of

# Hears a phase (`encrypt`), how much of it is done, and how much there is to do, 0 if unknown.
ProgressFunction = Callable[[str, int, int], Any]

_none: Any = Progress(0)


@contextmanager
def callback(function: Optional[ProgressFunction]) -> Iterator[Any]:
    """The callback to pass to the library, for the time of one call.

    The function is called from any thread, one call at a time. Once it raises an exception it is not
    called any more; the exception is raised when the library's call is over.
    """
    if function is None:
        yield _none
        return
    if not callable(function):
        raise TypeError(f"progress must be a function, not {type(function).__name__}")
    raised: List[BaseException] = []
    lock = threading.Lock()
    hearer = function

    def hear(_user: Any, phase: Optional[bytes], done: int, total: int) -> None:
        with lock:
            if raised:
                return
            try:
                hearer(text_of(phase), done, total)
            except BaseException as error:
                raised.append(error)

    heard = Progress(hear)
    yield heard
    if raised:
        raise raised[0]

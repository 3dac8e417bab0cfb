"""Long calls of the library: how far they have come, and how they are stopped."""

from __future__ import annotations

import ctypes
import os
import queue
import signal
import threading
from types import TracebackType
from typing import Any, Callable, List, Optional, Tuple, Type, TypeVar

from ._library import ControlStruct, Handle, Progress, library, text_of

__all__ = ["Cancellation"]

T = TypeVar("T")

# Hears a phase (`encrypt`), how much of it is done, and how much there is to do, 0 if unknown.
# Returns False, or raises an exception, to stop the call.
ProgressFunction = Callable[[str, int, int], Any]

STACK = 16 << 20
"""Passes of the compiler recurse over trees."""


class _Scopes(threading.local):
    """The cancellations that this thread is in the `with` of."""

    def __init__(self) -> None:
        self.entered: List[Cancellation] = []


_scopes = _Scopes()


def _new_cancellation() -> Handle:
    """One that the innermost of this thread's cancels too."""
    outer = _scopes.entered[-1]._handle.pointer if _scopes.entered else None
    return Handle(library.tacet_cancellation_new(outer), library.tacet_cancellation_free)


class Cancellation:
    """Stops calls from another thread: all that the thread of its `with` makes in it.

    >>> with tacet.Cancellation() as cancellation:
    ...     threading.Timer(10, cancellation.cancel).start()
    ...     program(x)

    A call that is stopped raises `tacet.Cancelled`; so do those that would begin later.
    """

    def __init__(self) -> None:
        self._handle = _new_cancellation()

    def cancel(self) -> None:
        """Stops the calls. From any thread; there is no way back."""
        library.tacet_cancellation_cancel(self._handle.pointer)

    @property
    def cancelled(self) -> bool:
        """Whether `cancel` was called, here or for one around it."""
        return bool(library.tacet_cancellation_is_cancelled(self._handle.pointer))

    def __enter__(self) -> Cancellation:
        _scopes.entered.append(self)
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 traceback: Optional[TracebackType]) -> None:
        _scopes.entered.remove(self)


class _Control:
    """What one call hears and obeys."""

    def __init__(self, progress: Optional[ProgressFunction]) -> None:
        if progress is not None and not callable(progress):
            raise TypeError(f"progress must be a function, not {type(progress).__name__}")
        self._hearer = progress
        self._lock = threading.Lock()
        self._handle = _new_cancellation()
        self.raised: List[BaseException] = []
        self._callback = Progress(self._hear) if progress else Progress(0)
        self._struct = ControlStruct(ctypes.sizeof(ControlStruct), self._callback, None,
                                     self._handle.pointer)
        self.pointer = ctypes.pointer(self._struct)

    def _hear(self, _user: Any, phase: Optional[bytes], done: int, total: int) -> int:
        """From any thread, which must not see an exception."""
        with self._lock:
            if self.raised or self._hearer is None:
                return 0
            try:
                return 0 if self._hearer(text_of(phase), done, total) is False else 1
            except BaseException as error:
                self.raised.append(error)
                return 0

    def cancel(self) -> None:
        library.tacet_cancellation_cancel(self._handle.pointer)


class _Worker:
    """A thread that makes calls for the main one, which meanwhile can be interrupted."""

    def __init__(self) -> None:
        self._given: queue.SimpleQueue[Callable[[], Any]] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[Tuple[Any, Optional[BaseException]]] = queue.SimpleQueue()
        before = threading.stack_size(STACK)
        try:
            threading.Thread(target=self._work, name="tacet", daemon=True).start()
        finally:
            threading.stack_size(before)

    def _work(self) -> None:
        while True:
            self._done.put(_outcome(self._given.get()))

    def begin(self, call: Callable[[], Any]) -> None:
        self._given.put(call)

    def end(self) -> Tuple[Any, Optional[BaseException]]:
        """What the call gave or raised, once it is over. Signal handlers run meanwhile."""
        return self._done.get()


_idle: List[_Worker] = []
os.register_at_fork(after_in_child=_idle.clear)


def _outcome(call: Callable[[], Any]) -> Tuple[Any, Optional[BaseException]]:
    try:
        return call(), None
    except BaseException as error:
        return None, error


class _Interruptions:
    """While it lives, what the handler of SIGINT raises (KeyboardInterrupt) stops a call, and is kept
    until the call is over: its memory is in use until then. In the main thread."""

    def __init__(self, control: _Control) -> None:
        self._control = control
        self._handler = signal.getsignal(signal.SIGINT)

    def __enter__(self) -> None:
        if callable(self._handler):
            signal.signal(signal.SIGINT, self._interrupted)

    def _interrupted(self, number: int, frame: Any) -> None:
        try:
            self._handler(number, frame)  # type: ignore[operator,misc]
        except BaseException as error:
            self._control.raised.append(error)
            self._control.cancel()

    def __exit__(self, *_: object) -> None:
        if callable(self._handler):
            signal.signal(signal.SIGINT, self._handler)


def _on_worker(call: Callable[[], T], control: _Control) -> Tuple[Any, Optional[BaseException]]:
    """Makes a call for the main thread. Handlers of signals run during it; if one raises an exception
    the call is stopped."""
    with _Interruptions(control):
        worker = _idle.pop() if _idle else _Worker()
        worker.begin(call)
        while True:
            try:
                outcome = worker.end()
                break
            except BaseException as error:  # of other signals
                control.raised.append(error)
                control.cancel()
        _idle.append(worker)
        return outcome


def controlled(call: Callable[..., T], *arguments: Any,
               progress: Optional[ProgressFunction] = None) -> T:
    """Makes a call of the library whose last parameter before its results is a control."""
    control = _Control(progress)

    def complete() -> T:
        return call(*arguments, control.pointer)

    is_main = threading.current_thread() is threading.main_thread()
    result, error = _on_worker(complete, control) if is_main else _outcome(complete)
    if control.raised:
        raise control.raised[0]
    if error is not None:
        raise error
    return result  # type: ignore[no-any-return]

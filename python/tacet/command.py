"""The command `tacet`, for what has no function of its own."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_char_p, c_int, c_void_p
from typing import Any, NamedTuple

from . import _library
from ._control import controlled
from ._library import Handle, copied, encoded, encoded_path, library

__all__ = ["Output", "command"]


class Output(NamedTuple):
    """What a command returned and printed."""

    exit_code: int
    """0 for success, 1 if the program or the check failed, 2 for invalid arguments."""
    out: str
    err: str


def command(*arguments: Any) -> Output:
    """Runs the command `tacet` with these arguments, texts or paths: `command("check", path)`.

    Standard input is empty. `lsp` and `playground`, which serve until they are stopped, are errors.
    """
    raw = [encoded(each, "an argument") if isinstance(each, str) else encoded_path(each)
           for each in arguments]
    texts = (c_char_p * max(len(raw), 1))(*raw)

    def call(control: Any) -> Output:
        out, err, code = c_void_p(), c_void_p(), c_int()
        _library.check(library.tacet_command(ctypes.cast(texts, ctypes.POINTER(c_char_p)), len(raw),
                                             control, byref(out), byref(err), byref(code)))
        handles = [Handle(each.value or 0, library.tacet_bytes_free) for each in (out, err)]
        printed = [copied(handle).decode("utf-8", "replace") for handle in handles]
        return Output(code.value, *printed)

    return controlled(call)

"""The shared library: loading, its structures and functions, and who frees its objects.

The declarations are those of `include/tacet.h`, which documents them.
"""

from __future__ import annotations

import ctypes
import os
import pathlib
import re
import sys
from ctypes import (CFUNCTYPE, POINTER, Structure, byref, c_char_p, c_double, c_int, c_int64, c_size_t,
                    c_uint32, c_uint64, c_void_p)
from typing import Any, List, Optional, Tuple

from .errors import (Cancelled, Diagnostic, Diagnostics, Error, InternalError, ProgramError, RunError,
                     UsageError)

NEEDED_ABI = 1
SEVERITIES = ("error", "warning", "info", "hint")


class DiagnosticStruct(Structure):
    _fields_ = [("struct_size", c_size_t), ("code", c_char_p), ("message", c_char_p),
                ("path", c_char_p), ("severity", c_uint32), ("line", c_uint32),
                ("column", c_uint32), ("end_line", c_uint32), ("end_column", c_uint32)]


class FieldStruct(Structure):
    _fields_ = [("struct_size", c_size_t), ("name", c_char_p), ("type", c_char_p),
                ("owner", c_char_p), ("bound", c_char_p), ("element", c_uint32),
                ("fraction_bits", c_uint32), ("is_secret", c_uint32), ("n_dimensions", c_uint32),
                ("shape", POINTER(c_uint64)), ("error", c_double)]


class ArrayStruct(Structure):
    _fields_ = [("struct_size", c_size_t), ("data", c_void_p), ("element", c_uint32),
                ("fraction_bits", c_uint32), ("n_dimensions", c_uint32),
                ("shape", POINTER(c_uint64)), ("strides", POINTER(c_int64))]


class InputStruct(Structure):
    _fields_ = [("struct_size", c_size_t), ("name", c_char_p), ("text", c_char_p),
                ("array", ArrayStruct)]


class ServicePlaceStruct(Structure):
    _fields_ = [("struct_size", c_size_t), ("address", c_char_p), ("certificate", c_char_p),
                ("own_certificate", c_char_p), ("own_key", c_char_p), ("connect_seconds", c_uint32),
                ("answer_seconds", c_uint32), ("most_results", c_uint64)]


Progress = CFUNCTYPE(c_int, c_void_p, c_char_p, c_uint64, c_uint64)


class ControlStruct(Structure):
    _fields_ = [("struct_size", c_size_t), ("progress", Progress), ("user", c_void_p),
                ("cancellation", c_void_p)]


_ERROR, _OUT, _INPUTS = c_void_p, POINTER(c_void_p), POINTER(InputStruct)
_CONTROL = POINTER(ControlStruct)
# Functions by name: what they give and take.
FUNCTIONS = {
    "abi": (c_uint32, []),
    "version": (c_char_p, []),
    "bytes_data": (c_void_p, [c_void_p]),
    "bytes_size": (c_size_t, [c_void_p]),
    "bytes_free": (None, [c_void_p]),
    "diagnostics_count": (c_size_t, [c_void_p]),
    "diagnostics_get": (c_int, [c_void_p, c_size_t, POINTER(DiagnosticStruct)]),
    "diagnostics_text": (c_char_p, [c_void_p]),
    "diagnostics_json": (c_char_p, [c_void_p]),
    "diagnostics_free": (None, [c_void_p]),
    "error_status": (c_uint32, [c_void_p]),
    "error_message": (c_char_p, [c_void_p]),
    "error_diagnostics": (c_void_p, [c_void_p]),
    "error_free": (None, [c_void_p]),
    "cancellation_new": (c_void_p, [c_void_p]),
    "cancellation_cancel": (None, [c_void_p]),
    "cancellation_is_cancelled": (c_int, [c_void_p]),
    "cancellation_free": (None, [c_void_p]),
    "options_new": (c_void_p, []),
    "options_set": (_ERROR, [c_void_p, c_char_p, c_char_p]),
    "options_free": (None, [c_void_p]),
    "sources_open": (_ERROR, [c_char_p, _OUT]),
    "sources_from_text": (_ERROR, [c_char_p, c_size_t, c_char_p, _OUT]),
    "sources_free": (None, [c_void_p]),
    "check": (_ERROR, [c_void_p, _CONTROL, _OUT]),
    "lint": (_ERROR, [c_void_p, c_void_p, _CONTROL, _OUT]),
    "fix": (_ERROR, [c_void_p, _CONTROL, _OUT]),
    "format": (_ERROR, [c_void_p, _OUT]),
    "functions": (_ERROR, [c_void_p, _CONTROL, _OUT]),
    "emit": (_ERROR, [c_void_p, c_char_p, c_void_p, _CONTROL, _OUT]),
    "hover": (_ERROR, [c_void_p, c_uint32, c_uint32, _CONTROL, _OUT]),
    "complete": (_ERROR, [c_void_p, c_uint32, c_uint32, _CONTROL, _OUT]),
    "explain": (_ERROR, [c_char_p, _OUT]),
    "compile": (_ERROR, [c_void_p, c_char_p, c_char_p, c_void_p, _CONTROL, _OUT]),
    "program_write": (_ERROR, [c_void_p, _OUT]),
    "program_read": (_ERROR, [c_char_p, c_size_t, _OUT]),
    "program_free": (None, [c_void_p]),
    "program_name": (c_char_p, [c_void_p]),
    "program_device": (c_char_p, [c_void_p]),
    "program_notes": (c_char_p, [c_void_p]),
    "program_parameter_count": (c_size_t, [c_void_p]),
    "program_result_count": (c_size_t, [c_void_p]),
    "program_parameter": (c_int, [c_void_p, c_size_t, POINTER(FieldStruct)]),
    "program_result": (c_int, [c_void_p, c_size_t, POINTER(FieldStruct)]),
    "program_costs": (_ERROR, [c_void_p, _CONTROL, _OUT]),
    "program_explain": (_ERROR, [c_void_p, _CONTROL, _OUT]),
    "program_picture": (_ERROR, [c_void_p, c_char_p, _CONTROL, _OUT]),
    "values_count": (c_size_t, [c_void_p]),
    "values_name": (c_char_p, [c_void_p, c_size_t]),
    "values_get": (c_int, [c_void_p, c_size_t, POINTER(ArrayStruct)]),
    "values_json": (c_char_p, [c_void_p]),
    "values_costs": (c_char_p, [c_void_p]),
    "values_free": (None, [c_void_p]),
    "run": (_ERROR, [c_void_p, _INPUTS, c_size_t, _CONTROL, _OUT]),
    "client_new": (_ERROR, [c_void_p, _CONTROL, _OUT]),
    "client_keys": (_ERROR, [c_void_p, _OUT]),
    "client_secret": (_ERROR, [c_void_p, _OUT]),
    "client_open": (_ERROR, [c_void_p, c_void_p, c_size_t, _OUT]),
    "client_encrypt": (_ERROR, [c_void_p, _INPUTS, c_size_t, _CONTROL, _OUT]),
    "client_decrypt": (_ERROR, [c_void_p, c_void_p, c_size_t, _CONTROL, _OUT]),
    "client_free": (None, [c_void_p]),
    "server_new": (_ERROR, [c_void_p, c_void_p, c_size_t, _INPUTS, c_size_t, _CONTROL, _OUT]),
    "server_evaluate": (_ERROR, [c_void_p, c_void_p, c_size_t, _CONTROL, _OUT]),
    "server_free": (None, [c_void_p]),
    "service_connect": (_ERROR, [POINTER(ServicePlaceStruct), _CONTROL, _OUT]),
    "service_request": (_ERROR, [c_void_p, c_void_p, c_void_p, c_size_t, _INPUTS, c_size_t, _CONTROL,
                                 _OUT]),
    "service_free": (None, [c_void_p]),
    "command": (_ERROR, [POINTER(c_char_p), c_size_t, _CONTROL, _OUT, _OUT, POINTER(c_int)]),
}


def _path() -> str:
    """Where the library is: `TACET_LIBRARY`, or beside this file."""
    given = os.environ.get("TACET_LIBRARY")
    return given if given else str(pathlib.Path(__file__).with_name("libtacet.so"))


def _load_bundled(folder: pathlib.Path) -> List[ctypes.CDLL]:
    """Loads the libraries of the wheel that `libtacet.so` needs, each after those that it needs."""
    order = folder / "load_order"
    if not order.exists():
        return []
    return [ctypes.CDLL(str(folder / name)) for name in order.read_text("ascii").split()]


def _load() -> Any:
    if sys.implementation.name != "cpython":
        raise ImportError(f"tacet needs CPython, not {sys.implementation.name}")
    path = _path()
    try:
        _load_bundled(pathlib.Path(path).with_name("libraries"))
        loaded = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(f"cannot load the library of tacet: {error}") from None
    for name, (result, parameters) in FUNCTIONS.items():
        try:
            function = getattr(loaded, "tacet_" + name)
        except AttributeError:
            raise ImportError(f"{path} has no function tacet_{name}: it is of another version") from None
        function.restype, function.argtypes = result, parameters
    if loaded.tacet_abi() < NEEDED_ABI:
        raise ImportError(f"{path} has version {loaded.tacet_abi()} of the interface; "
                          f"this package needs at least {NEEDED_ABI}")
    return loaded


library: Any = _load()


class Handle:
    """An object of the library, freed once, when nothing refers to it any more."""

    __slots__ = ("pointer", "_free", "__weakref__")

    def __init__(self, pointer: int, free: Any) -> None:
        self.pointer = pointer
        self._free = free

    def __del__(self) -> None:
        pointer, self.pointer = self.pointer, 0
        if pointer:
            self._free(pointer)

    def __reduce__(self) -> str:
        raise TypeError("an object of the library cannot be pickled")


def text_of(raw: Optional[bytes]) -> str:
    """A text of the library."""
    return (raw or b"").decode("utf-8", "replace")


def encoded(text: str, what: str) -> bytes:
    """A text for the library. Names `what` it is if it has a null character or is not Unicode."""
    if not isinstance(text, str):
        raise UsageError(f"{what} is {type(text).__name__}, not str")
    if "\0" in text:
        raise UsageError(f"{what} has a null character")
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise UsageError(f"{what} has half of a surrogate pair, which is not Unicode") from None


def encoded_path(path: Any) -> bytes:
    """A path for the library."""
    raw = os.fsencode(path)
    if b"\0" in raw:
        raise UsageError("the path has a null character")
    return raw


def diagnostics_of(pointer: int) -> Diagnostics:
    """Copies what a `tacet_diagnostics` holds."""
    found: List[Diagnostic] = []
    entry = DiagnosticStruct(struct_size=ctypes.sizeof(DiagnosticStruct))
    for number in range(library.tacet_diagnostics_count(pointer)):
        library.tacet_diagnostics_get(pointer, number, byref(entry))
        found.append(Diagnostic(text_of(entry.code), SEVERITIES[entry.severity],
                                text_of(entry.message), text_of(entry.path), entry.line,
                                entry.column, entry.end_line, entry.end_column))
    return Diagnostics(found, text_of(library.tacet_diagnostics_text(pointer)),
                       text_of(library.tacet_diagnostics_json(pointer)))


# Options as the library's messages name them, and as Python does.
_OPTIONS = ((re.compile(r"--size (\w+)=(\w+)"), r'sizes={"\1": \2}'),
            (re.compile(r"--range ([\w.]+)=(\w+)\.\.(\w+)"), r'ranges={"\1": (\2, \3)}'),
            (re.compile(r"`--fn`"), "`function`"),
            (re.compile(r"`--([a-z]+)`"), r"`\1`"))


def in_python(message: str) -> str:
    """A message that names options as Python does: `sizes={"n": N}`, not `--size n=N`."""
    for option, python in _OPTIONS:
        message = option.sub(python, message)
    return message


def _exception(pointer: int) -> Error:
    status = library.tacet_error_status(pointer)
    message = in_python(text_of(library.tacet_error_message(pointer)).rstrip("\n"))
    if status == 2:
        found = library.tacet_error_diagnostics(pointer)
        return ProgramError(message, diagnostics_of(found) if found else Diagnostics())
    return {1: UsageError, 3: RunError, 5: Cancelled}.get(status, InternalError)(message)


def check(error: Optional[int]) -> None:
    """Raises what a function of the library returned, if it failed."""
    if error:
        try:
            raised = _exception(error)
        finally:
            library.tacet_error_free(error)
        raise raised


def call(name: str, *arguments: Any) -> int:
    """Calls a function that gives an object through its last parameter: a pointer, to be freed."""
    out = c_void_p()
    check(getattr(library, "tacet_" + name)(*arguments, byref(out)))
    return out.value or 0


def call_handle(name: str, free: str, *arguments: Any) -> Handle:
    """The same, for an object that `tacet_<free>` frees."""
    return Handle(call(name, *arguments), getattr(library, "tacet_" + free))


def call_bytes(name: str, *arguments: Any) -> bytes:
    """The same, for bytes, which are copied."""
    return copied(call_handle(name, "bytes_free", *arguments))


def call_text(name: str, *arguments: Any) -> str:
    """The same, for a text."""
    return call_bytes(name, *arguments).decode("utf-8", "replace")


def call_diagnostics(name: str, *arguments: Any) -> Diagnostics:
    """The same, for diagnostics."""
    handle = call_handle(name, "diagnostics_free", *arguments)
    return diagnostics_of(handle.pointer)


def copied(handle: Handle) -> bytes:
    """A copy of a `tacet_bytes`."""
    return ctypes.string_at(library.tacet_bytes_data(handle.pointer),
                            library.tacet_bytes_size(handle.pointer))


def address_and_size(handle: Handle) -> Tuple[int, int]:
    """Where the content of a `tacet_bytes` is."""
    return (library.tacet_bytes_data(handle.pointer) or 0,
            library.tacet_bytes_size(handle.pointer))

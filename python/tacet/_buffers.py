"""Memory of other objects: what has the buffer protocol goes to the library without a copy."""

from __future__ import annotations

import array
import ctypes
import struct
import sys
from ctypes import POINTER, Structure, byref, c_char_p, c_int, c_ssize_t, c_void_p, py_object
from typing import Any, Dict, Optional, Tuple

from .errors import UsageError

BOOL, I8, I16, I32, I64, U8, U16, U32, U64, FXP, F32, F64 = range(12)
_SIGNED = {1: I8, 2: I16, 4: I32, 8: I64}
_UNSIGNED = {1: U8, 2: U16, 4: U32, 8: U64}
# Codes of the module `array` by element.
_ARRAY_CODES = {I8: "b", I16: "h", I32: "i", I64: "q", U8: "B", U16: "H", U32: "I", U64: "Q",
                F32: "f", F64: "d"}
_STRIDES_AND_FORMAT = 0x0018 | 0x0004  # PyBUF_STRIDES, PyBUF_FORMAT


class BufferStruct(Structure):
    """`Py_buffer`."""

    _fields_ = [("buf", c_void_p), ("obj", c_void_p), ("len", c_ssize_t), ("itemsize", c_ssize_t),
                ("readonly", c_int), ("ndim", c_int), ("format", c_char_p),
                ("shape", POINTER(c_ssize_t)), ("strides", POINTER(c_ssize_t)),
                ("suboffsets", POINTER(c_ssize_t)), ("internal", c_void_p)]


_get_buffer = ctypes.pythonapi.PyObject_GetBuffer
_get_buffer.argtypes, _get_buffer.restype = [py_object, POINTER(BufferStruct), c_int], c_int
_release_buffer = ctypes.pythonapi.PyBuffer_Release
_release_buffer.argtypes, _release_buffer.restype = [POINTER(BufferStruct)], None


class Buffer:
    """The memory of an object, which stays where it is until this is released."""

    __slots__ = ("view", "_owner")

    def __init__(self, owner: Any) -> None:
        view = BufferStruct()
        self._owner: Any = None
        _get_buffer(owner, byref(view), _STRIDES_AND_FORMAT)
        self.view, self._owner = view, owner

    def release(self) -> None:
        """Gives the memory back. A second call does nothing."""
        if self._owner is not None:
            self._owner = None
            _release_buffer(byref(self.view))

    def __del__(self) -> None:
        self.release()


def has_buffer(value: Any) -> bool:
    """Whether a value has the buffer protocol."""
    return bool(ctypes.pythonapi.PyObject_CheckBuffer(py_object(value)))


def element_of(code: str, item_size: int) -> Optional[int]:
    """The library's type of elements for a format code, if it has one."""
    if code == "?":
        return BOOL if item_size == 1 else None
    if code in "bhilqn" and code:
        return _SIGNED.get(item_size)
    if code in "BHILQN" and code:
        return _UNSIGNED.get(item_size)
    return {("f", 4): F32, ("d", 8): F64}.get((code, item_size))


def split_format(view: BufferStruct) -> Tuple[str, str]:
    """Byte order and code of a buffer's elements: `=` is the machine's order."""
    text = (view.format or b"B").decode("ascii", "replace")
    order, code = (text[0], text[1:]) if text[:1] in ("@", "=", "<", ">", "!") else ("@", text)
    order = {"@": "=", "!": ">"}.get(order, order)
    native = "<" if sys.byteorder == "little" else ">"
    return ("=" if order == native or view.itemsize == 1 else order), code


def converted(owner: Any, order: str, code: str, view: BufferStruct) -> Optional[Tuple[Any, int]]:
    """Elements in another byte order, or floats of 16 bits, as an array of this machine's."""
    element = F64 if code == "e" else element_of(code, view.itemsize)
    if element is None or element == BOOL:
        return None
    standard = code if code in "efd" else struct_code(element)
    raw = memoryview(owner).tobytes()
    numbers = struct.unpack(f"{order}{len(raw) // view.itemsize}{standard}", raw)
    return array.array(_ARRAY_CODES[element], numbers), element


def struct_code(element: int) -> str:
    """The code of integers of the module `struct`, of standard size."""
    codes: Dict[int, str] = {I8: "b", I16: "h", I32: "i", I64: "q", U8: "B", U16: "H", U32: "I",
                             U64: "Q"}
    return codes[element]


def address_of_bytes(value: Any, what: str) -> Tuple[Buffer, int, int]:
    """The memory of bytes or of anything like them: what keeps it, the address, and the size."""
    try:
        kept = Buffer(value)
    except (TypeError, BufferError, ValueError) as error:
        raise UsageError(f"{what} must be bytes: {error}") from None
    view = kept.view
    if view.ndim > 1 or (view.ndim == 1 and view.strides and view.strides[0] != view.itemsize):
        kept = Buffer(memoryview(value).tobytes())
        view = kept.view
    return kept, view.buf or 0, view.len

"""Results of the library as Python values: arrays are views of its memory."""

from __future__ import annotations

import ctypes
import json
import re
from collections import namedtuple
from ctypes import byref
from functools import lru_cache
from keyword import iskeyword
from typing import Any, Dict, List, Tuple

from . import _buffers
from ._library import ArrayStruct, Handle, library, text_of

_TYPES: Dict[int, Any] = {_buffers.BOOL: ctypes.c_bool, _buffers.I8: ctypes.c_int8, _buffers.I16: ctypes.c_int16,
          _buffers.I32: ctypes.c_int32, _buffers.I64: ctypes.c_int64, _buffers.U8: ctypes.c_uint8,
          _buffers.U16: ctypes.c_uint16, _buffers.U32: ctypes.c_uint32,
          _buffers.U64: ctypes.c_uint64, _buffers.FXP: ctypes.c_int64,
          _buffers.F32: ctypes.c_float, _buffers.F64: ctypes.c_double}
_CODES = {_buffers.BOOL: "?", _buffers.I8: "b", _buffers.I16: "h", _buffers.I32: "i",
          _buffers.I64: "q", _buffers.U8: "B", _buffers.U16: "H", _buffers.U32: "I",
          _buffers.U64: "Q", _buffers.FXP: "q", _buffers.F32: "f", _buffers.F64: "d"}


@lru_cache(maxsize=1)
def numpy() -> Any:
    """The module NumPy, or None if it is not installed."""
    try:
        import numpy as found
    except ImportError:
        return None
    return found


class Elements:
    """The elements of one result, in the library's memory."""

    def __init__(self, values: Handle, struct: ArrayStruct) -> None:
        self._values = values
        self.element = struct.element
        self.fraction_bits = struct.fraction_bits
        self.shape = tuple(struct.shape[i] for i in range(struct.n_dimensions))
        self._address = struct.data or 0

    def view(self) -> memoryview:
        """The elements without a copy, read-only; of fixed-point numbers, the integers."""
        n = 1
        for size in self.shape:
            n *= size
        owner = (ctypes.c_ubyte * (n * ctypes.sizeof(_TYPES[self.element]))).from_address(self._address)
        owner.kept = self._values  # type: ignore[attr-defined]
        code = _CODES[self.element]
        return memoryview(owner).toreadonly().cast("B").cast(code, self.shape)

    def value(self) -> Any:
        """A number; or an array of NumPy, lists without it. Fixed-point numbers are floats."""
        if not self.shape:
            number = _TYPES[self.element].from_address(self._address).value
            return self._real(number) if self.element == _buffers.FXP else number
        module = numpy()
        if module is None:
            return _lists(self.view().tolist(), self._real if self.element == _buffers.FXP else None)
        found = module.asarray(self.view()).reshape(self.shape)
        if self.element == _buffers.FXP:
            return found.astype(module.float64) / 2.0 ** self.fraction_bits
        return found

    def _real(self, number: int) -> float:
        divisor: int = 1 << self.fraction_bits
        return number / divisor


def _lists(value: Any, convert: Any) -> Any:
    if convert is None:
        return value
    return [_lists(item, convert) for item in value] if isinstance(value, list) else convert(value)


@lru_cache(maxsize=256)
def record_type(name: str, fields: Tuple[str, ...]) -> Any:
    """A named tuple, whose fields are also found by `value["name"]`."""
    names = [_attribute(field) for field in fields]

    class Record(namedtuple("Record", names, rename=True)):  # type: ignore[misc]
        __slots__ = ()
        _names = fields

        def __getitem__(self, key: Any) -> Any:
            if isinstance(key, str):
                try:
                    return tuple.__getitem__(self, fields.index(key))
                except ValueError:
                    raise KeyError(key) from None
            return tuple.__getitem__(self, key)

        def __reduce__(self) -> Tuple[Any, ...]:
            return _record, (name, fields, tuple(self))

    Record.__name__ = Record.__qualname__ = name
    return Record


def _record(name: str, fields: Tuple[str, ...], values: Tuple[Any, ...]) -> Any:
    return record_type(name, fields)(*values)


def _attribute(field: str) -> str:
    name = re.sub(r"\W", "_", field)
    return name + "_" if iskeyword(name) else name


def grouped(pairs: List[Tuple[str, Any]], name: str = "Results") -> Any:
    """One value as it is, several as a named tuple; `a.x` and `a.y` are a named tuple `a`."""
    if len(pairs) == 1 and (not pairs[0][0] or (name == "Results" and "." not in pairs[0][0])):
        return pairs[0][1]
    groups: Dict[str, List[Tuple[str, Any]]] = {}
    for path, value in pairs:
        first, _, rest = path.partition(".")
        groups.setdefault(first, []).append((rest, value))
    values = [grouped(group, first) for first, group in groups.items()]
    if name == "Results" and len(values) == 1:
        return values[0]
    return record_type(name, tuple(groups))(*values)


class Results:
    """What a run gave.

    `value` is what the call of a program returns: the result, or a named tuple of several.
    """

    def __init__(self, handle: Handle) -> None:
        self._handle = handle
        self._elements: Dict[str, Elements] = {}
        struct = ArrayStruct(struct_size=ctypes.sizeof(ArrayStruct))
        for number in range(library.tacet_values_count(handle.pointer)):
            library.tacet_values_get(handle.pointer, number, byref(struct))
            name = text_of(library.tacet_values_name(handle.pointer, number))
            self._elements[name] = Elements(handle, struct)

    @property
    def value(self) -> Any:
        """The result, or a named tuple of several; None if there is none."""
        pairs = [(name, elements.value()) for name, elements in self._elements.items()]
        return grouped(pairs) if pairs else None

    @property
    def values(self) -> Dict[str, Any]:
        """All results by name. A field of a record is `name.field`."""
        return {name: elements.value() for name, elements in self._elements.items()}

    def view(self, name: str) -> memoryview:
        """The elements of a result without a copy, read-only. Those of fixed-point numbers are
        integers, in units of 2 to the power of minus `fraction_bits(name)`."""
        return self._elements[name].view()

    def fraction_bits(self, name: str) -> int:
        """The number of fraction bits of a result; 0 unless it is of fixed-point numbers."""
        bits: int = self._elements[name].fraction_bits
        return bits

    @property
    def json(self) -> str:
        """All results as one JSON object, as `tacet run --format json` prints it."""
        return text_of(library.tacet_values_json(self._handle.pointer))

    @property
    def costs(self) -> Dict[str, Any]:
        """What the run cost: `seconds` by phases, counts of operations, and sizes in bytes, of
        encrypted ones only if the program was compiled with the option `stats=True`."""
        text = text_of(library.tacet_values_costs(self._handle.pointer))
        costs: Dict[str, Any] = json.loads(text or "{}")
        return costs

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.values.items())
        return f"Results({shown})"

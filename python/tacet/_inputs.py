"""Python values as inputs of the library: numbers and lists as JSON, arrays as they are in memory."""

from __future__ import annotations

import ctypes
import json
import math
import os
from array import array
from ctypes import c_int64, c_uint64
from decimal import Decimal
from fractions import Fraction
from numbers import Integral
from typing import Any, List, Mapping, Sequence, Tuple

from . import _buffers
from ._library import ArrayStruct, InputStruct, encoded
from .errors import UsageError

_INPUT_SIZE = ctypes.sizeof(InputStruct)
_ARRAY_SIZE = ctypes.sizeof(ArrayStruct)


class File:
    """A file as a value: `.json`, `.csv`, `.tsv`, `.npy` or `.npz`.

    `name` selects columns of a table or a member of an archive or object: `"age"`, `"age,income"`.
    """

    def __init__(self, path: Any, name: str = "") -> None:
        self.path = os.fspath(path)
        self.name = name

    def __repr__(self) -> str:
        return f"File({self.path!r}, {self.name!r})" if self.name else f"File({self.path!r})"

    def _text(self) -> bytes:
        text = "@" + os.path.abspath(self.path) + (":" + self.name if self.name else "")
        return encoded(text, "the path of a file")


class Random:
    """Random values within the bounds of the parameter."""

    def __repr__(self) -> str:
        return "Random()"

    def _text(self) -> bytes:
        return b"@random"


def decimal_text(value: Any) -> str:
    """A Decimal or Fraction as a decimal number, all of its digits."""
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise UsageError(f"{value} is not a finite number")
        return format(value, "f")
    denominator, digits = value.denominator, 0
    for prime in (2, 5):
        power = 0
        while denominator % prime == 0:
            denominator //= prime
            power += 1
        digits = max(digits, power)
    if denominator != 1:
        raise UsageError(f"{value} has no finite decimal expansion; convert it with float()")
    if digits == 0:
        return str(value.numerator)
    scaled = abs(value.numerator) * 10**digits // value.denominator
    text = str(scaled).rjust(digits + 1, "0")
    return ("-" if value < 0 else "") + text[:-digits] + "." + text[-digits:]


def _number_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (Decimal, Fraction)):
        return decimal_text(value)
    if isinstance(value, Integral):
        return str(int(value))
    try:
        number = float(value)
    except TypeError:
        raise UsageError(f"{type(value).__name__} is not a number, a list of numbers, or an array") from None
    if not math.isfinite(number):
        raise UsageError(f"{number} is not a finite number")
    return repr(number)


def json_text(value: Any) -> str:
    """A value of numbers, lists and dicts as JSON, exactly."""
    if isinstance(value, Mapping):
        if not all(isinstance(key, str) for key in value):
            raise UsageError("names of fields must be str")
        members = (f"{json.dumps(key)}:{json_text(member)}" for key, member in value.items())
        return "{" + ",".join(members) + "}"
    if hasattr(value, "_asdict"):
        return json_text(value._asdict())
    if hasattr(value, "tolist"):
        return json_text(value.tolist())
    if isinstance(value, (list, tuple, range)):
        return "[" + ",".join(map(json_text, value)) + "]"
    if isinstance(value, (str, bytes, bytearray)):
        raise UsageError(f"{type(value).__name__} is not a number; for values from a file, use "
                         "tacet.File")
    return _number_text(value)


class Inputs:
    """Values for a call of the library, which refers to their memory until `release`."""

    def __init__(self, values: Sequence[Tuple[str, Any]]) -> None:
        self._kept: List[Any] = []
        expanded = [pair for name, value in values for pair in _columns(name, value)]
        self.count = len(expanded)
        self.structs = (InputStruct * max(self.count, 1))()
        try:
            for struct, (name, value) in zip(self.structs, expanded):
                struct.struct_size = _INPUT_SIZE
                struct.name = encoded(name, "the name of a parameter")
                self._fill(struct, name, value)
        except BaseException:
            self.release()
            raise

    def release(self) -> None:
        """Gives the memory of buffers back."""
        for kept in self._kept:
            if isinstance(kept, _buffers.Buffer):
                kept.release()
        self._kept.clear()

    def _fill(self, struct: InputStruct, name: str, value: Any) -> None:
        kind = type(value)
        if kind is int or kind is float or kind is bool:
            self._fill_text(struct, name, value)
        elif kind is File or kind is Random:
            struct.text = value._text()
        elif (kind is list or kind is tuple) and value and set(map(type, value)) == {int}:
            self._fill_integers(struct, name, value)
        elif _buffers.has_buffer(value):
            _reject_masked(name, value)
            self._fill_buffer(struct, name, value)
        elif hasattr(value, "__array__") and not isinstance(value, (Mapping, list, tuple)):
            self._fill(struct, name, _as_array(name, value))
        else:
            self._fill_text(struct, name, value)

    def _fill_text(self, struct: InputStruct, name: str, value: Any) -> None:
        try:
            struct.text = json_text(value).encode("ascii")
        except RecursionError:
            raise UsageError(f"parameter `{name}`: the lists are nested too deeply") from None
        except (ValueError, OverflowError) as error:
            raise UsageError(f"parameter `{name}`: {error}") from None

    def _fill_integers(self, struct: InputStruct, name: str, value: Sequence[int]) -> None:
        try:
            numbers = array("q", value)
        except OverflowError:
            self._fill_text(struct, name, value)
            return
        self._kept.append(numbers)
        _set_array(struct.array, numbers.buffer_info()[0], _buffers.I64, (len(numbers),))

    def _fill_buffer(self, struct: InputStruct, name: str, value: Any) -> None:
        try:
            kept = _buffers.Buffer(value)
        except (BufferError, ValueError, TypeError) as error:
            raise UsageError(f"parameter `{name}`: {error}") from None
        self._kept.append(kept)
        view = kept.view
        order, code = _buffers.split_format(view)
        element = _buffers.element_of(code, view.itemsize) if order == "=" else None
        shape = tuple(view.shape[i] for i in range(view.ndim))
        if element is not None:
            strides = tuple(view.strides[i] for i in range(view.ndim)) if view.strides else None
            _set_array(struct.array, view.buf or 0, element, shape, strides)
        elif code == "O" and hasattr(value, "tolist"):
            self._fill_text(struct, name, value.tolist())
        else:
            self._fill_converted(struct, name, value, order, code, shape)

    def _fill_converted(self, struct: InputStruct, name: str, value: Any, order: str, code: str,
                        shape: Tuple[int, ...]) -> None:
        kept = self._kept[-1]
        found = _buffers.converted(value, order, code, kept.view)
        if found is None:
            dtype = getattr(value, "dtype", None)
            what = f"dtype {dtype}" if dtype is not None else f"format {code!r}"
            raise UsageError(f"parameter `{name}`: cannot use elements of {what}, only bool, integers "
                             "of at most 64 bits, and floats of 16, 32 or 64 bits")
        numbers, element = found
        self._kept.append(numbers)
        _set_array(struct.array, numbers.buffer_info()[0], element, shape)


def _set_array(struct: ArrayStruct, address: int, element: int, shape: Tuple[int, ...],
               strides: Any = None) -> None:
    n = len(shape)
    struct.struct_size = _ARRAY_SIZE
    struct.data = address
    struct.element = element
    struct.n_dimensions = n
    struct.shape = (c_uint64 * max(n, 1))(*shape)
    if strides is not None:
        struct.strides = (c_int64 * max(n, 1))(*strides)


def _as_array(name: str, value: Any) -> Any:
    """A series of pandas, a tensor and the like as an array of NumPy."""
    try:
        return value.__array__()
    except Exception as error:
        raise UsageError(f"parameter `{name}`: {type(value).__name__}: {error}") from None


def _columns(name: str, value: Any) -> List[Tuple[str, Any]]:
    """A dict of arrays, or an array of NumPy's records, as one value for each field."""
    dtype = getattr(value, "dtype", None)
    names = getattr(dtype, "names", None)
    if names:
        return [pair for field in names for pair in _columns(f"{name}.{field}", value[field])]
    if isinstance(value, Mapping) and any(_is_column(member) for member in value.values()):
        return [pair for field, member in value.items()
                for pair in _columns(f"{name}.{field}", member)]
    return [(name, value)]


def _is_column(value: Any) -> bool:
    return (isinstance(value, (File, Random, Mapping)) or hasattr(value, "__array__")
            or _buffers.has_buffer(value))


def _reject_masked(name: str, value: Any) -> None:
    """An array of NumPy whose masked elements would be taken for numbers."""
    if type(value).__name__ == "MaskedArray" and value.mask.any():
        raise UsageError(f"parameter `{name}`: some elements are masked; fill them first")

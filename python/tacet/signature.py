"""What a program takes and gives: typed fields, and values bound to them."""

from __future__ import annotations

import ctypes
import inspect
from ctypes import byref
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Sequence, Tuple

from ._library import FieldStruct, library, text_of
from ._outputs import _attribute
from .errors import ArgumentError

__all__ = ["Field"]

ELEMENTS = ("bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "fxp", "f32", "f64")


@dataclass(frozen=True)
class Field:
    """A parameter or a result of a program."""

    name: str
    type: str
    """As in the language: `[i64; 4]`."""
    element: str
    """The type of the elements: `i64`, `fxp`, `bool`, …."""
    shape: Tuple[int, ...]
    owner: str
    """Who gives or gets it: `client`, `server`, the name of a party, or empty."""
    bound: str
    """The range of the elements, `0..256`, the end excluded; empty if none is declared."""
    is_secret: bool
    fraction_bits: int
    """Of `fxp`: elements are multiples of 2 to the power of minus this."""
    error: float
    """Of a result: how far it may be from that in plaintext; 0 if it is equal."""

    def __str__(self) -> str:
        secret = "secret " if self.is_secret and not self.type.startswith("secret ") else ""
        bound = f" in {self.bound}" if self.bound else ""
        owner = f" from {self.owner}" if self.owner else ""
        return f"{self.name}: {secret}{self.type}{bound}{owner}"


def fields_of(program: int, kind: str) -> Tuple[Field, ...]:
    """The parameters or the results (`kind`) of a program of the library."""
    struct = FieldStruct(struct_size=ctypes.sizeof(FieldStruct))
    get = getattr(library, f"tacet_program_{kind}")
    found: List[Field] = []
    for number in range(getattr(library, f"tacet_program_{kind}_count")(program)):
        get(program, number, byref(struct))
        found.append(Field(
            text_of(struct.name), text_of(struct.type), ELEMENTS[struct.element],
            tuple(struct.shape[i] for i in range(struct.n_dimensions)), text_of(struct.owner),
            text_of(struct.bound), bool(struct.is_secret), struct.fraction_bits, struct.error))
    return tuple(found)


class Binding:
    """Which values of a call are for which parameters. Columns of a record are one parameter."""

    def __init__(self, function: str, fields: Sequence[Field]) -> None:
        self.function = function
        self.columns = frozenset(field.name for field in fields)
        self.names = tuple(dict.fromkeys(field.name.partition(".")[0] for field in fields))
        self._by_keyword = {_attribute(name): name for name in self.names}
        self._by_keyword.update((name, name) for name in (*self.columns, *self.names))

    def is_parameter(self, keyword: str) -> bool:
        """Whether a keyword of a call names a parameter."""
        return keyword in self._by_keyword

    def bind(self, values: Sequence[Any], named: Mapping[str, Any],
             complete: bool = True) -> List[Tuple[str, Any]]:
        """The values by parameter. ArgumentError if they are not one for each."""
        if len(values) > len(self.names):
            raise ArgumentError(f"{self._call()}, but {_count(len(values))} given")
        bound = list(zip(self.names, values))
        if not named and len(values) == len(self.names):
            return bound
        taken = {name for name, _ in bound}
        for keyword, value in named.items():
            name = self._by_keyword.get(keyword)
            if name is None:
                raise ArgumentError(f"there is no argument `{keyword}`: {self._call()}")
            if name in taken:
                raise ArgumentError(f"`{name}` is given twice")
            taken.add(name)
            bound.append((name, value))
        if complete:
            self._expect_all(taken)
        return bound

    def _expect_all(self, taken: Any) -> None:
        missing = [name for name in self.names
                   if name not in taken and not self._has_columns(name, taken)]
        if missing:
            raise ArgumentError(f"no value for {_listed(missing)}: {self._call()}")

    def _has_columns(self, name: str, taken: Any) -> bool:
        columns = [column for column in self.columns if column.startswith(name + ".")]
        return bool(columns) and all(column in taken for column in columns)

    def _call(self) -> str:
        if not self.names:
            return f"`{self.function}` takes no arguments"
        return f"`{self.function}` takes {_listed(self.names)}"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _count(n: int) -> str:
    return f"{n} argument was" if n == 1 else f"{n} arguments were"


def python_signature(parameters: Sequence[Field], results: Sequence[Field]) -> inspect.Signature:
    """A signature for `help` and for tooltips, with the types of the language."""
    shown: Dict[str, str] = {}
    for field in parameters:
        name, _, column = field.name.partition(".")
        text = str(field).partition(": ")[2]
        shown[name] = text if not column else f"{shown.get(name, '')} {column}: {text};".strip()
    given = [inspect.Parameter(_attribute(name), inspect.Parameter.POSITIONAL_OR_KEYWORD,
                               annotation=_Text(text)) for name, text in shown.items()]
    if "device" not in shown:
        given.append(inspect.Parameter("device", inspect.Parameter.KEYWORD_ONLY, default=None))
    if "options" not in shown:
        given.append(inspect.Parameter("options", inspect.Parameter.VAR_KEYWORD))
    gives = [str(field).partition(": ")[2] for field in results]
    return inspect.Signature(
        given, return_annotation=_Text(gives[0] if len(gives) == 1 else f"({', '.join(gives)})"))


class _Text(str):
    """An annotation that is shown without quotation marks."""

    def __repr__(self) -> str:
        return str(self)

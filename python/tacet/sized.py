"""Functions for all sizes: compiled for the sizes and types of the values that they are called with."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from numbers import Real
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ._options import Options, options_of
from ._outputs import Results
from .errors import ArgumentError, UsageError
from .program import Program, _compiled
from .sources import Source, SourceLike, opened

__all__ = ["SizedFunction", "function"]

_NAME = re.compile(r"^  name: identifier `(\w+)`", re.M)
_SIZE = re.compile(r"^    (size|type)_parameter\n      name: identifier `(\w+)`", re.M)
_PARAMETER = re.compile(r"^      name: identifier `(\w+)` = parameter #\d+ : ([^\n]*)\n(.*)", re.M | re.S)
_TYPE_PARAMETER = re.compile(r"identifier `(\w+)` = type #")
_LENGTHS = re.compile(r"\[[^;\[\]]*; ([^\]]*)\]")


class Shape(NamedTuple):
    """What a parameter says about sizes and types."""

    name: str
    lengths: Tuple[str, ...]
    element: str
    """The type parameter, empty if the type is stated."""


class Sizes(NamedTuple):
    """The size and type parameters of a function."""

    sizes: Tuple[str, ...]
    types: Tuple[str, ...]
    parameters: Tuple[Shape, ...]


def sizes_of_function(source: Source, name: str) -> Sizes:
    """The sizes and types that a function leaves open, as the compiler's tree has them."""
    for item in re.split(r"(?m)^(?=\w)", source.emit("ast")):
        found = _NAME.search(item)
        if item.startswith("fn_item") and found and found.group(1) == name:
            kinds = _SIZE.findall(item)
            return Sizes(tuple(each for kind, each in kinds if kind == "size"),
                         tuple(each for kind, each in kinds if kind == "type"),
                         tuple(_shapes(item)))
    return Sizes((), (), ())


def _shapes(item: str) -> Iterator[Shape]:
    for part in re.split(r"(?m)^    parameter\n", item)[1:]:
        found = _PARAMETER.match(part)
        if found:
            name, shown, rest = found.groups()
            lengths = _LENGTHS.search(shown)
            element = _TYPE_PARAMETER.search(rest.split("\n      bound:")[0].split("\n  results:")[0])
            yield Shape(name, tuple(lengths.group(1).split(", ")) if lengths else (),
                        element.group(1) if element else "")


def shape_of(value: Any) -> Tuple[int, ...]:
    """The lengths of a value, the outermost first."""
    if isinstance(value, Mapping):
        return shape_of(next(iter(value.values()))) if value else ()
    if isinstance(value, (list, tuple, range)):
        return (len(value), *(shape_of(value[0]) if len(value) else ()))
    shape = getattr(value, "shape", None)
    if shape is not None:
        return tuple(shape)
    try:
        return memoryview(value).shape or ()
    except TypeError:
        return ()


def type_of(value: Any) -> str:
    """The type of numbers without a fraction is `i64`, of others `fxp`; arrays of integers have
    their own. Empty if it is none of these."""
    dtype = getattr(value, "dtype", None)
    if dtype is not None and dtype.kind in "iu":
        return f"{dtype.kind}{8 * dtype.itemsize}"
    if dtype is not None:
        return "fxp" if dtype.kind == "f" else ""
    if isinstance(value, (list, tuple, range)):
        types = set(map(type_of, value))
        return "fxp" if "fxp" in types and types <= {"fxp", "i64"} else types.pop() if len(types) == 1 else ""
    if isinstance(value, bool):
        return ""
    if isinstance(value, int):
        return "i64"
    return "fxp" if isinstance(value, (Real, Decimal, Fraction)) else ""


class SizedFunction:
    """A function that is compiled for the sizes and types of the values of each call, once for each.

    `tacet.function` makes it. `program` gives what is compiled: costs, pictures, client and server.
    """

    def __init__(self, source: Source, name: str, device: Optional[str] = None,
                 options: Options = ()) -> None:
        self.name = self.__name__ = name
        self._source, self._device, self._options = source, device, options
        self._open = sizes_of_function(source, name)
        given = {value.partition("=")[0] for option, value in options if option == "size"}
        self._missing = [each for each in (*self._open.sizes, *self._open.types) if each not in given]
        self._programs: Dict[Tuple[Tuple[str, Any], ...], Program] = {}

    @property
    def sizes(self) -> Tuple[str, ...]:
        """The size and type parameters that calls determine."""
        return tuple(self._missing)

    def __call__(self, *values: Any, **named: Any) -> Any:
        """Runs the function, as a call of a `Program`."""
        return self.run(*values, **named).value

    def run(self, *values: Any, **named: Any) -> Results:
        """The same, with the costs of the run."""
        sizes = {**self.sizes_of(*values, **named), **(named.pop("sizes", None) or {})}
        return self.program(**sizes).run(*values, **named)

    def program(self, **sizes: Any) -> Program:
        """The function compiled for these sizes and types: `program(n=3, T="u8")`."""
        key = tuple(sorted(sizes.items()))
        if key not in self._programs:
            self._programs[key] = _compiled(self._source, self.name, self._device,
                                            self._options + options_of({}, sizes))
        return self._programs[key]

    def sizes_of(self, *values: Any, **named: Any) -> Dict[str, Any]:
        """The sizes and types that values determine. UsageError if they disagree."""
        parameters = self._open.parameters
        if len(values) > len(parameters):
            raise ArgumentError(f"`{self.name}` takes {len(parameters)} arguments, not {len(values)}")
        given = dict(zip((each.name for each in parameters), values))
        given.update((each.name, named[each.name]) for each in parameters if each.name in named)
        found: Dict[str, Any] = {}
        for parameter in parameters:
            if parameter.name in given and self._missing:
                self._add(found, parameter, given[parameter.name])
        return found

    def _add(self, found: Dict[str, Any], parameter: Shape, value: Any) -> None:
        pairs: List[Tuple[str, Any]] = list(zip(parameter.lengths, shape_of(value)))
        if parameter.element and type_of(value):
            pairs.append((parameter.element, type_of(value)))
        for name, size in pairs:
            if name not in self._missing:
                continue
            # Whole numbers of Python fit any type.
            if found.get(name, "i64") == "i64":
                found[name] = size
            elif size not in ("i64", found[name]):
                raise UsageError(f"parameter `{parameter.name}`: `{name}` is {size} here and "
                                 f"{found[name]} in an earlier argument")

    def __repr__(self) -> str:
        shown = f" for all {', '.join(self._missing)}" if self._missing else ""
        return f"<SizedFunction {self.name}{shown}>"


def function(source: SourceLike, name: Optional[str] = None, device: Optional[str] = None, *,
             sizes: Optional[Mapping[str, Any]] = None, ranges: Optional[Mapping[str, Any]] = None,
             path: str = "program.tacet", **options: Any) -> SizedFunction:
    """A function of a program that takes values of any sizes that its parameters allow.

    It is compiled when it is called, once for each set of sizes and types; `sizes` are those that
    calls do not determine. The other arguments are those of `tacet.compile`.
    """
    module = opened(source, path)
    names = [each.name for each in module.functions]
    if name is None:
        name = _only(names)
    elif name not in names:
        raise UsageError(f"no function `{name}`; there are {', '.join(f'`{each}`' for each in names)}")
    return SizedFunction(module, name, device, options_of(options, sizes, ranges))


def _only(names: Sequence[str]) -> str:
    if len(names) != 1:
        raise UsageError("choose a function: " + (", ".join(f"`{each}`" for each in names) or "there is none"))
    return names[0]

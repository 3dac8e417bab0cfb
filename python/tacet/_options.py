"""Options: those of the command line, as keyword arguments."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple

from ._inputs import decimal_text
from ._library import Handle, check, encoded, library
from .errors import UsageError

# Tuples, so that they can be a key of programs that were compiled.
Options = Tuple[Tuple[str, str], ...]


def _number(value: Any) -> str:
    """A number as the command line has it: without an exponent."""
    if isinstance(value, (bool, str, complex)) or not hasattr(value, "__float__"):
        raise UsageError(f"a bound of a range is a number, not {value!r}")
    if hasattr(value, "__index__"):
        return str(int(value))
    if isinstance(value, (Decimal, Fraction)):
        return decimal_text(value)
    return format(Decimal(repr(float(value))), "f")


def range_text(value: Any) -> str:
    """A range of numbers: `(0, 256)`, `range(256)` or `"0..256"`, the end excluded."""
    if isinstance(value, str):
        return value
    if isinstance(value, range):
        if value.step != 1:
            raise UsageError(f"{value} has steps; a range of a parameter has none")
        value = (value.start, value.stop)
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise UsageError(f"a range is a pair (low, high), not {value!r}")
    return f"{_number(value[0])}..{_number(value[1])}"


def _values(name: str, value: Any) -> Iterator[str]:
    """The values of an option, none if it is left out."""
    if value is None or value is False:
        return
    if value is True:
        yield ""
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from _values(name, one)
    elif isinstance(value, str):
        yield value
    elif isinstance(value, (int, float, Decimal)):
        yield str(value)
    elif hasattr(value, "__fspath__"):
        yield str(value)
    else:
        raise UsageError(f"the option `{name}` cannot be {type(value).__name__}")


def options_of(options: Mapping[str, Any], sizes: Optional[Mapping[str, Any]] = None,
               ranges: Optional[Mapping[str, Any]] = None) -> Options:
    """Names and values for the library. `memory_limit` is the option `memory-limit`."""
    found: List[Tuple[str, str]] = []
    for name, value in options.items():
        dashed = name.rstrip("_").replace("_", "-")
        found.extend((dashed, text) for text in _values(name, value))
    found.extend(("size", f"{_named(name)}={size}") for name, size in (sizes or {}).items())
    found.extend(("range", f"{_named(name)}={range_text(value)}")
                 for name, value in (ranges or {}).items())
    return tuple(found)


def _named(name: Any) -> str:
    if not isinstance(name, str) or not name or "=" in name:
        raise UsageError(f"{name!r} is not the name of a parameter")
    return name


def merged(base: Options, changes: Options) -> Options:
    """Both, where `changes` replace options of the same names, but for sizes and ranges: of those,
    the ones of the same parameters."""
    def key(option: Tuple[str, str]) -> str:
        name, value = option
        return f"{name} {value.partition('=')[0]}" if name in ("size", "range") else name

    replaced = {key(option) for option in changes}
    return tuple(option for option in base if key(option) not in replaced) + changes


def options_handle(options: Options) -> Handle:
    """The options as an object of the library."""
    handle = Handle(library.tacet_options_new(), library.tacet_options_free)
    for name, value in options:
        check(library.tacet_options_set(handle.pointer, encoded(name, "the name of an option"),
                                        encoded(value, f"the option `{name}`")))
    return handle


def as_dict(options: Options) -> Dict[str, List[str]]:
    """The values by name, to be shown."""
    found: Dict[str, List[str]] = {}
    for name, value in options:
        found.setdefault(name, []).append(value)
    return found

"""The numbers of Tacet and what its operators mean, from the language's pages alone.

Every value is an exact Python integer: `bool` is 0 or 1, an integer itself, `fxp<f>` the value times
2^f. Nothing here knows how Tacet computes.
"""

from __future__ import annotations

import dataclasses
import decimal
import fractions
import functools


class Fault(Exception):
    """What has no value where everybody may know: the run ends with an error on every device."""


class BrokenBound(Fault):
    """An argument outside of its parameter's bound: an error on the reference device alone, since it
    may depend on secrets. Others may give anything."""


@dataclasses.dataclass(frozen=True)
class Element:
    """A kind of number."""

    name: str
    bits: int
    is_signed: bool = True
    fraction_bits: int = 0

    @property
    def is_bool(self) -> bool:
        return self.name == "bool"

    @property
    def is_fixed(self) -> bool:
        return self.fraction_bits != 0

    @property
    def is_integer(self) -> bool:
        return not self.is_bool and not self.is_fixed

    @property
    def least(self) -> int:
        return -(1 << (self.bits - 1)) if self.is_signed else 0

    @property
    def greatest(self) -> int:
        return (1 << (self.bits - 1)) - 1 if self.is_signed else (1 << self.bits) - 1

    def wrapped(self, value: int) -> int:
        """`value` modulo the width."""
        low = value & ((1 << self.bits) - 1)
        return low - (1 << self.bits) if self.is_signed and low >> (self.bits - 1) else low


BOOL = Element("bool", 1, is_signed=False)
SIGNED = [Element(f"i{n}", n) for n in (8, 16, 32, 64)]
UNSIGNED = [Element(f"u{n}", n, is_signed=False) for n in (8, 16, 32, 64)]
INTEGERS = SIGNED + UNSIGNED
I64 = SIGNED[3]
DEFAULT_FRACTION_BITS = 18


def fixed(fraction_bits: int) -> Element:
    name = "fxp" if fraction_bits == DEFAULT_FRACTION_BITS else f"fxp<{fraction_bits}>"
    return Element(name, 64, fraction_bits=fraction_bits)


def towards_zero(dividend: int, divisor: int) -> int:
    quotient = abs(dividend) // abs(divisor)
    return quotient if (dividend < 0) == (divisor < 0) else -quotient


def divided(kind: Element, dividend: int, divisor: int, is_total: bool) -> int:
    if divisor == 0:
        if is_total:
            return 0
        raise Fault("division by zero")
    return kind.wrapped(towards_zero(dividend << kind.fraction_bits, divisor))


def remainder(kind: Element, dividend: int, divisor: int, is_total: bool) -> int:
    if divisor == 0:
        if is_total:
            return dividend
        raise Fault("remainder by zero")
    return kind.wrapped(dividend - divisor * towards_zero(dividend, divisor))


def shifted(operator: str, kind: Element, value: int, distance: int, is_total: bool) -> int:
    if is_total:
        distance %= kind.bits
    elif not 0 <= distance < kind.bits:
        raise Fault("shift by the width or more")
    if operator == "<<":
        return kind.wrapped(value << distance)
    if operator == ">>>":  # the top bit is repeated, whatever the type
        value = value - (1 << kind.bits) if value >> (kind.bits - 1) & 1 and value > 0 else value
    return kind.wrapped(value >> distance)


COMPARISONS = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}


def combined(operator: str, kind: Element, left: int, right: int, is_total: bool) -> int:
    """`left operator right` of two numbers of `kind`. With `is_total` nothing is a fault."""
    if operator in COMPARISONS:
        return int(COMPARISONS[operator](left, right))
    if operator == "+":
        return kind.wrapped(left + right)
    if operator == "-":
        return kind.wrapped(left - right)
    if operator == "*":
        return kind.wrapped(left * right >> kind.fraction_bits)
    if operator == "/":
        return divided(kind, left, right, is_total)
    if operator == "%":
        return remainder(kind, left, right, is_total)
    if operator in ("<<", ">>", ">>>"):
        return shifted(operator, kind, left, right, is_total)
    if operator in ("&", "&&"):
        return kind.wrapped(left & right)
    if operator in ("|", "||"):
        return kind.wrapped(left | right)
    if operator == "^":
        return kind.wrapped(left ^ right)
    raise ValueError(operator)


def converted(source: Element, target: Element, value: int) -> int:
    """`value as target`."""
    if target.is_bool:
        return int(value != 0)
    if source.is_fixed and target.is_fixed:
        more = target.fraction_bits - source.fraction_bits
        return target.wrapped(value << more if more >= 0 else value >> -more)
    if source.is_fixed:
        return target.wrapped(towards_zero(value, 1 << source.fraction_bits))
    return target.wrapped(value << target.fraction_bits)


_DIGITS = decimal.Context(prec=120, Emax=10**6, Emin=-(10**6))


@functools.cache
def _pi() -> decimal.Decimal:
    """By Machin's formula."""

    def arctangent_of_inverse(n: int) -> decimal.Decimal:
        total = decimal.Decimal(0)
        for i in range(200):
            term = decimal.Decimal(1) / ((2 * i + 1) * decimal.Decimal(n) ** (2 * i + 1))
            total += term if i % 2 == 0 else -term
        return total

    return 4 * (4 * arctangent_of_inverse(5) - arctangent_of_inverse(239))


def _sine(x: decimal.Decimal) -> decimal.Decimal:
    x = x.remainder_near(2 * _pi())
    total, term = decimal.Decimal(0), x
    for i in range(1, 200, 2):
        total += term
        term *= -x * x / ((i + 1) * (i + 2))
    return total


def _erf(x: decimal.Decimal) -> decimal.Decimal:
    """The series whose terms have alternating signs; digits suffice for |x| below 10."""
    if abs(x) > 10:
        return decimal.Decimal(1).copy_sign(x)
    total, power = decimal.Decimal(0), x
    for n in range(700):
        total += power / (2 * n + 1)
        power *= -x * x / (n + 1)
    return 2 * total / _pi().sqrt()


def _real(function: str, x: fractions.Fraction) -> decimal.Decimal | None:
    """The function on the reals; nothing at poles and where there is no real value."""
    with decimal.localcontext(_DIGITS):
        d = decimal.Decimal(x.numerator) / decimal.Decimal(x.denominator)
        one = decimal.Decimal(1)
        if function == "sqrt":
            return d.sqrt() if d >= 0 else decimal.Decimal(0)
        if function == "rsqrt":
            return one / d.sqrt() if d > 0 else None
        if function == "reciprocal":
            return one / d if d != 0 else None
        if function == "exp":
            return d.exp() if abs(d) < 200 else decimal.Decimal(0) if d < 0 else None
        if function == "log":
            return d.ln() if d > 0 else None
        if function in ("sin", "cos"):
            return _sine(d if function == "sin" else d + _pi() / 2)
        if function == "erf":
            return _erf(d)
        far = abs(d) > 200
        if function == "sigmoid":
            return decimal.Decimal(int(d > 0)) if far else one / (one + (-d).exp())
        if function == "tanh":
            power = decimal.Decimal(0) if far else (-2 * abs(d)).exp()
            return ((one - power) / (one + power)).copy_sign(d)
    raise ValueError(function)


REAL_FUNCTIONS = ("sqrt", "rsqrt", "reciprocal", "exp", "log", "sigmoid", "tanh", "erf", "sin", "cos")


def real_function(function: str, kind: Element, value: int) -> int:
    """The real value rounded to the nearest; beyond the ends of the type, the end."""
    real = _real(function, fractions.Fraction(value, 1 << kind.fraction_bits))
    if real is None:
        return kind.least if function == "log" else kind.greatest
    with decimal.localcontext(_DIGITS):
        scaled = real * (1 << kind.fraction_bits)
        if scaled >= kind.greatest:
            return kind.greatest
        if scaled <= kind.least:
            return kind.least
        rounding = decimal.ROUND_HALF_UP if function in ("sqrt", "rsqrt", "reciprocal") else None
        nearest = scaled.to_integral_value(rounding=rounding or decimal.ROUND_HALF_EVEN)
    return kind.wrapped(int(nearest))

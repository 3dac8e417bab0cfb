"""Random expressions over the variables of a scope, of any requested type."""

from __future__ import annotations

import dataclasses
import random

import numbers_of_tacet as numbers
import tree
from numbers_of_tacet import BOOL, I64, Element
from tree import Type


@dataclasses.dataclass
class Variable:
    name: str
    type: Type
    can_change: bool = False
    #: the index of an array expression, which indexes arrays by sums of multiples alone
    is_index: bool = False


@dataclasses.dataclass
class Profile:
    """What programs are like."""

    name: str
    device: str
    elements: list[Element]
    #: how deep expressions nest, and about how many statements a function has
    depth: int = 3
    size: int = 0
    has_arrays: bool = False
    extents: tuple[int, ...] = (2, 3, 4)
    has_loops: bool = False
    has_calls: bool = False
    #: "tight": a few numbers around an interesting one; "any": anything, or none
    bounds: str = "any"
    #: what division, shift and stores may be a fault by
    has_faults: bool = False
    real_functions: bool = False
    #: operators and forms that approximate arithmetic does not have are left out
    is_arithmetic: bool = False
    n_inputs: int = 3


def whole(value: int, element: Element = I64) -> tree.Literal:
    return tree.Literal(Type(element), value, str(value) if value >= 0 else f"({value})")


class Writer:
    """Writes expressions. Numbers of the scope are typed, so that literals may stand alone."""

    def __init__(self, source: random.Random, profile: Profile):
        self.random = source
        self.profile = profile
        self.scope: list[Variable] = []
        self.callees: list[tree.Function] = []
        self.is_under_secret = False
        self.n_names = 0
        self.spells_out = False
        self.few = [source.choice(profile.elements) for _ in range(2)]

    # ---- choices ----

    def chance(self, one_in: int) -> bool:
        return self.random.randrange(one_in) == 0

    def name(self, prefix: str) -> str:
        self.n_names += 1
        return f"{prefix}{self.n_names}"

    def element(self) -> Element:
        """One of few, so that variables go together."""
        return self.random.choice(self.few if not self.chance(6) else self.profile.elements)

    def number(self) -> Element:
        """Of a kind that is no `bool`."""
        kinds = [element for element in self.few if not element.is_bool]
        kinds = kinds or [element for element in self.profile.elements if not element.is_bool]
        return self.random.choice(kinds or [I64])

    def extents(self) -> tuple[int, ...]:
        n = self.random.choice((1, 1, 1, 2))
        return tuple(self.random.choice(self.profile.extents) for _ in range(n))

    # ---- leaves ----

    def interesting(self, element: Element) -> int:
        """A number at an end of its type, near 0, or any."""
        r = self.random
        if element.is_bool:
            return r.randrange(2)
        if element.is_fixed:
            f = element.fraction_bits
            unit = 1 << f
            near = (0, 1, -1, unit, -unit, unit // 2, unit + 1, 3 * unit, r.randrange(-9 * unit, 9 * unit))
            if self.profile.bounds != "tight" and self.chance(6):
                far = r.randrange(0, 62 - f // 2)
                return element.wrapped(r.choice((-1, 1)) * r.randrange(1 << far))
            return element.wrapped(r.choice(near))
        choices = (
            element.least, element.least + 1, element.greatest, element.greatest - 1, 0, 1, 2, -1, 3,
            element.greatest // 2 + 1, r.randrange(-9, 10), r.randrange(element.least, element.greatest + 1),
        )
        return element.wrapped(r.choice(choices))

    def spelled(self, element: Element, value: int) -> str:
        """How a number is written, without its type."""
        if element.is_bool:
            return "true" if value else "false"
        if not element.is_fixed:
            return str(value)
        magnitude = abs(value)
        whole, rest = divmod(magnitude, 1 << element.fraction_bits)
        digits = rest * 10**element.fraction_bits >> element.fraction_bits
        fraction = f"{digits:0{element.fraction_bits}d}".rstrip("0") or "0"
        return f"{'-' if value < 0 else ''}{whole}.{fraction}"

    def literal(self, element: Element, is_typed: bool) -> tree.Expr:
        value = self.interesting(element)
        if self.profile.bounds == "tight" and not element.is_bool and not element.is_fixed:
            value = element.wrapped(self.random.randrange(-4, 9))
        if element.is_fixed:
            most = 1 << (44 + element.fraction_bits)  # which numbers with fractions are
            value = max(-most, min(value, most))
        if element.is_fixed and element.fraction_bits > 18:
            value = value >> 10 << 10  # so that a literal has at most 19 places
        spelling = self.spelled(element, value)
        if is_typed and (element != I64 or self.spells_out) and not element.is_bool:
            spelling = f"({spelling} as {element.name})" if not spelling.startswith("-") else (
                f"(({spelling}) as {element.name})"
            )
            if element.is_fixed:  # the literal itself has the type's own fraction bits
                value = self.through_default(element, value)
        elif spelling.startswith("-"):
            spelling = f"({spelling})"
        return tree.Literal(Type(element), value, spelling)

    @staticmethod
    def through_default(element: Element, value: int) -> int:
        """What `1.5 as fxp<4>` is: a literal of `fxp`, converted."""
        default = numbers.fixed(numbers.DEFAULT_FRACTION_BITS)
        more = default.fraction_bits - element.fraction_bits
        if more >= 0:
            return numbers.converted(default, element, default.wrapped(value << more))
        half = 1 << (-more - 1)
        sign = -1 if value < 0 else 1
        rounded = sign * ((abs(value) + half) >> -more)
        return numbers.converted(default, element, rounded)

    def variables(self, element: Element, may_be_secret: bool, in_index: bool) -> list[Variable]:
        return [
            variable
            for variable in self.scope
            if variable.type.element == element
            and (may_be_secret or not variable.type.is_secret)
            and not (in_index and variable.is_index)
        ]

    def read(self, element: Element, may_be_secret: bool, depth: int, in_index: bool) -> tree.Expr | None:
        """A variable, or an element of one."""
        found = self.variables(element, may_be_secret, in_index)
        found = [v for v in found if not (in_index and v.type.extents)]
        if not found:
            return None
        chosen = self.random.choice(found)
        base = tree.Read(chosen.type, chosen.name)
        if not chosen.type.extents:
            return base
        return self.part(base, len(chosen.type.extents), may_be_secret, depth)

    def part(self, array: tree.Expr, n: int, may_be_secret: bool, depth: int) -> tree.Expr:
        indices = [self.index(extent, may_be_secret, depth) for extent in array.type.extents[:n]]
        is_secret = array.type.is_secret or any(index.type.is_secret for index in indices)
        result = Type(array.type.element, array.type.extents[n:], is_secret)
        return tree.At(result, array, indices)

    def index(self, extent: int, may_be_secret: bool, depth: int) -> tree.Expr:
        if self.chance(4):
            return whole(self.random.randrange(extent))
        counters = [v for v in self.scope if v.is_index]
        if counters and not self.chance(3):
            chosen = self.random.choice(counters)
            counter = tree.Read(chosen.type, chosen.name)
            by = self.random.randrange(-1, 3)
            if self.chance(2) or by == 0:
                return counter
            return tree.Binary(Type(I64), "+" if by > 0 else "-", counter, whole(abs(by)))
        element = self.random.choice(
            [e for e in (*self.profile.elements, I64, I64) if not e.is_bool and not e.is_fixed] or [I64]
        )
        index = self.scalar(element, may_be_secret and not self.profile.is_arithmetic, max(depth - 1, 0), True, True)
        return index

    # ---- scalars ----

    def scalar(
        self, element: Element, may_be_secret: bool, depth: int, is_typed: bool = True, in_index: bool = False
    ) -> tree.Expr:
        if depth <= 0:
            found = None if self.chance(5) else self.read(element, may_be_secret, 0, in_index)
            return found or self.literal(element, is_typed)
        make = self.random.choice(self.forms(element))
        return make(element, may_be_secret, depth, is_typed, in_index)

    def forms(self, element: Element):
        forms = [self._leaf, self._arithmetic, self._arithmetic, self._arithmetic, self._choice]
        if not self.profile.is_arithmetic:
            forms += [self._cast, self._function]
        if self.profile.has_arrays:
            forms += [self._reduction]
        if self.profile.has_calls:
            forms += [self._call]
        if self.chance(8):
            forms += [self._let_in]
        if element.is_bool:
            return [self._leaf] if self.profile.is_arithmetic else [self._leaf, *(5 * [self._condition])]
        return forms

    def _leaf(self, element, may_be_secret, depth, is_typed, in_index):
        return self.scalar(element, may_be_secret, 0, is_typed, in_index)

    def _choice(self, element, may_be_secret, depth, is_typed, in_index):
        condition = self.condition(may_be_secret, depth - 1, in_index)
        was_under, self.is_under_secret = self.is_under_secret, self.is_under_secret or condition.type.is_secret
        then = self.scalar(element, may_be_secret, depth - 1, True, in_index)
        otherwise = self.scalar(element, may_be_secret, depth - 1, False, in_index)
        self.is_under_secret = was_under
        is_secret = condition.type.is_secret or then.type.is_secret or otherwise.type.is_secret
        return tree.Choice(Type(element, (), is_secret), condition, then, otherwise)

    def _cast(self, element, may_be_secret, depth, is_typed, in_index):
        kinds = [*self.profile.elements, self.element()]
        source = self.random.choice([kind for kind in kinds if kind.is_integer or not element.is_fixed or kind.is_fixed] or [I64])
        # Numbers alone would be of the target, and must fit it.
        spelt_out, self.spells_out = self.spells_out, True
        operand = self.scalar(source, may_be_secret, depth - 1, True, in_index)
        self.spells_out = spelt_out
        return tree.Cast(Type(element, (), operand.type.is_secret), operand)

    def _let_in(self, element, may_be_secret, depth, is_typed, in_index):
        name = self.name("q")
        bound = self.scalar(self.element(), may_be_secret, depth - 1, True, in_index)
        self.scope.append(Variable(name, bound.type))
        body = self.scalar(element, may_be_secret, depth - 1, True, in_index)
        self.scope.pop()
        return tree.LetIn(Type(element, (), body.type.is_secret), name, bound, body)

    def _function(self, element, may_be_secret, depth, is_typed, in_index):
        first = self.scalar(element, may_be_secret, depth - 1, True, in_index)
        if element.is_fixed and self.profile.real_functions and self.chance(2):
            name = self.random.choice(numbers.REAL_FUNCTIONS)
            return tree.Apply(first.type, name, [first])
        if self.chance(3):
            return tree.Apply(first.type, "abs", [first])
        second = self.scalar(element, may_be_secret, depth - 1, False, in_index)
        is_secret = first.type.is_secret or second.type.is_secret
        return tree.Apply(Type(element, (), is_secret), self.random.choice(("min", "max")), [first, second])

    def _call(self, element, may_be_secret, depth, is_typed, in_index):
        found = [
            callee
            for callee in self.callees
            if len(callee.results) == 1
            and callee.results[0] == Type(element, (), callee.results[0].is_secret)
            and (may_be_secret or not callee.results[0].is_secret)
        ]
        if not found:
            return self._arithmetic(element, may_be_secret, depth, is_typed, in_index)
        return self.call(self.random.choice(found), depth - 1)

    def call(self, callee: tree.Function, depth: int) -> tree.Call:
        arguments = [self.expression(p.type, depth) for p in callee.parameters]
        return tree.Call(callee.results[0], callee, arguments, self.is_under_secret)

    def _reduction(self, element, may_be_secret, depth, is_typed, in_index):
        counts = element == I64 and not self.profile.is_arithmetic and self.chance(4)
        summed = Type(BOOL if counts else element, (self.random.choice(self.profile.extents),), may_be_secret)
        array = self.array(summed, depth - 1)
        result = Type(element, (), array.type.is_secret)
        if not counts and not element.is_fixed and not self.profile.is_arithmetic and self.chance(2):
            return tree.Apply(result, self.random.choice(("min", "max")), [array])
        operator = "*" if self.chance(3) and not counts else "+"
        return tree.Reduce(result, operator, 0, array)

    def _arithmetic(self, element, may_be_secret, depth, is_typed, in_index):
        if element.is_bool:
            return self._condition(element, may_be_secret, depth, is_typed, in_index)
        operators = ["+", "-", "*"]
        if not self.profile.is_arithmetic:
            operators += ["/"] if element.is_fixed else ["/", "%", "&", "|", "^", "<<", ">>", ">>>"]
        if self.chance(9):
            operand = self.scalar(element, may_be_secret, depth - 1, True, in_index)
            operator = "~" if element.is_integer and not self.profile.is_arithmetic and self.chance(2) else "-"
            return tree.Unary(operand.type, operator, operand)
        operator = self.random.choice(operators)
        left = self.scalar(element, may_be_secret, depth - 1, True, in_index)
        if operator in ("/", "%"):
            right = self.divisor(element, may_be_secret, depth, in_index)
        elif operator in ("<<", ">>", ">>>"):
            right = self.distance(element, may_be_secret, depth, in_index)
        elif element.is_fixed and self.chance(5):
            right = whole(self.random.randrange(0, 6))
        else:
            right = self.scalar(element, may_be_secret, depth - 1, False, in_index)
        return self.binary(element, operator, left, right)

    def binary(self, element: Element, operator: str, left: tree.Expr, right: tree.Expr) -> tree.Binary:
        is_secret = left.type.is_secret or right.type.is_secret
        is_total = right.type.is_secret or self.is_under_secret
        return tree.Binary(Type(element, (), is_secret), operator, left, right, is_total)

    def divisor(self, element, may_be_secret, depth, in_index) -> tree.Expr:
        if self.chance(3):
            one = 1 << element.fraction_bits
            value = self.random.choice((one, 2 * one, 3 * one, 7 * one))
            value = element.wrapped(-value) if element.is_signed and self.chance(4) else value
            spelling = self.spelled(element, value)
            return tree.Literal(Type(element), value, f"({spelling})" if value < 0 else spelling)
        result = self.scalar(element, may_be_secret, depth - 1, True, in_index)
        if result.type.is_secret or self.is_under_secret or self.profile.has_faults:
            return result
        one = tree.Literal(Type(element), 1 << element.fraction_bits, self.spelled(element, 1 << element.fraction_bits))
        zero = tree.Literal(Type(element), 0, self.spelled(element, 0))
        test = tree.Binary(Type(BOOL), "!=", result, zero)
        return tree.Choice(Type(element), test, result, one)

    def distance(self, element, may_be_secret, depth, in_index) -> tree.Expr:
        if not self.chance(3):
            return whole(self.random.randrange(element.bits), element)
        result = self.scalar(element, may_be_secret, depth - 1, True, in_index)
        if result.type.is_secret or self.is_under_secret or self.profile.has_faults:
            return result
        return tree.Binary(Type(element), "&", result, whole(element.bits - 1, element))

    # ---- conditions ----

    def condition(self, may_be_secret: bool, depth: int, in_index: bool = False) -> tree.Expr:
        if self.profile.is_arithmetic:
            found = self.variables(BOOL, may_be_secret, in_index)
            found = [v for v in found if not v.type.extents]
            if found:
                chosen = self.random.choice(found)
                return tree.Read(chosen.type, chosen.name)
            return tree.Literal(Type(BOOL), 1, "true")
        return self._condition(BOOL, may_be_secret, depth, True, in_index)

    def _condition(self, element, may_be_secret, depth, is_typed, in_index):
        if depth > 0 and self.chance(4):
            left = self.condition(may_be_secret, depth - 1, in_index)
            right = self.condition(may_be_secret, depth - 1, in_index)
            is_secret = left.type.is_secret or right.type.is_secret
            operator = self.random.choice(("&&", "||", "==", "!="))
            return tree.Binary(Type(BOOL, (), is_secret), operator, left, right)
        if depth > 0 and self.chance(8):
            operand = self.condition(may_be_secret, depth - 1, in_index)
            return tree.Unary(operand.type, "!", operand)
        if self.chance(4):
            found = self.read(BOOL, may_be_secret, 0, in_index)
            if found:
                return found
        kind = self.number()
        left = self.scalar(kind, may_be_secret, depth - 1, True, in_index)
        right = self.scalar(kind, may_be_secret, depth - 1, False, in_index)
        is_secret = left.type.is_secret or right.type.is_secret
        operator = self.random.choice(tuple(numbers.COMPARISONS))
        return tree.Binary(Type(BOOL, (), is_secret), operator, left, right)

    # ---- arrays ----

    def expression(self, wanted: Type, depth: int, is_typed: bool = True) -> tree.Expr:
        """Of this type, and secret only if it is."""
        if wanted.extents:
            return self.array(wanted, depth)
        return self.scalar(wanted.element, wanted.is_secret, depth, is_typed)

    def array(self, wanted: Type, depth: int) -> tree.Expr:
        known = [
            v for v in self.scope
            if v.type.element == wanted.element and v.type.extents == wanted.extents
            and (wanted.is_secret or not v.type.is_secret)
        ]
        if known and (depth <= 0 or self.chance(2)):
            chosen = self.random.choice(known)
            return tree.Read(chosen.type, chosen.name)
        if depth <= 0:
            return self._tabulated(wanted, depth)
        forms = [self._tabulated, self._tabulated, self._listed, self._rotated, self._either]
        forms += [self._over_elements, self._sliced]
        if wanted.extents[0] > 1:
            forms += [self._joined]
        if not wanted.element.is_bool:
            forms += [self._elementwise, self._reduced]
        if not self.profile.is_arithmetic:
            forms += [self._ordered]
        return self.random.choice(forms)(wanted, depth)

    def _tabulated(self, wanted: Type, depth: int) -> tree.Expr:
        name = self.name("k")
        self.scope.append(Variable(name, Type(I64), False, True))
        body = self.expression(wanted.part, depth - 1)
        self.scope.pop()
        return tree.Tabulate(Type(wanted.element, wanted.extents, body.type.is_secret), name, body)

    def _over_elements(self, wanted: Type, depth: int) -> tree.Expr:
        arrays = [
            self.array(Type(self.element(), wanted.extents[:1], wanted.is_secret), depth - 1)
            for _ in range(2 if self.chance(2) else 1)
        ]
        names = [self.name("x") for _ in arrays]
        self.scope += [Variable(name, array.type.part, False, False) for name, array in zip(names, arrays)]
        body = self.expression(wanted.part, depth - 1)
        del self.scope[-len(names):]
        result = Type(wanted.element, wanted.extents, body.type.is_secret)
        return tree.TabulateOver(result, names, arrays, body)

    def _sliced(self, wanted: Type, depth: int) -> tree.Expr:
        n = wanted.extents[0]
        step = self.random.choice((1, 1, 2, 3))
        lower = self.random.randrange(3)
        upper = lower + n * step - self.random.randrange(step)
        length = upper + self.random.randrange(2)
        extents = (length, *wanted.extents[1:])
        array = self.array(Type(wanted.element, extents, wanted.is_secret), depth - 1)
        result = Type(wanted.element, wanted.extents, array.type.is_secret)
        return tree.Slice(result, array, lower, upper, step)

    def _joined(self, wanted: Type, depth: int) -> tree.Expr:
        first = self.random.randrange(1, wanted.extents[0])
        arrays = [
            self.array(Type(wanted.element, (n, *wanted.extents[1:]), wanted.is_secret), depth - 1)
            for n in (first, wanted.extents[0] - first)
        ]
        is_secret = any(array.type.is_secret for array in arrays)
        result = Type(wanted.element, wanted.extents, is_secret)
        return tree.Concat(result, arrays, is_operator=self.chance(2))

    def _listed(self, wanted: Type, depth: int) -> tree.Expr:
        elements = [self.expression(wanted.part, depth - 1) for _ in range(wanted.extents[0])]
        is_secret = any(element.type.is_secret for element in elements)
        return tree.ArrayOf(Type(wanted.element, wanted.extents, is_secret), elements)

    def _reduced(self, wanted: Type, depth: int) -> tree.Expr:
        """Along any dimension of an array with one more."""
        dimension = self.random.randrange(len(wanted.extents) + 1)
        extents = list(wanted.extents)
        extents.insert(dimension, self.random.choice(self.profile.extents))
        operand = self.array(Type(wanted.element, tuple(extents), wanted.is_secret), depth - 1)
        operator = "*" if self.chance(3) else "+"
        return tree.Reduce(Type(wanted.element, wanted.extents, operand.type.is_secret), operator, dimension, operand)

    def _rotated(self, wanted: Type, depth: int) -> tree.Expr:
        operand = self.array(wanted, depth - 1)
        is_plain = self.profile.device == "he" or self.chance(2)
        value = self.random.randrange(-5, 6)
        by = tree.Literal(Type(I64), value, str(value) if value >= 0 else f"({value})")
        if not is_plain:
            by = self.scalar(I64, wanted.is_secret, 0)
        return tree.Rotate(operand.type.secret(by.type.is_secret), operand, by)

    def _either(self, wanted: Type, depth: int) -> tree.Expr:
        condition = self.condition(wanted.is_secret, depth - 1)
        was_under, self.is_under_secret = self.is_under_secret, self.is_under_secret or condition.type.is_secret
        then = self.array(wanted, depth - 1)
        otherwise = self.array(wanted, depth - 1)
        self.is_under_secret = was_under
        is_secret = condition.type.is_secret or then.type.is_secret or otherwise.type.is_secret
        return tree.Choice(Type(wanted.element, wanted.extents, is_secret), condition, then, otherwise)

    def _elementwise(self, wanted: Type, depth: int) -> tree.Expr:
        left = self.array(wanted, depth - 1)
        scalar = Type(wanted.element, (), wanted.is_secret)
        right = self.expression(wanted if self.chance(2) else scalar, depth - 1)
        operator = self.random.choice(("+", "-", "*"))
        is_secret = left.type.is_secret or right.type.is_secret
        return tree.Binary(Type(wanted.element, wanted.extents, is_secret), operator, left, right)

    def _ordered(self, wanted: Type, depth: int) -> tree.Expr:
        if self.chance(3) and not wanted.element.is_bool:
            left = self.array(wanted, depth - 1)
            right = self.array(wanted, depth - 1)
            is_secret = left.type.is_secret or right.type.is_secret
            name = self.random.choice(("min", "max"))
            return tree.Apply(Type(wanted.element, wanted.extents, is_secret), name, [left, right])
        if len(wanted.extents) == 1 and self.chance(2):
            if self.chance(2):
                operand = self.array(wanted, depth - 1)
                return tree.Apply(operand.type, "sort", [operand])
            more = Type(wanted.element, (wanted.extents[0] + 1,), wanted.is_secret)
            operand = self.array(more, depth - 1)
            result = Type(wanted.element, wanted.extents, operand.type.is_secret)
            return tree.Apply(result, "top_k", [operand, whole(wanted.extents[0])])
        keys = self.array(Type(self.element(), wanted.extents[:1], wanted.is_secret), depth - 1)
        rows = self.array(wanted, depth - 1)
        is_secret = keys.type.is_secret or rows.type.is_secret
        return tree.Apply(Type(wanted.element, wanted.extents, is_secret), "sort_by", [keys, rows])

"""Random programs: functions with parameters, bounds, statements and inputs."""

from __future__ import annotations

import dataclasses
import random

import numbers_of_tacet as numbers
import tree
from expressions import Profile, Variable, Writer, whole
from numbers_of_tacet import BOOL, I64, INTEGERS, Element
from tree import Type

FIXED = numbers.fixed(numbers.DEFAULT_FRACTION_BITS)
NARROW = [e for e in INTEGERS if e.bits <= 16]


def profiles() -> list[Profile]:
    """Every kind of program, in the mixture of a campaign."""
    return [
        Profile("he expressions", "he", [*INTEGERS, BOOL], depth=2, bounds="tight"),
        Profile("he narrow", "he", [*NARROW, BOOL], depth=3, bounds="tight"),
        Profile("he wide", "he", [*INTEGERS], depth=2, bounds="any"),
        Profile("he arrays", "he", [*INTEGERS, BOOL], 2, 3, has_arrays=True, has_loops=True, bounds="tight"),
        Profile("he calls", "he", [*NARROW, BOOL], 2, 2, has_calls=True, bounds="tight"),
        Profile("he faults", "he", [*NARROW], 2, 2, has_arrays=True, has_faults=True, bounds="tight"),
        Profile("he reals", "he", [FIXED], 3, 1, bounds="tight", is_arithmetic=True),
        Profile(
            "he real arrays", "he", [numbers.fixed(10), I64], 2, 2,
            has_arrays=True, has_loops=True, bounds="tight", is_arithmetic=True,
        ),
        Profile("mpc expressions", "mpc", [*INTEGERS, BOOL], depth=3),
        Profile("mpc statements", "mpc", [*INTEGERS, BOOL], 2, 6, has_arrays=True, has_loops=True, has_calls=True),
        Profile("mpc faults", "mpc", [*INTEGERS, BOOL], 2, 4, has_arrays=True, has_loops=True, has_faults=True),
        Profile("mpc fixed", "mpc", [FIXED, FIXED, I64, BOOL], 2, 3, has_arrays=True),
        Profile("mpc functions", "mpc", [FIXED, numbers.fixed(12), BOOL], 3, 2, real_functions=True),
        Profile("mpc fractions", "mpc", [numbers.fixed(8), numbers.fixed(30), *INTEGERS[2:4]], 2, 2),
    ]


@dataclasses.dataclass
class Around:
    """What holds around the statements that are being written."""

    is_under_secret: bool = False
    is_in_loop: bool = False
    may_leave_secretly: bool = False
    depth: int = 0


class FunctionWriter(Writer):
    """Writes one function after the other of a module."""

    def program(self) -> tree.Program:
        functions = []
        if self.profile.has_calls:
            for _ in range(self.random.randrange(1, 3)):
                functions.append(self.function(self.name("h"), 1))
                self.callees.append(functions[-1])
        functions.append(self.function("f", self.profile.size))
        program = tree.Program(functions)
        program.inputs = self.inputs(program.main)
        return program

    def function(self, name: str, size: int) -> tree.Function:
        self.scope = []
        is_main = name == "f"
        n_parameters = self.random.choice((1, 2, 2, 3))
        parameters = [self.parameter(i == 0) for i in range(n_parameters)]
        if not is_main and not self.chance(4):
            for parameter in parameters:
                parameter.bound = None
        results = [self.result() for _ in range(2 if self.chance(5) and not self.profile.is_arithmetic else 1)]
        function = tree.Function(name, self.profile.device, parameters, results)
        self.current = function
        self.scope = [Variable(p.name, p.type) for p in parameters]
        self.budget = size
        self.is_under_secret = False
        function.body = self.statements(Around(), size)
        function.body.append(self.returned())
        return function

    def parameter(self, is_first: bool) -> tree.Parameter:
        element = self.element()
        has_extents = self.profile.has_arrays and self.chance(2)
        is_secret = is_first or not self.chance(4)
        kind = Type(element, self.extents() if has_extents else (), is_secret)
        parameter = tree.Parameter(self.name("p"), kind)
        if self.profile.device == "he" and self.chance(3):
            parameter.owner = "client" if is_secret else "server"
        self.bind(parameter)
        return parameter

    def bind(self, parameter: tree.Parameter):
        element = parameter.type.element
        is_needed = self.profile.bounds == "tight"
        if element.is_bool or (not is_needed and self.chance(2)):
            return
        r = self.random
        if element.is_fixed:
            low = r.randrange(-6, 3)
            high = low + r.randrange(1, 8)
            if not is_needed and self.chance(4):
                low, high = -(10**r.randrange(1, 6)), 10**r.randrange(1, 6)
            unit = 1 << element.fraction_bits
            parameter.bound = (low * unit, high * unit)
        else:
            width = r.choice((1, 2, 3, 7, 12)) if is_needed else r.choice((1, 2, 10, 100, 1 << r.randrange(element.bits)))
            anchor = r.choice((element.least, element.greatest, 0, 0, -3, 1, element.greatest // 2, r.randrange(-20, 21)))
            low = max(element.least, min(anchor - r.randrange(0, width), element.greatest - width + 1))
            low, high = low, min(low + width, element.greatest + 1)
            parameter.bound = (low, high)
        parameter.bound_text = f"{low}..{high}"

    def result(self) -> Type:
        element = self.element()
        has_extents = self.profile.has_arrays and self.chance(3)
        return Type(element, self.extents() if has_extents else (), True)

    def returned(self) -> tree.Return:
        return tree.Return([self.expression(result, self.profile.depth) for result in self.current.results])

    # ---- statements ----

    def statements(self, around: Around, n: int) -> list[tree.Statement]:
        result = []
        for _ in range(n):
            if self.budget <= 0:
                break
            self.budget -= 1
            made = self.statement(around)
            result += made
            if made and isinstance(made[-1], (tree.Break, tree.Continue, tree.Return)):
                break
        return result

    def block(self, around: Around, n: int) -> list[tree.Statement]:
        inner = dataclasses.replace(around, depth=around.depth + 1)
        n_variables = len(self.scope)
        was_under, self.is_under_secret = self.is_under_secret, around.is_under_secret
        body = self.statements(inner, n) or [self.declaration(inner)]
        self.is_under_secret = was_under
        del self.scope[n_variables:]
        return body

    def statement(self, around: Around) -> list[tree.Statement]:
        self.is_under_secret = around.is_under_secret
        forms = [self.declaration, self.declaration, self.assignment, self.assignment]
        if self.profile.has_arrays:
            forms += [self.store, self.store]
        if self.profile.has_calls:
            forms += [self.several]
        if around.depth < 3:
            forms += [self.branch]
            if self.profile.has_loops:
                forms += [self.counted_loop, self.conditional_loop, self.loop_over_elements]
                if not self.profile.is_arithmetic:
                    forms += [self.leave]
        made = self.random.choice(forms)(around)
        return made if isinstance(made, list) else [made]

    def variable_type(self, around: Around) -> Type:
        has_extents = self.profile.has_arrays and self.chance(3)
        is_secret = around.is_under_secret or not self.chance(3)
        return Type(self.element(), self.extents() if has_extents else (), is_secret)

    def declaration(self, around: Around) -> tree.Statement:
        wanted = self.variable_type(around)
        is_var = not self.chance(3)
        is_typed = not self.chance(4) or wanted.element.is_fixed or is_var
        spelt_out, self.spells_out = self.spells_out, self.spells_out or not is_typed
        value = self.expression(wanted, self.profile.depth)
        self.spells_out = spelt_out
        name = self.name("v" if is_var else "c")
        kind = wanted if is_typed else value.type
        self.scope.append(Variable(name, kind, is_var))
        return tree.Declare(name, kind, value, is_var, is_typed)

    def changeable(self, around: Around, wants_array: bool) -> Variable | None:
        found = [
            v for v in self.scope
            if v.can_change and (v.type.is_secret or not around.is_under_secret) and (v.type.extents or not wants_array)
        ]
        return self.random.choice(found) if found else None

    def assignment(self, around: Around) -> tree.Statement:
        target = self.changeable(around, False)
        if target is None:
            return self.declaration(around)
        return tree.Assign(target.name, self.expression(target.type, self.profile.depth, False))

    def store(self, around: Around) -> tree.Statement:
        target = self.changeable(around, True)
        if target is None:
            return self.declaration(around)
        n = 1 if self.chance(4) else len(target.type.extents)
        indices = []
        for extent in target.type.extents[:n]:
            if self.profile.has_faults and self.chance(8):
                indices.append(whole(self.random.choice((-1, extent, extent + 3))))
            elif target.type.is_secret and not self.profile.is_arithmetic and self.chance(2):
                indices.append(self.secret_index(extent))
            else:
                indices.append(whole(self.random.randrange(extent)))
        part = Type(target.type.element, target.type.extents[n:], target.type.is_secret)
        value = self.expression(part, self.profile.depth, False)
        lenient = [around.is_under_secret or index.type.is_secret for index in indices]
        return tree.Store(target.name, indices, value, lenient)

    def secret_index(self, extent: int) -> tree.Expr:
        found = [
            v for v in self.scope
            if v.type.is_secret and not v.type.extents and v.type.element.is_integer
        ]
        if not found:
            return whole(self.random.randrange(extent))
        chosen = self.random.choice(found)
        return tree.Read(chosen.type, chosen.name)

    def several(self, around: Around) -> tree.Statement:
        found = [callee for callee in self.callees if len(callee.results) == 2]
        if not found:
            return self.declaration(around)
        call = self.call(self.random.choice(found), 1)
        names = [self.name("r") for _ in call.callee.results]
        for name, result in zip(names, call.callee.results):
            self.scope.append(Variable(name, result))
        return tree.Several(names, call)

    def branch(self, around: Around) -> tree.Statement:
        condition = self.condition(True, self.profile.depth)
        inner = dataclasses.replace(around, is_under_secret=around.is_under_secret or condition.type.is_secret)
        then = self.block(inner, self.random.randrange(1, 3))
        otherwise = self.block(inner, self.random.randrange(1, 3)) if self.chance(2) else []
        return tree.If(condition, then, otherwise)

    def secret_condition(self) -> tree.Expr:
        """Of the first parameter, which is secret in every function."""
        first = self.current.parameters[0]
        value: tree.Expr = tree.Read(first.type, first.name)
        if first.type.extents:
            value = tree.At(Type(first.type.element, (), True), value, [whole(0) for _ in first.type.extents])
        other = tree.Literal(Type(first.type.element), first.range[0], self.spelled(first.type.element, first.range[0]))
        if first.range[0] < 0:
            other.spelling = f"({other.spelling})"
        return tree.Binary(Type(BOOL, (), True), "==", value, other)

    def leave(self, around: Around) -> tree.Statement:
        if not around.is_in_loop or (around.is_under_secret and not around.may_leave_secretly):
            return self.branch(around)
        condition = self.condition(around.may_leave_secretly, self.profile.depth - 1)
        body = [self.random.choice((tree.Break, tree.Continue))()]
        return tree.If(condition, body, [])

    def counted_loop(self, around: Around) -> tree.Statement:
        kinds = [e for e in self.profile.elements if e.is_integer] or [I64]
        element = self.random.choice([I64, I64, *kinds])
        secret = [
            v for v in self.scope if v.type.is_secret and not v.type.extents and v.type.element == element
        ]
        name = self.name("step")
        first = self.random.choice((0, 0, 0, 1, 2))
        lower = whole(first, element)
        lower.spelling = lower.spelling if element == I64 else f"({first} as {element.name})"
        step = self.random.choice((1, 1, 1, 2, 3))
        inner = dataclasses.replace(around, is_in_loop=True)
        inner.may_leave_secretly = not self.profile.is_arithmetic and self.chance(3)
        upper: tree.Expr = whole(first + self.random.randrange(0, 5), element)
        most = self.random.randrange(1, 5) if self.chance(4) else None
        if secret and not self.profile.is_arithmetic and self.chance(4):
            chosen = self.random.choice(secret)
            upper = tree.Read(chosen.type, chosen.name)
            most = self.random.randrange(1, 5)
        elif step == 1 and self.chance(8) and not element.is_signed:
            upper = whole(element.greatest, element)
            lower = whole(element.greatest - 2, element)
            lower.spelling = f"({lower.spelling} as {element.name})" if element != I64 else lower.spelling
        inner.is_under_secret = around.is_under_secret or upper.type.is_secret or inner.may_leave_secretly
        self.scope.append(Variable(name, Type(element, (), upper.type.is_secret), False, element == I64 and not upper.type.is_secret))
        body = self.block(inner, self.random.randrange(1, 3))
        self.scope.pop()
        if inner.may_leave_secretly:
            body.insert(0, tree.If(self.secret_condition(), [tree.Break()], []))
        return tree.For(name, element, lower, upper, step, most, body)

    def loop_over_elements(self, around: Around) -> tree.Statement:
        extents = (self.random.choice(self.profile.extents),)
        arrays = [
            self.array(Type(self.element(), extents, self.chance(2)), 1)
            for _ in range(2 if self.chance(3) else 1)
        ]
        names = [self.name("x") for _ in arrays]
        inner = dataclasses.replace(around, is_in_loop=True)
        inner.may_leave_secretly = not self.profile.is_arithmetic and self.chance(3)
        inner.is_under_secret = around.is_under_secret or inner.may_leave_secretly
        self.scope += [Variable(name, array.type.part) for name, array in zip(names, arrays)]
        body = self.block(inner, self.random.randrange(1, 3))
        del self.scope[-len(names):]
        if inner.may_leave_secretly:
            body.insert(0, tree.If(self.secret_condition(), [tree.Break()], []))
        return tree.ForOver(names, arrays, body)

    def conditional_loop(self, around: Around) -> list[tree.Statement]:
        """A counter of its own ends it."""
        condition_is_secret = not self.profile.is_arithmetic and self.chance(2)
        inner = dataclasses.replace(around, is_in_loop=True)
        inner.is_under_secret = around.is_under_secret or condition_is_secret
        counter = self.name("n")
        kind = Type(I64, (), inner.is_under_secret)
        count = tree.Read(kind, counter)
        declared = tree.Declare(counter, kind, whole(0), True)
        condition: tree.Expr = tree.Binary(Type(BOOL, (), kind.is_secret), "<", count, whole(self.random.randrange(0, 4)))
        self.scope.append(Variable(counter, kind))
        if condition_is_secret:
            other = self.condition(True, 1)
            is_secret = kind.is_secret or other.type.is_secret
            condition = tree.Binary(Type(BOOL, (), is_secret), "&&", condition, other)
        most = self.random.randrange(1, 5) if inner.is_under_secret or self.chance(4) else None
        was_under, self.is_under_secret = self.is_under_secret, inner.is_under_secret
        body = [tree.Assign(counter, tree.Binary(kind, "+", count, whole(1))), *self.block(inner, self.random.randrange(1, 3))]
        self.is_under_secret = was_under
        return [declared, tree.While(condition, most, body, self.chance(3))]

    # ---- inputs ----

    def inputs(self, function: tree.Function) -> list[list]:
        choices = [self.corner_low, self.corner_high, *(self.anywhere for _ in range(self.profile.n_inputs - 2))]
        return [[self.filled(p.type.extents, lambda p=p: choice(p)) for p in function.parameters] for choice in choices]

    def filled(self, extents, draw):
        return [self.filled(extents[1:], draw) for _ in range(extents[0])] if extents else draw()

    def corner_low(self, parameter: tree.Parameter) -> int:
        low, high = parameter.range
        return self.within(parameter, self.random.choice((low, low, 0, min(low + 1, high))))

    def corner_high(self, parameter: tree.Parameter) -> int:
        low, high = parameter.range
        return self.within(parameter, self.random.choice((high, high, low, max(high - 1, low))))

    def anywhere(self, parameter: tree.Parameter) -> int:
        low, high = parameter.range
        if parameter.bound or self.chance(3):
            return self.random.randint(low, high)
        return self.within(parameter, self.interesting(parameter.type.element))

    def within(self, parameter: tree.Parameter, value: int) -> int:
        low, high = parameter.range
        if parameter.type.element.is_fixed and not parameter.bound:
            low, high = -(1 << 40), 1 << 40
        return max(low, min(value, high))


def program_of(seed: int, profile: Profile) -> tree.Program:
    """The same for equal seeds."""
    return FunctionWriter(random.Random(f"{profile.name} {seed}"), profile).program()

"""What a program of `tree.py` computes: a plain walk over it with exact integers.

A scalar is an integer, an array a list. This is the judge of every device, so it is kept as simple
as it can be and shares nothing with the compiler, not even the form of programs.
"""

from __future__ import annotations

import copy
import functools

import numbers_of_tacet as numbers
import tree
from numbers_of_tacet import BrokenBound, Fault


class TooLong(Exception):
    """The program takes more steps than are worth it."""


class _Break(Exception):
    pass


class _Continue(Exception):
    pass


class _Return(Exception):
    pass


MOST_STEPS = 20_000


def each(value, function):
    """`function` of a scalar or of each element of an array."""
    return [each(part, function) for part in value] if isinstance(value, list) else function(value)


def paired(left, right, function):
    """Element by element; a scalar goes with every element."""
    if isinstance(left, list):
        if isinstance(right, list):
            return [paired(a, b, function) for a, b in zip(left, right)]
        return [paired(a, right, function) for a in left]
    if isinstance(right, list):
        return [paired(left, b, function) for b in right]
    return function(left, right)


class Evaluation:
    """One call. `is_total`: it stands where a secret decides whether it runs."""

    def __init__(self, function: tree.Function, arguments: list, is_total: bool, steps: list[int]):
        self.function = function
        self.variables = dict(zip((p.name for p in function.parameters), arguments))
        self.is_total = is_total
        self.steps = steps
        self.returned = None

    def run(self) -> list:
        try:
            self.block(self.function.body)
        except _Return:
            pass
        return self.returned

    def step(self):
        self.steps[0] += 1
        if self.steps[0] > MOST_STEPS:
            raise TooLong

    # ---- statements ----

    def block(self, statements):
        for statement in statements:
            self.step()
            getattr(self, "run_" + type(statement).__name__)(statement)

    def run_Declare(self, node: tree.Declare):
        self.variables[node.name] = copy.deepcopy(self.value_as(node.value, node.type.element))

    def run_Assign(self, node: tree.Assign):
        self.variables[node.name] = copy.deepcopy(self.value(node.value))

    def run_Several(self, node: tree.Several):
        for name, value in zip(node.names, self.call(node.call)):
            self.variables[name] = value

    def run_Store(self, node: tree.Store):
        value = copy.deepcopy(self.value(node.value))
        places = [self.value(index) for index in node.indices]
        array = self.variables[node.name]
        part = array
        is_inside = True
        for place, is_lenient in zip(places, node.lenient):
            if not 0 <= place < len(part):
                is_inside = False
                if not (is_lenient or self.is_total):
                    raise Fault("store outside of an array")
            part = part[0]
        if is_inside:
            for place in places[:-1]:
                array = array[place]
            array[places[-1]] = value

    def run_If(self, node: tree.If):
        self.block(node.then if self.value(node.condition) else node.otherwise)

    def run_For(self, node: tree.For):
        lower = self.value(node.lower)
        upper = self.value(node.upper)
        counter = lower
        n_iterations = 0
        while counter < upper and (node.most is None or n_iterations < node.most):
            self.step()
            self.variables[node.name] = counter
            if not self.iteration(node.body):
                return
            n_iterations += 1
            counter += node.step
            if counter > node.element.greatest:
                return

    def run_ForOver(self, node: tree.ForOver):
        arrays = [copy.deepcopy(self.value(array)) for array in node.arrays]
        for elements in zip(*arrays, strict=True):
            self.step()
            self.variables.update(zip(node.names, elements, strict=True))
            if not self.iteration(node.body):
                return

    def run_While(self, node: tree.While):
        n_iterations = 0
        while (node.tests_last and n_iterations == 0) or self.value(node.condition):
            if node.most is not None and n_iterations >= node.most:
                return
            self.step()
            if not self.iteration(node.body):
                return
            n_iterations += 1

    def iteration(self, body) -> bool:
        """Whether the loop may continue."""
        try:
            self.block(body)
        except _Break:
            return False
        except _Continue:
            pass
        return True

    def run_Break(self, node):
        raise _Break

    def run_Continue(self, node):
        raise _Continue

    def run_Return(self, node: tree.Return):
        self.returned = [
            self.value_as(value, result.element)
            for value, result in zip(node.values, self.function.results)
        ]
        raise _Return

    # ---- expressions ----

    def value(self, node: tree.Expr):
        self.step()
        return getattr(self, "value_" + type(node).__name__)(node)

    def value_as(self, node: tree.Expr, element: numbers.Element):
        """An integer where `fxp` is expected becomes one."""
        value = self.value(node)
        source = node.type.element
        if source != element:
            return each(value, lambda x: numbers.converted(source, element, x))
        return value

    def value_Literal(self, node: tree.Literal):
        return node.value

    def value_Read(self, node: tree.Read):
        return self.variables[node.name]

    def value_At(self, node: tree.At):
        array = self.value(node.array)
        places = [self.value(index) for index in node.indices]
        extents = node.array.type.extents
        for place, extent in zip(places, extents):
            if not 0 <= place < extent:
                return self.zeros(extents[len(places):])
            array = array[place]
        return array

    def zeros(self, extents):
        return [self.zeros(extents[1:]) for _ in range(extents[0])] if extents else 0

    def value_Unary(self, node: tree.Unary):
        element = node.type.element
        if node.operator == "-":
            return each(self.value(node.operand), lambda x: element.wrapped(-x))
        if node.operator == "~":
            return each(self.value(node.operand), lambda x: element.wrapped(~x))
        return each(self.value(node.operand), lambda x: 1 - x)

    def value_Binary(self, node: tree.Binary):
        element = node.left.type.element
        if node.right.type.element.is_fixed:
            element = node.right.type.element
        left = self.value_as(node.left, element)
        right = self.value_as(node.right, element)
        is_total = node.is_total or self.is_total
        return paired(
            left, right, lambda a, b: numbers.combined(node.operator, element, a, b, is_total)
        )

    def value_Choice(self, node: tree.Choice):
        chosen = node.then if self.value(node.condition) else node.otherwise
        return self.value_as(chosen, node.type.element)

    def value_Cast(self, node: tree.Cast):
        source = node.operand.type.element
        target = node.type.element
        return each(self.value(node.operand), lambda x: numbers.converted(source, target, x))

    def value_ArrayOf(self, node: tree.ArrayOf):
        # An element may be stored to later, and is no other element's then.
        return [copy.deepcopy(self.value_as(element, node.type.element)) for element in node.elements]

    def value_Tabulate(self, node: tree.Tabulate):
        result = []
        for i in range(node.type.extents[0]):
            self.variables[node.name] = i
            result.append(copy.deepcopy(self.value(node.body)))
        return result

    def value_TabulateOver(self, node: tree.TabulateOver):
        arrays = [copy.deepcopy(self.value(array)) for array in node.arrays]
        result = []
        for elements in zip(*arrays, strict=True):
            self.variables.update(zip(node.names, elements, strict=True))
            result.append(copy.deepcopy(self.value(node.body)))
        return result

    def value_Slice(self, node: tree.Slice):
        return self.value(node.array)[node.lower : node.upper : node.step]

    def value_Concat(self, node: tree.Concat):
        return [element for array in node.arrays for element in self.value(array)]

    def value_LetIn(self, node: tree.LetIn):
        self.variables[node.name] = self.value(node.bound)
        return self.value(node.body)

    def value_Reduce(self, node: tree.Reduce):
        element = node.type.element
        source = node.operand.type.element
        first = 0 if node.operator == "+" else 1 << element.fraction_bits

        def along(value, dimension):
            if dimension > 0:
                return [along(part, dimension - 1) for part in value]
            combine = functools.partial(numbers.combined, node.operator, element, is_total=True)
            total = first if not isinstance(value[0], list) else each(value[0], lambda _: first)
            for part in value:
                converted = each(part, lambda x: numbers.converted(source, element, x))
                total = paired(total, converted if source != element else part, combine)
            return total

        return along(self.value(node.operand), node.dimension)

    def value_Rotate(self, node: tree.Rotate):
        array = self.value(node.operand)
        by = self.value(node.by) % len(array)
        return array[by:] + array[:by]

    def value_Apply(self, node: tree.Apply):
        element = node.type.element
        name = node.function
        if name in numbers.REAL_FUNCTIONS:
            return each(
                self.value(node.arguments[0]), lambda x: numbers.real_function(name, element, x)
            )
        if name == "abs":
            return each(self.value(node.arguments[0]), lambda x: element.wrapped(abs(x)))
        if name in ("min", "max"):
            choose = min if name == "min" else max
            values = [self.value_as(argument, element) for argument in node.arguments]
            if len(values) == 2:
                return paired(values[0], values[1], choose)
            return functools.reduce(lambda a, b: paired(a, b, choose), values[0])
        if name == "sort":
            return sorted(self.value(node.arguments[0]))
        if name == "sort_by":
            keys = self.value(node.arguments[0])
            rows = self.value(node.arguments[1])
            return [rows[i] for i in sorted(range(len(keys)), key=lambda i: keys[i])]
        if name == "top_k":
            return sorted(self.value(node.arguments[0]), reverse=True)[: node.type.extents[0]]
        raise ValueError(name)

    def value_Call(self, node: tree.Call):
        return self.call(node)[0]

    def call(self, node: tree.Call) -> list:
        arguments = [
            copy.deepcopy(self.value_as(argument, parameter.type.element))
            for argument, parameter in zip(node.arguments, node.callee.parameters)
        ]
        for argument, parameter in zip(arguments, node.callee.parameters):
            low, high = parameter.range
            for x in flat(argument):
                if not low <= x <= high:
                    raise BrokenBound(f"`{parameter.name}` out of its bound")
        is_total = node.is_total or self.is_total
        return Evaluation(node.callee, arguments, is_total, self.steps).run()


def flat(value):
    if isinstance(value, list):
        for part in value:
            yield from flat(part)
    else:
        yield value


def results_of(program: tree.Program, inputs: list) -> list:
    """What the program gives, by result. Raises `Fault` or `TooLong`."""
    return Evaluation(program.main, copy.deepcopy(inputs), False, [0]).run()

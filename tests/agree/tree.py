"""Device functions as trees, and their text. `evaluate.py` says what they mean."""

from __future__ import annotations

import dataclasses
import typing

from numbers_of_tacet import Element


@dataclasses.dataclass(frozen=True)
class Type:
    element: Element
    extents: tuple[int, ...] = ()
    is_secret: bool = False

    @property
    def part(self) -> Type:
        """Of the outermost dimension."""
        return Type(self.element, self.extents[1:], self.is_secret)

    def secret(self, is_secret: bool = True) -> Type:
        return Type(self.element, self.extents, self.is_secret or is_secret)

    def text(self) -> str:
        shaped = self.element.name
        if self.extents:
            shaped = f"[{shaped}; {', '.join(map(str, self.extents))}]"
        return ("secret " if self.is_secret else "") + shaped


class Expr:
    """`type` is known of every expression: the checker's rules are those of the generator."""

    type: Type

    def text(self) -> str:
        raise NotImplementedError


@dataclasses.dataclass
class Literal(Expr):
    type: Type
    value: int
    spelling: str

    def text(self) -> str:
        return self.spelling


@dataclasses.dataclass
class Read(Expr):
    type: Type
    name: str

    def text(self) -> str:
        return self.name


@dataclasses.dataclass
class At(Expr):
    """`array[i][j]`: an element, or a part."""

    type: Type
    array: Expr
    indices: list[Expr]

    def text(self) -> str:
        return self.array.text() + "".join(f"[{index.text()}]" for index in self.indices)


@dataclasses.dataclass
class Unary(Expr):
    type: Type
    operator: str
    operand: Expr

    def text(self) -> str:
        return f"({self.operator}{self.operand.text()})"


@dataclasses.dataclass
class Binary(Expr):
    """Operands of one kind, or an integer beside `fxp`. `is_total`: nothing is a fault."""

    type: Type
    operator: str
    left: Expr
    right: Expr
    is_total: bool = False

    def text(self) -> str:
        return f"({self.left.text()} {self.operator} {self.right.text()})"


@dataclasses.dataclass
class Choice(Expr):
    type: Type
    condition: Expr
    then: Expr
    otherwise: Expr

    def text(self) -> str:
        return f"({self.then.text()} if {self.condition.text()} else {self.otherwise.text()})"


@dataclasses.dataclass
class Cast(Expr):
    type: Type
    operand: Expr

    def text(self) -> str:
        return f"({self.operand.text()} as {self.type.element.name})"


@dataclasses.dataclass
class ArrayOf(Expr):
    type: Type
    elements: list[Expr]

    def text(self) -> str:
        return f"[{', '.join(element.text() for element in self.elements)}]"


@dataclasses.dataclass
class Tabulate(Expr):
    """`for name: extent { body }`."""

    type: Type
    name: str
    body: Expr

    def text(self) -> str:
        return f"(for {self.name}: {self.type.extents[0]} {{ {self.body.text()} }})"


@dataclasses.dataclass
class TabulateOver(Expr):
    """`for x, y: a, b { body }`, over the elements of arrays."""

    type: Type
    names: list[str]
    arrays: list[Expr]
    body: Expr

    def text(self) -> str:
        arrays = ", ".join(array.text() for array in self.arrays)
        return f"(for {', '.join(self.names)}: {arrays} {{ {self.body.text()} }})"


@dataclasses.dataclass
class Slice(Expr):
    """`array[lower..upper: step]`."""

    type: Type
    array: Expr
    lower: int
    upper: int
    step: int

    def text(self) -> str:
        lower = "" if self.lower == 0 else str(self.lower)
        upper = "" if self.upper == self.array.type.extents[0] else str(self.upper)
        step = "" if self.step == 1 else f": {self.step}"
        return f"{self.array.text()}[{lower}..{upper}{step}]"


@dataclasses.dataclass
class Concat(Expr):
    type: Type
    arrays: list[Expr]
    is_operator: bool

    def text(self) -> str:
        if self.is_operator:
            return f"({' ++ '.join(array.text() for array in self.arrays)})"
        return f"concat({', '.join(array.text() for array in self.arrays)})"


@dataclasses.dataclass
class Reduce(Expr):
    """`sum(e)`, `product(e)`, or `reduce(+, dimension, e)`."""

    type: Type
    operator: str
    dimension: int
    operand: Expr

    def text(self) -> str:
        if self.dimension == 0:
            return f"{'sum' if self.operator == '+' else 'product'}({self.operand.text()})"
        return f"reduce({self.operator}, {self.dimension}, {self.operand.text()})"


@dataclasses.dataclass
class Rotate(Expr):
    type: Type
    operand: Expr
    by: Expr

    def text(self) -> str:
        return f"rotate({self.operand.text()}, {self.by.text()})"


@dataclasses.dataclass
class Apply(Expr):
    """A function of the language, by name."""

    type: Type
    function: str
    arguments: list[Expr]

    def text(self) -> str:
        return f"{self.function}({', '.join(argument.text() for argument in self.arguments)})"


@dataclasses.dataclass
class Call(Expr):
    """Of another function of the module. `is_total`: it runs where a secret decides whether."""

    type: Type
    callee: Function
    arguments: list[Expr]
    is_total: bool = False

    def text(self) -> str:
        return f"{self.callee.name}({', '.join(argument.text() for argument in self.arguments)})"


@dataclasses.dataclass
class LetIn(Expr):
    type: Type
    name: str
    bound: Expr
    body: Expr

    def text(self) -> str:
        return f"(let {self.name} = {self.bound.text()} in {self.body.text()})"


# ---- statements ----

INDENT = "    "


class Statement:
    def lines(self) -> list[str]:
        raise NotImplementedError


def indented(block: list[Statement]) -> list[str]:
    return [INDENT + line for statement in block for line in statement.lines()]


@dataclasses.dataclass
class Declare(Statement):
    name: str
    type: Type
    value: Expr
    is_var: bool
    is_typed: bool = True

    def lines(self) -> list[str]:
        typed = f": {self.type.text()}" if self.is_typed else ""
        return [f"{'var' if self.is_var else 'let'} {self.name}{typed} = {self.value.text()};"]


@dataclasses.dataclass
class Assign(Statement):
    name: str
    value: Expr

    def lines(self) -> list[str]:
        return [f"{self.name} = {self.value.text()};"]


@dataclasses.dataclass
class Store(Statement):
    """`name[i][j] = value;`."""

    name: str
    indices: list[Expr]
    value: Expr
    #: by index: a place outside is no fault, but nothing is written
    lenient: list[bool]

    def lines(self) -> list[str]:
        place = "".join(f"[{index.text()}]" for index in self.indices)
        return [f"{self.name}{place} = {self.value.text()};"]


@dataclasses.dataclass
class If(Statement):
    condition: Expr
    then: list[Statement]
    otherwise: list[Statement]

    def lines(self) -> list[str]:
        result = [f"if {self.condition.text()} {{", *indented(self.then)]
        if self.otherwise:
            result += ["} else {", *indented(self.otherwise)]
        return [*result, "}"]


@dataclasses.dataclass
class For(Statement):
    name: str
    element: Element
    lower: Expr
    upper: Expr
    step: int
    most: int | None
    body: list[Statement]

    def lines(self) -> list[str]:
        step = f" step {self.step}" if self.step != 1 else ""
        most = f" max {self.most}" if self.most is not None else ""
        head = f"for {self.name} in {self.lower.text()}..{self.upper.text()}{step}{most} {{"
        return [head, *indented(self.body), "}"]


@dataclasses.dataclass
class ForOver(Statement):
    """Over the elements of arrays, as they are in front of the loop."""

    names: list[str]
    arrays: list[Expr]
    body: list[Statement]

    def lines(self) -> list[str]:
        arrays = ", ".join(array.text() for array in self.arrays)
        return [f"for {', '.join(self.names)} in {arrays} {{", *indented(self.body), "}"]


@dataclasses.dataclass
class While(Statement):
    condition: Expr
    most: int | None
    body: list[Statement]
    tests_last: bool

    def lines(self) -> list[str]:
        most = f" max {self.most}" if self.most is not None else ""
        if self.tests_last:
            return ["do {", *indented(self.body), f"}} while {self.condition.text()}{most};"]
        return [f"while {self.condition.text()}{most} {{", *indented(self.body), "}"]


@dataclasses.dataclass
class Break(Statement):
    def lines(self) -> list[str]:
        return ["break;"]


@dataclasses.dataclass
class Continue(Statement):
    def lines(self) -> list[str]:
        return ["continue;"]


@dataclasses.dataclass
class Return(Statement):
    values: list[Expr]

    def lines(self) -> list[str]:
        texts = ", ".join(value.text() for value in self.values)
        return [f"return {texts};" if len(self.values) == 1 else f"return ({texts});"]


@dataclasses.dataclass
class Several(Statement):
    """`let a, b = f(…);`"""

    names: list[str]
    call: Call

    def lines(self) -> list[str]:
        return [f"let {', '.join(self.names)} = {self.call.text()};"]


# ---- functions ----


@dataclasses.dataclass
class Parameter:
    name: str
    type: Type
    #: lower <= value < upper, in cells: of `fxp` times 2^f
    bound: tuple[int, int] | None = None
    bound_text: str = ""
    owner: str = ""

    def text(self) -> str:
        bound = f" in {self.bound_text}" if self.bound else ""
        owner = f" from {self.owner}" if self.owner else ""
        return f"{self.name}: {self.type.text()}{bound}{owner}"

    @property
    def range(self) -> tuple[int, int]:
        """Both ends included."""
        if self.bound:
            return self.bound[0], self.bound[1] - 1
        return self.type.element.least, self.type.element.greatest


@dataclasses.dataclass
class Function:
    name: str
    device: str
    parameters: list[Parameter]
    results: list[Type]
    body: list[Statement] = dataclasses.field(default_factory=list)

    def lines(self) -> list[str]:
        parameters = ", ".join(parameter.text() for parameter in self.parameters)
        results = ", ".join(result.text() for result in self.results)
        results = results if len(self.results) == 1 else f"({results})"
        head = f"fn({self.device}) {self.name}({parameters}) -> {results} {{"
        return [head, *indented(self.body), "}"]


@dataclasses.dataclass
class Program:
    """The last function is the one that runs."""

    functions: list[Function]
    inputs: list[list[typing.Any]] = dataclasses.field(default_factory=list)

    @property
    def main(self) -> Function:
        return self.functions[-1]

    def text(self) -> str:
        lines = ["#version 0.1.0"]
        for function in self.functions:
            lines += ["", *function.lines()]
        return "\n".join(lines) + "\n"

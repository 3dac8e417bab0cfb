"""Definitions that accumulate from cell to cell, and the commands that use them."""

from __future__ import annotations

import ast
import inspect
import json
import re
import shlex
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from ._inputs import File, Random
from ._outputs import Results
from .errors import Diagnostics, ProgramError, RunError, UsageError
from .picture import Picture
from .program import Program, compile
from .sized import SizedFunction
from .sources import Source

VERSION = "#version 0.1.0"
_ITEM = re.compile(r"(?:fn|val|tmln|sptl|feq|type|const|party|pipeline|test|import|extern)\b")
_NAME = re.compile(r"(?:extern\s*)?(\w+)\s*(?:\([^)]*\)\s*)?(\"[^\"]*\"|[\w.]+)?")
_CALL = re.compile(r"\s*(\w+)\s*\(")
COMMANDS = {
    "%assert": "%assert FUNCTION(VALUE, …) == VALUE: an error unless the result is equal",
    "%costs": "%costs FUNCTION [NAME=VALUE…]: what a run is predicted to cost",
    "%emit": "%emit STAGE FUNCTION [NAME=VALUE…]: the output of a stage of the compiler",
    "%functions": "%functions: what has been defined and can be run",
    "%help": "%help: these commands",
    "%lint": "%lint: findings of the linter",
    "%picture": "%picture FUNCTION [KIND] [NAME=VALUE…]: circuit, layout or approximations",
    "%reset": "%reset: forgets all definitions",
    "%source": "%source: all definitions",
}


class Answer(NamedTuple):
    """What a cell shows: a text, and perhaps a picture."""

    text: str
    picture: Optional[Picture] = None


def items_of(text: str) -> Dict[str, str]:
    """The items of a text by kind and name. An item begins in the first column, and what is in
    front of it, such as its documentation, is a part of it."""
    found: Dict[str, str] = {}
    name, lines, pending = "", [], []  # type: str, List[str], List[str]
    for line in text.splitlines():
        if line.startswith(VERSION.split()[0]):
            continue
        pending.append(line)
        if _ITEM.match(line):
            if name:
                found[name] = "\n".join(lines)
            name, lines, pending = _key(line), pending, []
        elif not line.startswith("//"):
            if name:
                lines.extend(pending)
                pending = []
    if name:
        found[name] = "\n".join(lines + pending)
    return found


def _key(line: str) -> str:
    match = _NAME.match(line)
    kind, name = (match.group(1), match.group(2) or "") if match else ("", "")
    return f"{kind} {name}" if kind in ("import", "party", "test", "pipeline") else name


def without_version(text: str, by: int) -> str:
    """Diagnostics as a text, with numbers of lines that are less by `by`."""
    def less(match: re.Match[str]) -> str:
        number = str(int(match.group(2)) - by)
        return match.group(1) + number.rjust(len(match.group(2))) + match.group(3)

    text = re.sub(r"(?m)^( *)(\d+)( [|+-])", less, text)
    return re.sub(r"(?m)^( *--> [^\n]*?:)(\d+)(:\d+)$",
                  lambda match: match.group(1) + str(int(match.group(2)) - by) + match.group(3), text)


class Session:
    """The definitions of a notebook in the language of Tacet."""

    def __init__(self) -> None:
        self.items: Dict[str, str] = {}
        self._programs: Dict[Tuple[str, str], Program] = {}
        self._sized: Dict[Tuple[str, str], SizedFunction] = {}

    # -- definitions ---------------------------------------------------------------------------

    def text_with(self, cell: str) -> Tuple[str, int]:
        """A module: the cell, and all definitions that it does not replace. And the number of lines
        in front of the cell."""
        own = items_of(cell)
        others = [text for name, text in self.items.items() if name not in own]
        ahead = 0 if cell.lstrip().startswith("#version") else 1
        head = VERSION + "\n" if ahead else ""
        return head + cell.rstrip("\n") + "\n\n" + "\n".join(others) + "\n", ahead

    def source_with(self, cell: str) -> Tuple[Source, int]:
        """The same, opened."""
        text, ahead = self.text_with(cell)
        return Source(text, "cell.tacet"), ahead

    def define(self, cell: str) -> Diagnostics:
        """Adds the definitions of a cell; gives warnings about them. ProgramError if the module has
        errors then; in this case nothing changes."""
        source, ahead = self.source_with(cell)
        found = source.check()
        text = without_version(found.text, ahead) if ahead else found.text
        if any(each.severity == "error" for each in found):
            raise ProgramError(text.rstrip("\n"), found)
        self.items.update(items_of(cell))
        self._programs.clear()
        self._sized.clear()
        return Diagnostics(found, text, found.json)

    @property
    def source(self) -> Source:
        """All definitions as a module."""
        return self.source_with("")[0]

    def program(self, function: str, options: Dict[str, Any]) -> Program:
        """A function of the session, compiled with options, once for each."""
        key = (function, repr(sorted(options.items())))
        if key not in self._programs:
            self._programs[key] = compile(self.source, function, **options)
        return self._programs[key]

    def names(self) -> List[str]:
        """What can be run."""
        return [each.name for each in self.source.functions] if self.items else []

    # -- cells ---------------------------------------------------------------------------------

    def execute(self, cell: str) -> List[Answer]:
        """Runs a cell: commands, if each of its lines is one, else definitions."""
        lines = command_lines(cell)
        if lines is None:
            found = self.define(cell)
            return [Answer(str(found))] if found else []
        return [answer for line in lines for answer in self._command(line)]

    def _command(self, line: str) -> List[Answer]:
        if not line.startswith("%"):
            return [Answer(self._call(line))]
        if line.split(" ")[0] == "%assert":
            self._assert(line[len("%assert"):])
            return []
        name, *words = _words(line)
        plain = [word for word in words if "=" not in word]
        options = dict(word.split("=", 1) for word in words if "=" in word)
        action = getattr(self, f"_show_{name[1:]}", None) if name in COMMANDS else None
        if action is None:
            raise UsageError(f"no command `{name}`; `%help` lists them")
        try:
            bound = inspect.signature(action).bind(*plain, **option_values(options))
        except TypeError:
            raise UsageError(f"usage: {COMMANDS[name]}") from None
        answer = action(*bound.args, **bound.kwargs)
        return [answer if isinstance(answer, Answer) else Answer(answer)]

    def _call(self, line: str) -> str:
        function, values, named = parsed_call(line)
        return shown(self._run(function, values, named))

    def _run(self, function: str, values: List[Any], named: Dict[str, Any]) -> Results:
        device = named.pop("device", None)
        if function not in self.names():
            raise UsageError(f"no function `{function}` has been defined")
        key = (function, device or "")
        if key not in self._sized:
            self._sized[key] = SizedFunction(self.source, function, device)
        return self._sized[key].run(*values, **named)

    def _assert(self, text: str) -> None:
        compared = _expression(text)
        if (not isinstance(compared, ast.Compare) or len(compared.ops) != 1
                or not isinstance(compared.ops[0], ast.Eq)):
            raise UsageError(f"usage: {COMMANDS['%assert']}")
        function, values, named = parsed_call(ast.unparse(compared.left))
        expected = _literal(compared.comparators[0])
        found = [_plain(value) for value in self._run(function, values, named).values.values()]
        result = found[0] if len(found) == 1 else found
        if result != expected:
            raise RunError(f"the result is {json.dumps(result)}, not {json.dumps(expected)}")

    def _show_costs(self, function: str, **options: Any) -> str:
        return self.program(function, options).explain()

    def _show_emit(self, stage: str, function: Optional[str] = None, **options: Any) -> str:
        return self.source.emit(stage, function, **options)

    def _show_functions(self) -> str:
        return "\n".join(f"{each.name} ({each.device})" for each in self.source.functions)

    def _show_help(self) -> str:
        call = "FUNCTION(VALUE, …, device=\"he\"): runs a function"
        return "\n".join([call, *COMMANDS.values()])

    def _show_lint(self) -> str:
        return without_version(self.source.lint().text, 1)

    def _show_picture(self, function: str, kind: str = "circuit", **options: Any) -> Answer:
        picture = self.program(function, options).picture(kind)
        return Answer(repr(picture), picture)

    def _show_reset(self) -> str:
        self.items.clear()
        self._programs.clear()
        self._sized.clear()
        return ""

    def _show_source(self) -> str:
        return "\n\n".join(text.strip("\n") for text in self.items.values())


def command_lines(cell: str) -> Optional[List[str]]:
    """The commands of a cell, None if it has something else."""
    lines = [line.strip() for line in cell.splitlines()]
    lines = [line for line in lines if line and not line.startswith("//")]
    calls = [line.startswith("%") or is_call(line) for line in lines]
    return lines if all(calls) else None


def is_call(line: str) -> bool:
    """Whether a line is a call of a function, complete, and not the head of a definition."""
    match = _CALL.match(line)
    if not match or _ITEM.fullmatch(match.group(1)):
        return False
    try:
        return isinstance(ast.parse(line.strip(), mode="eval").body, ast.Call)
    except (SyntaxError, ValueError):
        return False


def parsed_call(line: str) -> Tuple[str, List[Any], Dict[str, Any]]:
    """The function, the values and the named values of `f([1, 2], w=3, device="he")`."""
    call = _expression(line)
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        raise UsageError("a call is FUNCTION(VALUE, …)")
    values = [_literal(value) for value in call.args]
    named = {each.arg or "": _literal(each.value) for each in call.keywords}
    return call.func.id, values, named


def _words(line: str) -> List[str]:
    try:
        return shlex.split(line)
    except ValueError:
        raise UsageError("a quotation mark has no partner") from None


def _expression(text: str) -> ast.expr:
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        raise UsageError(f"`{text.strip()}` is not a call") from None


def _literal(node: ast.expr) -> Any:
    if isinstance(node, ast.Name) and node.id in ("true", "false"):
        return node.id == "true"
    if isinstance(node, (ast.List, ast.Tuple)):
        return [_literal(each) for each in node.elts]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        made = {"File": File, "Random": Random}.get(node.func.id)
        if made is not None:
            return made(*[_literal(each) for each in node.args])
    try:
        return ast.literal_eval(node)
    except ValueError:
        raise UsageError(f"`{ast.unparse(node)}` is neither a number nor a list of numbers") from None


def option_values(options: Dict[str, str]) -> Dict[str, Any]:
    """Options of a command: `range=x=0..256` as they are, `unhidden=true` as a flag."""
    return {name: True if value == "true" else value for name, value in options.items()}


def shown(results: Results) -> str:
    """Results as `tacet run` prints them."""
    lines = []
    for name, value in results.values.items():
        lines.append(f"{name} = {json.dumps(_plain(value))}")
    return "\n".join(lines)


def _plain(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else value


def message_of(error: BaseException) -> str:
    """An error as a cell shows it."""
    if isinstance(error, KeyboardInterrupt):
        return "interrupted"
    return str(error) if isinstance(error, ProgramError) else f"error: {error}"

"""The cell magic `%%tacet` of IPython and Jupyter.

    %load_ext tacet

    %%tacet [NAME] [--device DEVICE] [--size N=VALUE] [--OPTION VALUE]…

compiles the cell and binds its functions as functions of Python: in the notebook, or, with NAME, as
attributes of NAME. `#version` may be left out. Options are those of `tacet run`. Errors are shown with
carets, and stop a run of all cells.
"""

from __future__ import annotations

import shlex
from types import SimpleNamespace
from typing import Any, Dict, List, Tuple

from ._outputs import Results
from .errors import Diagnostics, ProgramError, UsageError
from .program import Program, compile
from .session import VERSION
from .sized import function
from .sources import Source


class CellError(ProgramError):
    """Errors of a cell, shown without a traceback."""

    def _render_traceback_(self) -> List[str]:
        return str(self).splitlines()


class CellFunction:
    """A function of a cell, compiled when it is first used, for the sizes of the values if it has size
    parameters that no option states. Has the attributes of a `Program`."""

    def __init__(self, source: Source, name: str, options: Dict[str, Any]) -> None:
        self._source, self._name, self._options = source, name, options
        self._program: Any = None
        self._sized = function(source, name, **options)
        self.__name__ = name

    @property
    def program(self) -> Program:
        """The compiled function."""
        if self._program is None:
            try:
                self._program = compile(self._source, self._name, **self._options)
            except ProgramError as error:
                raise CellError(str(error), error.diagnostics) from None
        program: Program = self._program
        return program

    def __call__(self, *values: Any, **named: Any) -> Any:
        """Runs the function, as a call of a `Program`."""
        return self.run(*values, **named).value

    def run(self, *values: Any, **named: Any) -> Results:
        """The same, with the costs of the run."""
        if self._sized.sizes:
            return self._sized.run(*values, **named)
        return self.program.run(*values, **named)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") and name != "__signature__":
            raise AttributeError(name)
        return getattr(self.program, name)

    def __repr__(self) -> str:
        return repr(self._sized if self._sized.sizes else self.program)


def parsed_line(line: str) -> Tuple[str, Dict[str, Any]]:
    """The name and the options behind `%%tacet`."""
    words = shlex.split(line)
    name = words.pop(0) if words and not words[0].startswith("-") else ""
    if name and not name.isidentifier():
        raise UsageError(f"`{name}` cannot be the name of a variable")
    options: Dict[str, Any] = {}
    while words:
        word = words.pop(0)
        option, equals, value = word[2:].partition("=")
        if not word.startswith("--") or not option:
            raise UsageError(f"`{word}` is not an option; usage: %%tacet [NAME] [--OPTION VALUE]…")
        if not equals:
            value = words.pop(0) if words and not words[0].startswith("--") else ""
        options.setdefault(option.replace("-", "_"), []).append(value)
    device = options.pop("device", [None])[-1]
    return name, {"device": device, **options}


def compile_cell(line: str, cell: str) -> Tuple[str, Dict[str, CellFunction], Diagnostics]:
    """The name, the functions by name, and warnings. CellError if the cell has errors.

    Lines are counted as in the notebook: the first is that of `%%tacet`.
    """
    name, options = parsed_line(line)
    has_version = cell.lstrip().startswith("#version")
    source = Source(cell if has_version else f"{VERSION}\n{cell}", "cell.tacet")
    found = source.check()
    if any(each.severity == "error" for each in found):
        raise CellError(str(found), found)
    functions = {each.name: CellFunction(source, each.name, options) for each in source.functions}
    return name, functions, found


def run_cell(shell: Any, line: str, cell: str) -> None:
    """Binds the functions of a cell, and shows warnings."""
    name, functions, found = compile_cell(line, cell)
    if name:
        shell.user_ns[name] = SimpleNamespace(**functions)
    else:
        shell.user_ns.update(functions)
    if found:
        from IPython.display import display

        display({"text/plain": str(found)}, raw=True)


def load_ipython_extension(shell: Any) -> None:
    """Registers the magic."""
    def tacet(line: str, cell: str) -> None:
        run_cell(shell, line, cell)

    tacet.__doc__ = __doc__
    shell.register_magic_function(tacet, "cell", "tacet")

"""A Jupyter kernel for the language of Tacet itself.

    python -m tacet.kernel install [--user | --prefix FOLDER]

Cells define functions, which accumulate; a definition replaces an earlier one of the same name. A cell
of calls, `dot([1, 2], [3, 4], device="he")`, runs them. `%help` lists the other commands.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import re
import sys
import tempfile
from typing import Any, Dict, List, Tuple, Type

from . import __version__
from .errors import Error
from .session import COMMANDS, Answer, Session, command_lines, message_of

MISSING = ("the kernel needs the package `ipykernel`, which is not installed "
           "(on Debian: apt install python3-ipykernel)")


def place_of(code: str, position: int) -> Tuple[int, int]:
    """Line and column, from 1, of a position in a text."""
    before = code[:position]
    return before.count("\n") + 1, position - (before.rfind("\n") + 1) + 1


def completions(session: Session, code: str, position: int) -> Tuple[List[str], int, int]:
    """What could be written at a position of a cell, and from where to where it would be."""
    line, column = place_of(code, position)
    start = position - column + 1
    words = code[start:position]
    if words.startswith("%"):
        name = words.split(" ")[0]
        if name == words:
            return [each for each in COMMANDS if each.startswith(name)], start, position
        return _names(session, code, position)
    if re.fullmatch(r"\w*", words):
        names, begin, end = _names(session, code, position)
        if names and words:
            return [name + "(" for name in names], begin, end
    source, ahead = session.source_with(code)
    found = source.complete(line + ahead, column)
    typed = words[found[0].begin - 1:] if found else ""
    same = [each for each in found if each.begin == found[0].begin and each.end == found[0].end
            and each.insert.startswith(typed)]
    if not same:
        return [], position, position
    return ([each.insert for each in same], start + same[0].begin - 1, start + same[0].end - 1)


def _names(session: Session, code: str, position: int) -> Tuple[List[str], int, int]:
    typed = re.search(r"\w*\Z", code[:position])
    begin = typed.start() if typed else position
    return [name for name in session.names() if name.startswith(code[begin:position])], begin, position


def hover(session: Session, code: str, position: int) -> str:
    """What there is to know of a place, in Markdown."""
    lines = command_lines(code)
    if lines:
        return _help_on(session, code, position)
    line, column = place_of(code, position)
    source, ahead = session.source_with(code)
    return (source.hover(line + ahead, column) or source.hover(line + ahead, max(column - 1, 1))
            or _help_on(session, code, position))


def _help_on(session: Session, code: str, position: int) -> str:
    """About the word at a position of a command: where the function is defined."""
    begin = re.search(r"[%\w]*\Z", code[:position])
    end = re.match(r"\w*", code[position:])
    word = (begin.group() if begin else "") + (end.group() if end else "")
    if word in COMMANDS:
        return COMMANDS[word]
    source = session.source
    for function in source.functions:
        if function.name == word:
            text, _ = session.text_with("")
            line = text.splitlines()[function.line - 1]
            return source.hover(function.line, line.index(word) + 1)
    return ""


def kernel_class() -> Type[Any]:
    """The kernel. ImportError if `ipykernel` is not installed."""
    try:
        from ipykernel import kernelbase
    except ImportError:
        raise ImportError(MISSING) from None
    base: Any = kernelbase.Kernel

    class TacetKernel(base):  # type: ignore[misc]
        implementation = "tacet"
        implementation_version = __version__
        banner = f"Tacet {__version__}: programs on encrypted data. %help lists commands."
        language_info = {"name": "tacet", "version": __version__, "mimetype": "text/x-tacet",
                         "file_extension": ".tacet", "codemirror_mode": "rust",
                         "pygments_lexer": "rust"}

        def __init__(self, **options: Any) -> None:
            super().__init__(**options)
            self.session_of_cells = Session()

        async def do_execute(self, code: str, silent: bool, store_history: bool = True,
                             user_expressions: Any = None, allow_stdin: bool = False,
                             **more: Any) -> Dict[str, Any]:
            try:
                answers = self.session_of_cells.execute(code)
            except (Error, KeyboardInterrupt) as error:
                return self._failed(error, silent)
            if not silent:
                for answer in answers:
                    self._show(answer)
            return {"status": "ok", "execution_count": self.execution_count, "payload": [],
                    "user_expressions": {}}

        def _show(self, answer: Answer) -> None:
            if not answer.text:
                return
            data = {"text/plain": answer.text.rstrip("\n")}
            if answer.picture is not None:
                data["image/svg+xml"] = answer.picture.svg
            self.send_response(self.iopub_socket, "display_data", {"data": data, "metadata": {}})

        def _failed(self, error: BaseException, silent: bool) -> Dict[str, Any]:
            content = {"ename": type(error).__name__, "evalue": str(error).split("\n")[0],
                       "traceback": message_of(error).splitlines()}
            if not silent:
                self.send_response(self.iopub_socket, "error", content)
            return {"status": "error", "execution_count": self.execution_count, **content}

        def do_complete(self, code: str, cursor_pos: int) -> Dict[str, Any]:
            try:
                matches, start, end = completions(self.session_of_cells, code, cursor_pos)
            except Error:
                matches, start, end = [], cursor_pos, cursor_pos
            return {"status": "ok", "matches": matches, "cursor_start": start, "cursor_end": end,
                    "metadata": {}}

        def do_inspect(self, code: str, cursor_pos: int, detail_level: int = 0,
                       omit_sections: Any = ()) -> Dict[str, Any]:
            try:
                text = hover(self.session_of_cells, code, cursor_pos)
            except Error:
                text = ""
            data = {"text/markdown": text, "text/plain": text} if text else {}
            return {"status": "ok", "found": bool(text), "data": data, "metadata": {}}

        def do_is_complete(self, code: str) -> Dict[str, Any]:
            still_open = sum(code.count(each) for each in "({[") > sum(code.count(each) for each in ")}]")
            return {"status": "incomplete", "indent": "    "} if still_open else {"status": "complete"}

    return TacetKernel


def install(user: bool, prefix: str) -> str:
    """Registers the kernel with Jupyter, for this Python; the folder."""
    try:
        from jupyter_client import kernelspec
    except ImportError:
        raise ImportError(MISSING) from None
    specification = json.loads((pathlib.Path(__file__).parent / "kernelspec/kernel.json")
                               .read_text("utf-8"))
    specification["argv"][0] = sys.executable
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "kernel.json").write_text(json.dumps(specification, indent=2), "utf-8")
        manager: Any = kernelspec.KernelSpecManager
        return str(manager().install_kernel_spec(folder, "tacet", user=user, prefix=prefix or None))


def main() -> int:
    """`install`, or the kernel itself, which Jupyter starts."""
    if sys.argv[1:2] != ["install"]:
        kind = kernel_class()
        from ipykernel.kernelapp import IPKernelApp

        IPKernelApp.launch_instance(kernel_class=kind)
        return 0
    parser = argparse.ArgumentParser(prog="python -m tacet.kernel install")
    place = parser.add_mutually_exclusive_group()
    place.add_argument("--user", action="store_true", help="for this user alone")
    place.add_argument("--prefix", default="", help="the folder of an environment")
    options = parser.parse_args(sys.argv[2:])
    user = options.user or not options.prefix
    print("installed the kernel in " + install(user, options.prefix))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ImportError as missing:
        sys.exit(f"tacet: {missing}")

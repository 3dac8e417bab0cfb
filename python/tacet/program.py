"""Programs: functions compiled for a device, which are called as functions of Python."""

from __future__ import annotations

import inspect
import json
import os
import threading
from typing import Any, Dict, List, Mapping, Optional, Tuple, Union

from ._control import ProgressFunction, controlled
from ._inputs import Inputs
from ._library import Handle, call_bytes, call_handle, call_text, encoded, library, text_of
from ._options import Options, as_dict, merged, options_handle, options_of
from ._outputs import Results
from .errors import ArgumentError, UsageError
from .picture import Picture
from .signature import Binding, Field, fields_of, python_signature
from .sources import Source, SourceLike, opened

__all__ = ["Program", "compile", "load"]


class Program:
    """A function compiled for a device. `tacet.compile` and `tacet.load` make programs.

    A call runs it in this process: `ref` in plaintext, `he` as client and server, `mpc` as all
    parties. It takes numbers, nested lists, arrays of NumPy and other buffers, and gives the result,
    or a named tuple of several. Objects may be used by several threads, and calls run in parallel.
    """

    def __init__(self, handle: Handle, source: Optional[Source] = None,
                 function: Optional[str] = None, options: Options = ()) -> None:
        self._handle = handle
        self._source, self._function, self._options = source, function, options
        self._others: Dict[Tuple[str, Options], Program] = {}
        self._lock = threading.Lock()
        self.name: str = text_of(library.tacet_program_name(handle.pointer))
        self.device: str = text_of(library.tacet_program_device(handle.pointer))
        self.parameters: Tuple[Field, ...] = fields_of(handle.pointer, "parameter")
        self.results: Tuple[Field, ...] = fields_of(handle.pointer, "result")
        self._binding = Binding(self.name, self.parameters)
        self.__name__ = self.name
        self.__doc__ = f"{self.name}: a Tacet program compiled for `{self.device}`."

    # -- runs ----------------------------------------------------------------------------------

    def __call__(self, *values: Any, **named: Any) -> Any:
        """Runs the program on a value for each parameter, by position or by name.

        `device` and options of `tacet run` run it elsewhere or otherwise: it is compiled again for
        them once. A parameter of the same name has priority; `on` has no such conflict.
        """
        if not named and len(values) == len(self._binding.names):
            return self._run(list(zip(self._binding.names, values)), None).value
        return self.run(*values, **named).value

    def run(self, *values: Any, **named: Any) -> Results:
        """The same, with the costs of the run. `progress` is a function that is called with a phase,
        how much of it is done, and how much there is to do, 0 if unknown. It stops the run by
        returning False, or by an exception, which is raised here then."""
        progress = None if self._binding.is_parameter("progress") else named.pop("progress", None)
        others = {name: named.pop(name) for name in list(named)
                  if not self._binding.is_parameter(name)}
        program = self._elsewhere(others) if others else self
        return program._run(program._binding.bind(values, named), progress)

    def _run(self, values: List[Tuple[str, Any]], progress: Optional[ProgressFunction]) -> Results:
        inputs = Inputs(values)
        try:
            return Results(controlled(call_handle, "run", "values_free", self._handle.pointer,
                                      inputs.structs, inputs.count, progress=progress))
        finally:
            inputs.release()

    def _elsewhere(self, options: Dict[str, Any]) -> Program:
        for name in options:
            try:
                options_handle(options_of({} if name in ("device", "sizes", "ranges")
                                          else {name: options[name]}))
            except UsageError as error:
                names = ", ".join(f"`{each}`" for each in self._binding.names)
                raise ArgumentError(f"`{name}` is neither a parameter of `{self.name}` ({names}) nor "
                                    f"an option: {error}") from None
        return self.on(**options)

    def on(self, device: Optional[str] = None, *, sizes: Optional[Mapping[str, Any]] = None,
           ranges: Optional[Mapping[str, Any]] = None, **options: Any) -> Program:
        """The same function compiled for another device or with other options, once for each."""
        device = device or self.device
        all_options = merged(self._options, options_of(options, sizes, ranges))
        key = (device, all_options)
        if key == (self.device, self._options):
            return self
        if self._source is None:
            raise UsageError("a program without its source cannot be compiled again: it runs on "
                             f"`{self.device}` as it was compiled")
        with self._lock:
            if key not in self._others:
                self._others[key] = _compiled(self._source, self._function, device, all_options)
            return self._others[key]

    def run_party(self, party: str, /, *values: Any, **named: Any) -> Results:
        """Runs one party of those that `tacet.toml` beside the program's file names, over TLS.

        The other parties run the same, each in a process of its own, at about the same time. Takes
        the values of this party, and gives the results that it may know. Other arguments are options
        of `tacet party run`: `key`, `connect`, `silence`, `patience`, `protocol`; and `progress`.
        """
        progress = None if self._binding.is_parameter("progress") else named.pop("progress", None)
        options = {name: named.pop(name) for name in list(named)
                   if not self._binding.is_parameter(name)}
        program = self.on("mpc", party=party, **options)
        own = [field for field in program.parameters if field.owner in ("", party)]
        bound = Binding(f"{self.name}` for `{party}", own).bind(values, named, complete=False)
        return program._run(bound, progress)

    # -- what is known of it -------------------------------------------------------------------

    @property
    def __signature__(self) -> inspect.Signature:
        return python_signature(self.parameters, self.results)

    @property
    def signature(self) -> inspect.Signature:
        """The signature, with the types of the language as annotations."""
        return self.__signature__

    @property
    def options(self) -> Dict[str, List[str]]:
        """The options that it was compiled with."""
        return as_dict(self._options)

    @property
    def notes(self) -> List[str]:
        """What the compiler remarked."""
        return text_of(library.tacet_program_notes(self._handle.pointer)).splitlines()

    def costs(self) -> Dict[str, Any]:
        """What a run is predicted to cost: counts of operations, `estimated_time` in milliseconds.
        Empty for `ref`."""
        costs: Dict[str, Any] = json.loads(controlled(call_text, "program_costs", self._handle.pointer))
        return costs

    def explain(self) -> str:
        """The predicted costs and the choices of the compiler as a table."""
        return controlled(call_text, "program_explain", self._handle.pointer).rstrip("\n")

    def picture(self, kind: str = "circuit") -> Picture:
        """A picture of a function that was compiled for BFV, BGV or CKKS: its `circuit`, its
        `layout`, which element is in which slot, or its `approximations`, the functions of reals and
        the polynomials that are computed instead."""
        return Picture(kind, controlled(call_text, "program_picture", self._handle.pointer,
                                       encoded(kind, "the kind of a picture")))

    def __repr__(self) -> str:
        return f"<Program {self.name}{self._shown_signature()} on {self.device}>"

    def _shown_signature(self) -> str:
        given = ", ".join(map(str, self.parameters))
        gives = ", ".join(str(field).partition(": ")[2] for field in self.results)
        return f"({given}) -> {gives if len(self.results) == 1 else f'({gives})'}"

    # -- files ---------------------------------------------------------------------------------

    def __bytes__(self) -> bytes:
        """What `tacet build` writes: a program for `he`, for client and server."""
        return call_bytes("program_write", self._handle.pointer)

    @classmethod
    def from_bytes(cls, data: Any) -> Program:
        """The program that `bytes(program)` or `tacet build` wrote."""
        raw = bytes(memoryview(data))
        return cls(call_handle("program_read", "program_free", raw, len(raw)))

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes `bytes(program)` into a file."""
        raw = bytes(self)
        with open(path, "wb") as file:
            file.write(raw)

    def __reduce__(self) -> Tuple[Any, ...]:
        if self._source is None:
            return Program.from_bytes, (bytes(self),)
        return _compiled, (self._source, self._function, self.device, self._options)


def _compiled(source: Source, function: Optional[str], device: Optional[str], options: Options,
              progress: Optional[ProgressFunction] = None) -> Program:
    if function == "" or device == "":
        raise UsageError("the name of a function or device is empty; leave it out")
    handle = options_handle(options)
    program = controlled(call_handle, "compile", "program_free", source._handle.pointer,
                         None if function is None else encoded(function, "the function"),
                         None if device is None else encoded(device, "the device"), handle.pointer,
                         progress=progress)
    return Program(program, source, function, options)


def compile(source: SourceLike, function: Optional[str] = None, device: Optional[str] = None, *,
            sizes: Optional[Mapping[str, Any]] = None, ranges: Optional[Mapping[str, Any]] = None,
            path: str = "program.tacet", progress: Optional[ProgressFunction] = None,
            **options: Any) -> Program:
    """Compiles a function of a program.

    `source` is the text of a program, or the path of a file: a path object, or a string of one line
    that ends with `.tacet`, `.tlhe` or `.cm`. `path` is where a text would be: its ending is the
    language, and what it imports is looked for beside it.

    `function` may be left out if there is one. `device` is `ref` (plaintext), `he` (homomorphic
    encryption) or `mpc` (several parties); without it, the one that the function is written for.

    `sizes` are those of a function with size or type parameters: `{"n": 4, "T": "u8"}`. `ranges` are
    those of parameters: `{"x": (0, 256)}`, the end excluded. Other options are those of `tacet run`,
    with underscores: `scheme="ckks"`, `security=192`, `unhidden=True`, `memory_limit=4096`.

    `progress` is called as for `Program.run`.

    ProgramError if the program has errors or the device cannot run it; UsageError for a wrong option.
    """
    return _compiled(opened(source, path), function, device, options_of(options, sizes, ranges), progress)


def load(path: Union[str, os.PathLike[str]]) -> Program:
    """The program of a file that `program.save` or `tacet build` wrote."""
    with open(path, "rb") as file:
        return Program.from_bytes(file.read())

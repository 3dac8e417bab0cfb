"""A service of `tacet serve`, and requests to it."""

from __future__ import annotations

import ctypes
import os
import pathlib
import stat
import threading
from ctypes import byref
from typing import Any, Dict, Optional, Tuple, Union

from ._control import controlled
from ._inputs import Inputs
from ._library import ServicePlaceStruct, call_handle, encoded
from ._outputs import Results
from .errors import UsageError
from .exchange import Client, EvaluationKeys, _memory
from .program import Program

__all__ = ["Service"]

PathOrText = Union[str, "os.PathLike[str]", bytes]


class Service:
    """A service that evaluates compiled programs, as `tacet serve` runs it.

    >>> service = tacet.Service("server.example:7443", certificate="server.crt", key="alice.key")
    >>> service.request(tacet.load("distance.he"), [1, 2, 2])

    `certificate` is the service's, which has to show exactly this one; `key` is the client's private
    key, and `own_certificate` its certificate: without one, the file beside the key that ends with
    `.crt`. Each is a path, or bytes in the form of PEM. Times are in seconds. Connects at once, and
    again when the service has closed the connection. Several threads may make requests.
    """

    def __init__(self, address: str, *, certificate: PathOrText, key: PathOrText,
                 own_certificate: Optional[PathOrText] = None, connect_timeout: int = 30,
                 timeout: int = 600, most_results: int = 1 << 30) -> None:
        self.address = address
        if own_certificate is None:
            if isinstance(key, bytes):
                raise UsageError("a key that is given as bytes needs `own_certificate`")
            own_certificate = pathlib.Path(key).with_suffix(".crt")
        for name, number, most in (("connect_timeout", connect_timeout, 1 << 31),
                                   ("timeout", timeout, 1 << 31), ("most_results", most_results, 1 << 62)):
            if not 1 <= number <= most:
                raise UsageError(f"`{name}` is {number}; expected a number from 1 to {most}")
        place = ServicePlaceStruct(
            struct_size=ctypes.sizeof(ServicePlaceStruct), address=encoded(address, "the address"),
            certificate=_pem(certificate), own_certificate=_pem(own_certificate), own_key=_pem_of_key(key),
            connect_seconds=connect_timeout, answer_seconds=timeout, most_results=most_results)
        self._handle = controlled(call_handle, "service_connect", "service_free", byref(place))
        self._clients: Dict[int, Tuple[Program, Client]] = {}
        self._lock = threading.Lock()

    def request(self, program: Union[Program, Client], /, *values: Any, **named: Any) -> Any:
        """Encrypts values, has the service evaluate the program, and decrypts: the result, or a named
        tuple of several.

        Of a program, the first request makes new keys, which last as long as this object; a `Client`
        has its own. The service gets its evaluation keys when it does not hold them.
        """
        return self.request_all(program, *values, **named).value

    def request_all(self, program: Union[Program, Client], /, *values: Any, **named: Any) -> Results:
        """The same, with the costs of the client's side."""
        client = program if isinstance(program, Client) else self._client_of(program)
        inputs = Inputs(client._binding.bind(values, named))
        kept, address, size = (None, None, 0) if client._keys is None else _memory(
            client._keys, EvaluationKeys, "the keys")
        try:
            return Results(controlled(
                call_handle, "service_request", "values_free", self._handle.pointer,
                client._handle.pointer, address, size, inputs.structs, inputs.count))
        finally:
            inputs.release()
            del kept

    def _client_of(self, program: Program) -> Client:
        if not isinstance(program, Program):
            raise UsageError(f"a request is of a Program or a Client, not of {type(program).__name__}")
        with self._lock:
            # The program is kept, too, so that no other one gets its number.
            known = self._clients.get(id(program))
            if known is None:
                known = self._clients[id(program)] = (program, Client(program))
            return known[1]

    def __repr__(self) -> str:
        return f"<tacet.Service {self.address}>"


def _pem(given: PathOrText) -> bytes:
    text = given if isinstance(given, bytes) else pathlib.Path(given).read_bytes()
    if b"\0" in text:
        raise UsageError("a certificate or key in the form of PEM has no null bytes")
    return text


def _pem_of_key(given: PathOrText) -> bytes:
    """The same of a private key, which other users must not be able to read."""
    if not isinstance(given, bytes) and stat.S_IMODE(os.stat(given).st_mode) & 0o077:
        raise UsageError(f"{os.fspath(given)}: other users can access this private key; "
                         f"run `chmod 600 {os.fspath(given)}`")
    return _pem(given)

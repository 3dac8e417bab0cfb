"""Client and server of a program for `he`, and what they send each other."""

from __future__ import annotations

import ctypes
import os
from typing import Any, List, Optional, Tuple, Type, TypeVar, Union

from ._buffers import address_of_bytes
from ._control import ProgressFunction, controlled
from ._inputs import Inputs
from ._library import Handle, address_and_size, call_handle, copied
from ._outputs import Results
from .program import Program
from .signature import Binding

__all__ = ["Ciphertexts", "Client", "EncryptedResults", "EvaluationKeys", "SecretKey", "Server"]

M = TypeVar("M", bound="Message")


class Message:
    """Bytes that client and server exchange: `bytes(message)`, `message.view()`, `message.save(path)`.

    `Ciphertexts(data)` and the like take bytes from elsewhere; they are checked where they are used.
    """

    def __init__(self, data: Any) -> None:
        self._handle: Optional[Handle] = None
        self._bytes = bytes(memoryview(data))

    @classmethod
    def _owned(cls: Type[M], handle: Handle) -> M:
        self = cls.__new__(cls)
        self._handle = handle
        return self

    def __bytes__(self) -> bytes:
        return copied(self._handle) if self._handle else self._bytes

    def __len__(self) -> int:
        return address_and_size(self._handle)[1] if self._handle else len(self._bytes)

    def view(self) -> memoryview:
        """The bytes without a copy, read-only."""
        if self._handle is None:
            return memoryview(self._bytes)
        address, size = address_and_size(self._handle)
        owner = (ctypes.c_ubyte * size).from_address(address)
        owner.kept = self._handle  # type: ignore[attr-defined]
        return memoryview(owner).toreadonly().cast("B")

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the bytes into a file."""
        with open(path, "wb") as file:
            file.write(self.view())

    @classmethod
    def load(cls: Type[M], path: Union[str, os.PathLike[str]]) -> M:
        """Reads them from a file."""
        with open(path, "rb") as file:
            return cls(file.read())

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.view() == other.view()  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash(bytes(self))

    def __reduce__(self) -> Tuple[Any, ...]:
        return type(self), (bytes(self),)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self)} bytes>"


class EvaluationKeys(Message):
    """What a server needs to compute on the ciphertexts of one client. Public, and large."""


class Ciphertexts(Message):
    """The encrypted inputs of a client."""


class EncryptedResults(Message):
    """The encrypted results of a server."""


class SecretKey(Message):
    """The key that encrypts and decrypts, to be kept by the client."""

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the key into a file that only its user may read."""
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            os.fchmod(file.fileno(), 0o600)
            file.write(self.view())

    def __reduce__(self) -> Tuple[Any, ...]:
        raise TypeError("a secret key is not pickled; write it with bytes() or save()")


def _memory(data: Any, kind: Type[Message], what: str) -> Tuple[Any, int, int]:
    """What keeps the memory, its address, and its size. TypeError for another kind of message."""
    if isinstance(data, Message):
        if not isinstance(data, kind):
            raise TypeError(f"{what} must be {kind.__name__} or bytes, not {type(data).__name__}")
        data = data.view()
    kept, address, size = address_of_bytes(data, what)
    return (kept, data), address, size


def _for_he(program: Program) -> Program:
    return program if program.device == "he" else program.on("he")


class Client:
    """The client of a program, with a new secret key, or with one that was kept.

    A program for another device is compiled for `he` first. `keys` are the evaluation keys that were
    made with the secret key, for services that do not hold them (`tacet.Service`).
    """

    def __init__(self, program: Program, secret: Any = None,
                 progress: Optional[ProgressFunction] = None,
                 keys: Union[EvaluationKeys, bytes, None] = None) -> None:
        self._keys = keys if keys is None or isinstance(keys, EvaluationKeys) else EvaluationKeys(keys)
        self.program = program = _for_he(program)
        self._binding = Binding(program.name, _fields_of(program, "client"))
        if secret is None:
            self._handle = controlled(call_handle, "client_new", "client_free",
                                      program._handle.pointer, progress=progress)
        else:
            kept, address, size = _memory(secret, SecretKey, "the secret key")
            self._handle = call_handle("client_open", "client_free", program._handle.pointer,
                                       address, size)
            del kept

    @property
    def keys(self) -> EvaluationKeys:
        """The evaluation keys, for the server. A client that was opened with a secret key has those
        that it was given with it, if any: they are where they were sent."""
        if self._keys is not None:
            return self._keys
        return EvaluationKeys._owned(call_handle("client_keys", "bytes_free", self._handle.pointer))

    @property
    def secret(self) -> SecretKey:
        """The secret key, to be kept."""
        return SecretKey._owned(call_handle("client_secret", "bytes_free", self._handle.pointer))

    def encrypt(self, *values: Any, **named: Any) -> Ciphertexts:
        """Encrypts the client's values, by position or by name."""
        inputs = Inputs(self._binding.bind(values, named))
        try:
            return Ciphertexts._owned(controlled(call_handle, "client_encrypt", "bytes_free",
                                                 self._handle.pointer, inputs.structs, inputs.count))
        finally:
            inputs.release()

    def decrypt(self, results: Union[EncryptedResults, bytes]) -> Any:
        """Decrypts the server's results: the result, or a named tuple of several."""
        return self.decrypt_all(results).value

    def decrypt_all(self, results: Union[EncryptedResults, bytes]) -> Results:
        """The same, with the costs of the decryption."""
        kept, address, size = _memory(results, EncryptedResults, "the results")
        found = Results(controlled(call_handle, "client_decrypt", "values_free", self._handle.pointer,
                                   address, size))
        del kept
        return found


class Server:
    """The server of a program for one client: its keys, and the server's own values."""

    def __init__(self, program: Program, keys: Union[EvaluationKeys, bytes], *values: Any,
                 progress: Optional[ProgressFunction] = None, **named: Any) -> None:
        self.program = program = _for_he(program)
        bound = Binding(program.name, _fields_of(program, "server")).bind(values, named)
        kept, address, size = _memory(keys, EvaluationKeys, "the keys")
        inputs = Inputs(bound)
        try:
            self._handle = controlled(call_handle, "server_new", "server_free",
                                      program._handle.pointer, address, size, inputs.structs,
                                      inputs.count, progress=progress)
        finally:
            inputs.release()
        del kept

    def evaluate(self, ciphertexts: Union[Ciphertexts, bytes],
                 progress: Optional[ProgressFunction] = None) -> EncryptedResults:
        """Computes the encrypted results of a client's inputs."""
        kept, address, size = _memory(ciphertexts, Ciphertexts, "the ciphertexts")
        found = EncryptedResults._owned(controlled(
            call_handle, "server_evaluate", "bytes_free", self._handle.pointer, address, size,
            progress=progress))
        del kept
        return found


def _fields_of(program: Program, owner: str) -> List[Any]:
    return [field for field in program.parameters if field.owner == owner]

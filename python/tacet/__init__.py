"""Tacet: programs on encrypted data, compiled and run from Python.

    import tacet

    program = tacet.compile('''#version 0.1.0
    fn(he) dot(x: secret [i64; 4] in 0..256 from client, w: [i64; 4] in 0..256 from server) -> secret i64 {
        sum(x * w)
    }
    ''')
    program([1, 2, 3, 4], [5, 6, 7, 8])                  # encrypted: 70
    program([1, 2, 3, 4], [5, 6, 7, 8], device="ref")    # in plaintext: 70

Arrays of NumPy go in without a copy. Nothing is printed. Calls release the interpreter lock, and
Ctrl-C stops them. After
`os.fork` the child must not use objects of the parent: `multiprocessing` needs the method `spawn`.
"""

from . import _library
from ._control import Cancellation
from ._inputs import File, Random
from ._outputs import Results
from .command import Output, command
from .errors import (ArgumentError, Cancelled, Diagnostic, Diagnostics, Error, InternalError,
                     ProgramError, RunError, UsageError)
from .exchange import (Ciphertexts, Client, EncryptedResults, EvaluationKeys, SecretKey, Server)
from .parties import PartyKey, party_key, write_parties
from .picture import Picture
from .program import Program, compile, load
from .service import Service
from .signature import Field
from .sized import SizedFunction, function
from .sources import (Completion, Function, Source, check, emit, explain_code, fix, format,
                      functions, lint)

__version__: str = _library.text_of(_library.library.tacet_version())

__all__ = [
    "ArgumentError", "Cancellation", "Cancelled", "Ciphertexts", "Client", "Completion", "Diagnostic", "Diagnostics",
    "EncryptedResults", "Error", "EvaluationKeys", "Field", "File", "Function", "InternalError",
    "Output", "PartyKey", "Picture", "Program", "ProgramError", "Random", "Results", "RunError",
    "SecretKey", "Server", "Service", "SizedFunction", "Source", "UsageError", "check", "command", "compile", "emit",
    "explain_code", "fix", "format", "function", "functions", "lint", "load", "party_key", "write_parties",
]


def load_ipython_extension(shell: object) -> None:
    """`%load_ext tacet`: the cell magic `%%tacet`."""
    from . import magic

    magic.load_ipython_extension(shell)

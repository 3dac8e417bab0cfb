"""Parties in different processes: keys, certificates, and the manifest that all of them share."""

from __future__ import annotations

import json
import os
import pathlib
from typing import Any, Mapping, NamedTuple, Tuple, Union

from .command import command
from .errors import RunError, UsageError

__all__ = ["PartyKey", "party_key", "write_parties"]


class PartyKey(NamedTuple):
    """The files of a party's key, which it keeps, and of its certificate, for the others."""

    key: pathlib.Path
    certificate: pathlib.Path


def party_key(name: str, folder: Union[str, "os.PathLike[str]"] = ".", days: int = 3650) -> PartyKey:
    """Makes a key and a certificate of a party: NAME.key, readable only by its user, and NAME.crt.

    RunError if they exist already.
    """
    folder = pathlib.Path(folder)
    done = command("party", "keygen", name, "--folder", folder, "--days", str(days))
    if done.exit_code:
        kind = UsageError if done.exit_code == 2 else RunError
        raise kind(done.err.strip().partition("error: ")[2] or done.err.strip())
    return PartyKey(folder / f"{name}.key", folder / f"{name}.crt")


def write_parties(folder: Union[str, "os.PathLike[str]"],
                  parties: Mapping[str, Tuple[str, Any]]) -> pathlib.Path:
    """Writes `tacet.toml`, which must be the same for all parties, beside the program's file.

    `parties` has an address and the file of the certificate for each name, in the same order
    everywhere: `{"alice": ("10.0.0.1:5001", "alice.crt"), …}`. Never replaces a file.
    """
    blocks = []
    for name, (address, certificate) in parties.items():
        members = {"name": name, "address": address, "certificate": os.fspath(certificate)}
        lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in members.items()]
        blocks.append("[[mpc.party]]\n" + "\n".join(lines) + "\n")
    path = pathlib.Path(folder) / "tacet.toml"
    with open(path, "x", encoding="utf-8") as file:
        file.write("\n".join(blocks))
    return path

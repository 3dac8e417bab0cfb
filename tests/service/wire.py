"""A client of `tacet serve` that sends bytes of a test's choice, and a service as a process."""

import hashlib
import json
import os
import pathlib
import signal
import socket
import ssl
import struct
import subprocess
import time
import urllib.error
import urllib.request

HELLO, KEYS, REQUEST, WELCOME, STORED, RESULTS, REFUSAL = 1, 2, 3, 16, 17, 18, 19
REASONS = {1: "malformed", 2: "version", 3: "too_large", 4: "unknown_program", 5: "unknown_keys",
           6: "replayed_request", 7: "busy", 8: "rate", 9: "timed_out", 10: "draining", 11: "failed",
           12: "not_admitted", 13: "internal"}


def message(kind: int, payload: bytes, number: int = 1, size: int | None = None) -> bytes:
    return struct.pack("<QB7xQ", len(payload) if size is None else size, kind, number) + payload


def hello(version: int = 1) -> bytes:
    return message(HELLO, b"tacet service" + struct.pack("<I", version), 0)


class Closed(Exception):
    """The service has closed the connection."""


class Wire:
    """A connection that is authenticated, and greeted unless `greeting` is false."""

    def __init__(self, port: int, folder: pathlib.Path, name: str, greeting: bool = True):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.load_verify_locations(folder / "server.crt")
        context.load_cert_chain(folder / f"{name}.crt", folder / f"{name}.key")
        raw = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.socket = context.wrap_socket(raw)
        self.number = 0
        if greeting:
            self.send(hello())
            assert self.receive()[0] == WELCOME

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def read(self, n: int) -> bytes:
        data = bytearray()
        while len(data) < n:
            try:
                part = self.socket.recv(n - len(data))
            except (ssl.SSLError, ConnectionError) as error:
                raise Closed from error
            if not part:
                raise Closed
            data += part
        return bytes(data)

    def receive(self) -> tuple[int, int, bytes]:
        """The kind, the number and the payload of the next message."""
        size, kind, number = struct.unpack("<QB7xQ", self.read(24))
        return kind, number, self.read(size)

    def answer(self) -> str:
        """`stored`, `results`, or why not."""
        kind, _, payload = self.receive()
        if kind == REFUSAL:
            return REASONS[struct.unpack("<H", payload[:2])[0]]
        return {STORED: "stored", RESULTS: "results"}[kind]

    def ask(self, kind: int, payload: bytes) -> str:
        self.number += 1
        self.send(message(kind, payload, self.number))
        return self.answer()

    def store(self, keys: bytes) -> str:
        return self.ask(KEYS, hashlib.sha256(keys).digest() + keys)

    def request(self, inputs: bytes, nonce: bytes | None = None) -> str:
        return self.ask(REQUEST, (nonce or os.urandom(16)) + inputs)

    def close(self) -> None:
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Service:
    """`tacet serve` with its log, until the end of a block."""

    def __init__(self, tacet: str, folder: pathlib.Path, *arguments: str):
        self.log = open(folder / "log", "w+")
        self.process = subprocess.Popen(
            [tacet, "serve", *arguments, "--listen", "127.0.0.1:0", "--status", "127.0.0.1:0", "--key", "server.key",
             "--clients", "clients", "--log", "debug"], cwd=folder, stderr=self.log)
        self.folder = folder
        event = self.wait_for("listening")
        self.port = int(event["address"].rsplit(":", 1)[1])
        self.status_port = int(event["status"].rsplit(":", 1)[1])

    def events(self) -> list[dict]:
        lines = (self.folder / "log").read_text().split("\n")
        return [json.loads(line) for line in lines[:-1]]  # each line is JSON

    def wait_for(self, name: str, **fields) -> dict:
        for _ in range(1200):
            for event in self.events():
                if event["event"] == name and all(event.get(key) == value for key, value in fields.items()):
                    return event
            assert self.process.poll() is None or name == "ended", (self.folder / "log").read_text()
            time.sleep(0.05)
        raise AssertionError(f"no event {name} {fields} in {(self.folder / 'log').read_text()}")

    def wire(self, name: str, greeting: bool = True) -> Wire:
        return Wire(self.port, self.folder, name, greeting)

    def get(self, path: str) -> tuple[int, str]:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.status_port}{path}", timeout=30) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def metric(self, name: str) -> float:
        for line in self.get("/metrics")[1].split("\n"):
            if line.startswith(name + " "):
                return float(line.rsplit(" ", 1)[1])
        raise AssertionError(f"no metric {name}")

    def memory_mib(self) -> float:
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) / 1024

    def end(self) -> int:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        code = self.end()
        self.log.close()
        assert kind is not None or code == 0, f"exit code {code}"

"""A service that sends bytes of a test's choice to one client."""

import pathlib
import socket
import ssl
import struct
import threading

from wire import REFUSAL, WELCOME, message


class HostileService:
    """Answers a greeting with `welcome`, and any other message with what `answer` makes of it, then closes.

    `answer` gets the number, the kind and the payload of the message, and the sending of all before it.
    """

    def __init__(self, folder: pathlib.Path, welcome: bytes, answer):
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(folder / "server.crt", folder / "server.key")
        self.context.load_verify_locations(folder / "alice.crt")
        self.context.verify_mode = ssl.CERT_REQUIRED
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.welcome = welcome
        self.answer = answer
        self.thread = threading.Thread(target=self.serve)

    def serve(self) -> None:
        try:
            raw, _ = self.listener.accept()
            with self.context.wrap_socket(raw, server_side=True) as client:
                client.settimeout(60)
                self.receive(client)
                if not self.welcome:
                    return
                client.sendall(self.welcome)
                while True:
                    number, kind, payload = self.receive(client)
                    answers = self.answer(number, kind, payload)
                    if answers is None:
                        return
                    client.sendall(answers)
        except (OSError, EOFError):
            pass  # the client has closed

    @staticmethod
    def read(client, n: int) -> bytes:
        data = bytearray()
        while len(data) < n:
            part = client.recv(n - len(data))
            if not part:
                raise EOFError
            data += part
        return bytes(data)

    def receive(self, client) -> tuple[int, int, bytes]:
        size, kind, number = struct.unpack("<QB7xQ", self.read(client, 24))
        return number, kind, self.read(client, size)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.listener.close()
        self.thread.join()


def welcome(programs: list[bytes], n_programs: int | None = None, number: int = 1) -> bytes:
    n = len(programs) if n_programs is None else n_programs
    return message(WELCOME, struct.pack("<QQI", 2**40, 2**40, n) + b"".join(programs), number)


def refusal(number: int, reason: int, text: bytes, milliseconds: int = 0) -> bytes:
    return message(REFUSAL, struct.pack("<HI", reason, milliseconds) + text, number)

"""Requests to a real `tacet serve` on loopback. TACET_COMMAND names the command."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading
import time
import unittest

import tacet
from programs import DOT

COMMAND = os.environ.get("TACET_COMMAND", "")
X, W = [1, 2, 3, 4], [5, 6, 7, 8]
OTHER = """#version 0.1.0
fn(he) total(x: secret [i64; 4] in 0..256 from client) -> secret i64 {
    sum(for i: 4 { x[i] })
}
"""


@unittest.skipUnless(COMMAND, "TACET_COMMAND does not name the command `tacet`")
class ServiceTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="tacet-python-service-"))
        (cls.folder / "dot.tacet").write_text(DOT)
        cls.run_command("build", "dot.tacet", "-o", "dot.he")
        for name in ("server", "alice", "mallory"):
            cls.run_command("party", "keygen", name)
        (cls.folder / "clients").mkdir()
        shutil.copy(cls.folder / "alice.crt", cls.folder / "clients")
        cls.start("127.0.0.1:0")

    @classmethod
    def start(cls, address: str) -> None:
        cls.log = open(cls.folder / "log", "w+")
        cls.process = subprocess.Popen(
            [COMMAND, "serve", "dot.he", str(W), "--listen", address, "--status", "off", "--key", "server.key",
             "--clients", "clients"], cwd=cls.folder, stderr=cls.log)
        for _ in range(1200):
            for line in (cls.folder / "log").read_text().splitlines():
                event = json.loads(line)
                if event["event"] == "listening":
                    cls.address = event["address"]
                    return
            time.sleep(0.05)
        raise AssertionError((cls.folder / "log").read_text())

    @classmethod
    def stop(cls) -> None:
        cls.process.terminate()
        cls.process.wait(60)
        cls.log.close()

    @classmethod
    def tearDownClass(cls) -> None:
        cls.stop()
        shutil.rmtree(cls.folder)

    @classmethod
    def run_command(cls, *words: str) -> None:
        subprocess.run([COMMAND, *words], cwd=cls.folder, check=True, capture_output=True, timeout=300)

    def service(self, name: str = "alice", **options: int) -> tacet.Service:
        return tacet.Service(self.address, certificate=self.folder / "server.crt",
                             key=self.folder / f"{name}.key", **options)

    def program(self) -> tacet.Program:
        return tacet.load(self.folder / "dot.he")

    def test_requests(self) -> None:
        service, program = self.service(), self.program()
        self.assertEqual(service.request(program, x=X), 70)
        self.assertEqual(service.request(program, [0, 0, 0, 1]), 8)
        results = service.request_all(program, x=[255, 255, 255, 255])
        self.assertEqual(results.value, 255 * sum(W))
        self.assertEqual(results.costs["output_ciphertexts"], 1)
        self.assertGreater(results.costs["seconds"]["encrypt"], 0)

    def test_bytes_instead_of_files(self) -> None:
        read = {name: (self.folder / name).read_bytes() for name in ("server.crt", "alice.crt", "alice.key")}
        service = tacet.Service(self.address, certificate=read["server.crt"], key=read["alice.key"],
                                own_certificate=read["alice.crt"])
        self.assertEqual(service.request(self.program(), x=X), 70)
        with self.assertRaisesRegex(tacet.UsageError, "own_certificate"):
            tacet.Service(self.address, certificate=read["server.crt"], key=read["alice.key"])

    def test_kept_keys(self) -> None:
        program = self.program()
        made = tacet.Client(program)
        keys, secret = bytes(made.keys), bytes(made.secret)
        with self.assertRaisesRegex(tacet.RunError, "does not hold the keys of this client"):
            self.service().request(tacet.Client(program, secret), x=X)
        opened = tacet.Client(program, secret, keys=keys)
        self.assertEqual(bytes(opened.keys), keys)
        self.assertEqual(self.service().request(opened, x=X), 70)
        self.assertEqual(self.service().request(tacet.Client(program, secret), x=X), 70)  # it holds them now
        with self.assertRaisesRegex(tacet.RunError, "digest|damaged|another"):
            damaged = bytearray(bytes(tacet.Client(program).keys))
            damaged[-1] ^= 1
            self.service().request(tacet.Client(program, bytes(tacet.Client(program).secret), keys=bytes(damaged)), x=X)

    def test_threads(self) -> None:
        service, program = self.service(), self.program()
        found = {}

        def ask(i: int) -> None:
            found[i] = [service.request(program, x=[i, k, 0, 1]) for k in range(4)]

        threads = [threading.Thread(target=ask, args=(i,)) for i in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, {i: [5 * i + 6 * k + 8 for k in range(4)] for i in range(6)})

    def test_wrong_values(self) -> None:
        service, program = self.service(), self.program()
        with self.assertRaises(tacet.UsageError):
            service.request(program, x=[1, 2, 3, 256])
        with self.assertRaises(tacet.ArgumentError):
            service.request(program, y=X)
        with self.assertRaisesRegex(tacet.UsageError, "not of int"):
            service.request(7, x=X)  # type: ignore[arg-type]

    def test_other_programs(self) -> None:
        with self.assertRaisesRegex(tacet.RunError, "does not evaluate `total`"):
            self.service().request(tacet.compile(OTHER), x=X)

    def test_strangers(self) -> None:
        with self.assertRaisesRegex(tacet.RunError, "does not admit this client's certificate"):
            self.service("mallory").request(self.program(), x=X)
        with self.assertRaisesRegex(tacet.RunError, "presented another certificate than the given one"):
            tacet.Service(self.address, certificate=self.folder / "mallory.crt", key=self.folder / "alice.key")
        with self.assertRaisesRegex(tacet.UsageError, "not an address"):
            tacet.Service("nowhere", certificate=self.folder / "server.crt", key=self.folder / "alice.key")
        with self.assertRaisesRegex(tacet.UsageError, "certificate of the service"):
            tacet.Service(self.address, certificate=b"none", key=self.folder / "alice.key")
        with self.assertRaisesRegex(tacet.RunError, "cannot connect"):
            tacet.Service("127.0.0.1:1", certificate=self.folder / "server.crt", key=self.folder / "alice.key")
        shutil.copy(self.folder / "alice.key", self.folder / "open.key")
        os.chmod(self.folder / "open.key", 0o644)
        with self.assertRaisesRegex(tacet.UsageError, "chmod 600"):
            tacet.Service(self.address, certificate=self.folder / "server.crt", key=self.folder / "open.key",
                          own_certificate=self.folder / "alice.crt")

    def test_a_service_that_was_restarted(self) -> None:
        service, program = self.service(), self.program()
        self.assertEqual(service.request(program, x=X), 70)
        self.stop()
        self.start(self.address)  # without the keys, and the connection is gone
        self.assertEqual(service.request(program, x=X), 70)

    def test_cancellation(self) -> None:
        # Something that accepts and never answers.
        import socket
        with socket.create_server(("127.0.0.1", 0)) as silent:
            address = "127.0.0.1:%d" % silent.getsockname()[1]
            with tacet.Cancellation() as cancellation:
                threading.Timer(0.3, cancellation.cancel).start()
                began = time.monotonic()
                with self.assertRaises(tacet.Cancelled):
                    tacet.Service(address, certificate=self.folder / "server.crt", key=self.folder / "alice.key")
                self.assertLess(time.monotonic() - began, 5)
            with self.assertRaisesRegex(tacet.RunError, "in time"):
                tacet.Service(address, certificate=self.folder / "server.crt", key=self.folder / "alice.key",
                              connect_timeout=1)


if __name__ == "__main__":
    unittest.main()

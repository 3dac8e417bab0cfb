"""`tacet serve` as a process on loopback: its limits, its end, and clients that send what they like.

usage: service_test.py TACET [unittest options]
"""

import concurrent.futures
import hashlib
import os
import pathlib
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest

from hostile_service import HostileService, refusal, welcome
from wire import HELLO, KEYS, REFUSAL, REQUEST, RESULTS, Closed, Service, hello, message

TACET = ""
PROGRAM = """#version 0.1.0

fn(he) score(answers: secret [i64; 8] in 0..10 from client, weights: [i64; 8] in -5..6 from server) -> secret i64 {
    sum(for i: 8 { answers[i] * weights[i] })
}
fn(he) total(answers: secret [i64; 8] in 0..10 from client) -> secret i64 { sum(for i: 8 { answers[i] }) }
fn(he) square(x: secret i64 in 0..4 from client, y: secret i64 in 0..4 from client) -> secret i64 { x * y * x * y }
"""
ANSWERS = "[1, 2, 3, 4, 5, 6, 7, 8]"
WEIGHTS = "[1, 0, -1, 2, 0, 0, 1, -2]"
SCORE = -3
CLIENTS = ["alice", "bob", "carol"]


class ServiceTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="tacet-service-"))
        (cls.folder / "program.tacet").write_text(PROGRAM)
        for name in [*CLIENTS, "server", "mallory"]:
            cls.tacet("party", "keygen", name)
        (cls.folder / "clients").mkdir()
        for name in CLIENTS:
            shutil.copy(cls.folder / f"{name}.crt", cls.folder / "clients")
        for function in ["score", "total", "square"]:
            cls.tacet("build", "program.tacet", "--fn", function, "-o", f"{function}.he")
        for name in CLIENTS:  # the files that a client would send
            cls.tacet("run", "score.he", "--role", "client", ANSWERS, "--exchange", f"{name}.score", "--secret",
                      f"{name}.secret")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    @classmethod
    def tacet(cls, *arguments: str) -> str:
        ran = subprocess.run([TACET, *arguments], cwd=cls.folder, capture_output=True, text=True, timeout=300)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    def service(self, *options: str) -> Service:
        return Service(TACET, self.folder, "score.he", WEIGHTS, *options)

    def file(self, name: str, which: str) -> bytes:
        return (self.folder / f"{name}.score" / which).read_bytes()

    def request(self, service: Service, name: str, *arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run([TACET, "request", "score.he", ANSWERS, "--connect", f"localhost:{service.port}", "--server",
                               "server.crt", "--key", f"{name}.key", "--keys", f"{name}.keys", *arguments],
                              cwd=self.folder, capture_output=True, text=True, timeout=300)

    def test_results_of_raw_messages_decrypt(self):
        with self.service() as service, service.wire("alice") as wire:
            self.assertEqual(wire.request(self.file("alice", "inputs")), "unknown_keys")
            self.assertEqual(wire.store(self.file("alice", "keys")), "stored")
            nonce = os.urandom(16)
            wire.send(message(REQUEST, nonce + self.file("alice", "inputs"), 77))
            kind, number, payload = wire.receive()
            self.assertEqual((kind, number, payload[:16]), (RESULTS, 77, nonce))
            (self.folder / "alice.score" / "results").write_bytes(payload[16:])
            out = self.tacet("run", "score.he", "--role", "client", "--exchange", "alice.score", "--secret", "alice.secret")
            self.assertEqual(out, f"out = {SCORE}\n")

    def test_many_clients_at_once(self):
        def client(i: int) -> list[str]:
            name = CLIENTS[i % len(CLIENTS)]
            with service.wire(name) as wire:
                stored = wire.store(self.file(name, "keys"))
                return [stored] + [wire.request(self.file(name, "inputs")) for _ in range(5)]

        with self.service("--client-connections", "40", "--queue", "4") as service:
            with concurrent.futures.ThreadPoolExecutor(60) as pool:
                for answers in pool.map(client, range(60)):
                    self.assertEqual(answers, ["stored"] + 5 * ["results"])
            answered = [event for event in service.events() if event["event"] == "request"]
            self.assertEqual(len(answered), 300)

    def test_keys_serve_their_client_alone(self):
        with self.service() as service, service.wire("alice") as alice, service.wire("bob") as bob:
            self.assertEqual(alice.store(self.file("alice", "keys")), "stored")
            self.assertEqual(bob.request(self.file("alice", "inputs")), "unknown_keys")
            self.assertEqual(bob.store(self.file("alice", "keys")), "stored")
            self.assertEqual(service.metric("tacet_keys"), 2)

    def test_request_keeps_its_keys(self):
        with self.service() as service:
            for _ in range(2):
                ran = self.request(service, "bob")
                self.assertEqual(ran.stdout, f"out = {SCORE}\n", ran.stderr)
            self.assertEqual(service.metric("tacet_keys_stored_total"), 1)
        with self.service() as service:  # which holds none
            self.assertEqual(self.request(service, "bob").stdout, f"out = {SCORE}\n")

    def test_foreign_certificates(self):
        with self.service() as service:
            ran = self.request(service, "mallory")
            self.assertEqual(ran.returncode, 1)
            self.assertIn("does not admit this client's certificate", ran.stderr)
            service.wait_for("connection_failed", reason="presented a certificate that is not in the configuration")
            self.assertEqual(service.metric("tacet_handshakes_failed_total"), 1)
            ran = subprocess.run([TACET, "request", "score.he", ANSWERS, "--connect", f"localhost:{service.port}",
                                  "--server", "mallory.crt", "--key", "alice.key"], cwd=self.folder, capture_output=True,
                                 text=True, timeout=300)
            self.assertIn("presented another certificate than the given one", ran.stderr)

    def test_other_programs(self):
        with self.service("--program", "total.he") as service:
            ran = subprocess.run([TACET, "request", "total.he", ANSWERS, "--connect", f"localhost:{service.port}",
                                  "--server", "server.crt", "--key", "alice.key"], cwd=self.folder, capture_output=True,
                                 text=True, timeout=300)
            self.assertEqual(ran.stdout, "out = 36\n", ran.stderr)
            ran = subprocess.run([TACET, "request", "square.he", "3", "2", "--connect", f"localhost:{service.port}",
                                  "--server", "server.crt", "--key", "alice.key"], cwd=self.folder, capture_output=True,
                                 text=True, timeout=300)
            self.assertIn("does not evaluate `square.he`", ran.stderr)
            inputs = bytearray(self.file("alice", "inputs"))
            inputs[17] ^= 1  # the digest of the program
            with service.wire("alice") as wire:
                self.assertEqual(wire.request(bytes(inputs)), "unknown_program")
                self.assertEqual(wire.store(self.file("alice", "keys")), "stored")

    def test_replayed_request(self):
        with self.service() as service, service.wire("alice") as wire:
            wire.store(self.file("alice", "keys"))
            nonce = os.urandom(16)
            self.assertEqual(wire.request(self.file("alice", "inputs"), nonce), "results")
            with service.wire("alice") as other:
                self.assertEqual(other.request(self.file("alice", "inputs"), nonce), "replayed_request")
            self.assertEqual(wire.request(self.file("alice", "inputs")), "results")

    def test_each_flipped_byte_is_refused(self):
        inputs, keys = self.file("alice", "inputs"), self.file("alice", "keys")
        draws = random.Random(1)

        def places(data: bytes, n_random: int) -> list[int]:
            if os.environ.get("TACET_ALL_BYTES"):
                return list(range(len(data)))
            edges = list(range(min(1024, len(data)))) + list(range(len(data) - 64, len(data)))
            return edges + [draws.randrange(len(data)) for _ in range(n_random)]

        with self.service("--client-requests", "32") as service, service.wire("alice") as wire, service.wire("bob") as bob:
            self.assertEqual(wire.store(keys), "stored")
            self.assertEqual(bob.store(self.file("bob", "keys")), "stored")
            seen = set()
            for place in places(inputs, 400):
                flipped = bytearray(inputs)
                flipped[place] ^= 1 << draws.randrange(8)
                answer = wire.request(bytes(flipped))
                seen.add(answer)
                self.assertIn(answer, ["malformed", "unknown_program", "unknown_keys", "failed"], f"byte {place}")
            self.assertEqual(seen, {"malformed", "unknown_program", "unknown_keys", "failed"})
            for place in places(keys, 50)[::4]:
                flipped = bytearray(keys)
                flipped[place] ^= 1 << draws.randrange(8)
                # Their digest is that of the damaged bytes, so that all else is checked, too.
                self.assertIn(wire.store(bytes(flipped)), ["malformed", "unknown_program"], f"byte {place}")
                damaged = hashlib.sha256(keys + b"!").digest() + bytes(flipped)
                self.assertIn(wire.ask(KEYS, damaged), ["malformed", "unknown_program"])
            for client, name in [(wire, "alice"), (bob, "bob")]:
                self.assertEqual(client.request(self.file(name, "inputs")), "results")
            self.assertEqual(service.metric("tacet_keys"), 2)

    def test_hostile_headers(self):
        inputs = self.file("alice", "inputs")
        with self.service("--transfer-timeout", "0.5", "--slowest", "1000000") as service:
            with service.wire("alice") as wire:
                wire.store(self.file("alice", "keys"))
            for place in range(24):
                with service.wire("alice") as wire:
                    flipped = bytearray(message(REQUEST, os.urandom(16) + inputs))
                    flipped[place] ^= 0x41
                    wire.send(bytes(flipped))
                    answer = wire.answer()
                    expected = ["malformed", "too_large", "timed_out", "failed"]
                    self.assertIn(answer, expected if place < 16 else ["results"], f"byte {place}")
            sizes = [0, 1, 128, 129, 2**26 + 1, 2**32, 2**63, 2**64 - 1]
            for size in sizes:
                with service.wire("alice") as wire:
                    wire.send(message(REQUEST, bytes(64), size=size))
                    self.assertIn(wire.answer(), ["malformed", "too_large", "timed_out"])
            for first in [message(KEYS, b""), message(HELLO, b"x" * 17), message(99, b""), message(RESULTS, b""),
                          message(HELLO, b"", size=2**40), b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"]:
                with service.wire("alice", greeting=False) as wire:
                    wire.send(first)
                    self.assertEqual(wire.answer(), "malformed")
            with service.wire("alice", greeting=False) as wire:
                wire.send(hello(version=2))
                self.assertEqual(wire.answer(), "version")
            with service.wire("alice") as wire:
                wire.send(hello())
                self.assertEqual(wire.answer(), "malformed")
            self.assertLess(service.memory_mib(), 300)
            self.assertEqual(self.request(service, "bob").stdout, f"out = {SCORE}\n")

    def test_bytes_that_are_not_tls(self):
        with self.service("--handshake-timeout", "0.5") as service:
            for data in [b"", b"GET / HTTP/1.1\r\n\r\n", os.urandom(4096), b"\x16\x03\x01\xff\xff" + bytes(100)]:
                with socket.create_connection(("127.0.0.1", service.port), timeout=30) as raw:
                    raw.sendall(data)
                    try:
                        while raw.recv(4096):
                            pass
                    except ConnectionResetError:
                        pass  # the service has closed, too
            service.wait_for("connection_failed", reason="did not authenticate in time")
            self.assertEqual(service.metric("tacet_handshakes_failed_total"), 4)
            self.assertEqual(service.metric("tacet_connections"), 0)

    def test_slow_clients(self):
        inputs = self.file("alice", "inputs")
        with self.service("--transfer-timeout", "0.5", "--slowest", "1000000", "--idle-timeout", "1",
                          "--handshake-timeout", "1") as service:
            with service.wire("alice") as wire:
                wire.store(self.file("alice", "keys"))
                half = message(REQUEST, os.urandom(16) + inputs)[: len(inputs) // 2]
                wire.send(half)
                self.assertEqual(service.metric("tacet_requests"), 1)
                self.assertEqual(wire.answer(), "timed_out")
            with service.wire("alice") as wire:
                self.assertEqual(wire.answer(), "timed_out")  # idle
            with service.wire("alice", greeting=False) as wire:
                self.assertEqual(wire.answer(), "timed_out")
            for _ in range(100):
                if service.metric("tacet_requests") == 0:
                    break
                time.sleep(0.05)
            self.assertEqual(service.metric("tacet_message_bytes"), 0)

    def test_clients_that_vanish(self):
        inputs = self.file("alice", "inputs")
        whole = message(REQUEST, os.urandom(16) + inputs)
        with self.service("--client-connections", "200", "--client-requests", "200") as service:
            with service.wire("alice") as wire:
                wire.store(self.file("alice", "keys"))
            for i in range(40):
                wire = service.wire("alice")
                wire.send(whole[: len(whole) * i // 39])
                wire.close()
            for _ in range(200):
                if service.metric("tacet_connections") == 0 and service.metric("tacet_requests") == 0:
                    break
                time.sleep(0.05)
            self.assertEqual(service.metric("tacet_message_bytes"), 0)
            self.assertEqual(service.metric("tacet_waiting"), 0)
            with service.wire("alice") as wire:
                self.assertEqual(wire.request(inputs), "results")

    def test_limits_of_a_client(self):
        inputs = self.file("alice", "inputs")
        with self.service("--client-connections", "2", "--client-rate", "2", "--request-limit", "1") as service:
            with service.wire("alice") as first, service.wire("alice"):
                with service.wire("alice", greeting=False) as third:
                    self.assertEqual(third.answer(), "busy")
                first.store(self.file("alice", "keys"))
                answers = [first.request(inputs) for _ in range(4)]
                self.assertIn("rate", answers)
                with service.wire("bob") as bob:  # has limits of its own
                    bob.store(self.file("bob", "keys"))
                    self.assertEqual(bob.request(self.file("bob", "inputs")), "results")
                first.send(message(REQUEST, bytes(64), size=2**20 + 1))
                self.assertEqual(first.answer(), "too_large")
            ran = self.request(service, "carol")
            self.assertEqual(ran.stdout, f"out = {SCORE}\n", ran.stderr)

    def test_requests_wait_for_a_busy_service(self):
        inputs = self.file("alice", "inputs")
        with self.service("--queue", "1", "--queue-timeout", "0.5", "--transfer-timeout", "20") as service:
            with service.wire("alice") as wire, service.wire("bob") as slow:
                wire.store(self.file("alice", "keys"))
                slow.store(self.file("bob", "keys"))
                rest = message(REQUEST, os.urandom(16) + self.file("bob", "inputs"))
                slow.send(rest[:1000])  # holds the only place
                while service.metric("tacet_requests") == 0:
                    time.sleep(0.01)
                self.assertEqual(wire.request(inputs), "busy")
                wire.send(message(REQUEST, os.urandom(16) + inputs, 5))
                slow.send(rest[1000:])
                self.assertEqual(slow.answer(), "results")
                self.assertEqual(wire.answer(), "results")

    def test_eviction(self):
        with self.service("--client-keys", "1") as service, service.wire("alice") as wire:
            self.assertEqual(wire.store(self.file("alice", "keys")), "stored")
            self.assertEqual(wire.store(self.file("bob", "keys")), "stored")
            self.assertEqual(wire.request(self.file("alice", "inputs")), "unknown_keys")
            self.assertEqual(service.metric("tacet_keys_evicted_total"), 1)
            size = service.metric("tacet_key_bytes")
        mib = int(6 * len(self.file("alice", "keys")) / 2**20) + 1  # the memory for one that arrives
        self.assertLess(size, mib * 2**20)
        with self.service("--key-cache", str(mib), "--queue-timeout", "60") as service:
            for _ in range(2):
                for name in CLIENTS:
                    ran = self.request(service, name)
                    self.assertEqual(ran.stdout, f"out = {SCORE}\n", ran.stderr)
                    self.assertLessEqual(service.metric("tacet_key_bytes"), mib * 2**20)
            self.assertGreaterEqual(service.metric("tacet_keys_evicted_total"), 3)

    def test_drain(self):
        with self.service() as service:
            self.assertEqual(service.get("/ready"), (200, "ready\n"))
            idle, wire, partial = service.wire("alice"), service.wire("alice"), service.wire("alice")
            wire.store(self.file("alice", "keys"))
            partial.send(message(REQUEST, bytes(64), size=1000))
            for i in range(8):
                wire.send(message(REQUEST, os.urandom(16) + self.file("alice", "inputs"), i))
            service.wait_for("request")
            service.process.send_signal(15)
            self.assertEqual(idle.answer(), "draining")
            self.assertEqual(partial.answer(), "draining")
            answers = []
            try:
                while True:
                    answers.append(wire.answer())
            except Closed:
                pass
            self.assertEqual(answers[-1], "draining")
            self.assertGreater(answers.count("results"), 0)
            self.assertEqual(set(answers[:-1]), {"results"})
            for each in [idle, wire, partial]:
                each.close()
            self.assertEqual(service.process.wait(30), 0)
            self.assertEqual(service.wait_for("ended")["unanswered"], 0)
            with self.assertRaises(ConnectionError):
                socket.create_connection(("127.0.0.1", service.port))

    def test_drain_is_bounded(self):
        service = self.service("--drain-timeout", "0.5")
        wire = service.wire("alice")
        wire.store(self.file("alice", "keys"))
        service.process.send_signal(15)
        begin = time.monotonic()
        # The client neither reads nor closes.
        self.assertEqual(service.process.wait(30), 0)
        self.assertLess(time.monotonic() - begin, 5)
        wire.close()
        service.log.close()

    def test_clients_are_reloaded(self):
        clients = self.folder / "clients"
        with self.service() as service, service.wire("carol") as carol:
            try:
                shutil.copy(self.folder / "mallory.crt", clients)
                (clients / "carol.crt").unlink()
                service.process.send_signal(1)
                self.assertEqual(carol.answer(), "not_admitted")
                service.wait_for("clients_reloaded", clients=3)
                service.wire("mallory").close()
                (clients / "broken.crt").write_text("no certificate")
                service.process.send_signal(1)
                service.wait_for("clients_not_reloaded")
                service.wire("alice").close()
            finally:
                (clients / "broken.crt").unlink(missing_ok=True)
                (clients / "mallory.crt").unlink(missing_ok=True)
                shutil.copy(self.folder / "carol.crt", clients)

    def test_status(self):
        with self.service() as service, service.wire("alice") as wire:
            wire.store(self.file("alice", "keys"))
            wire.request(self.file("alice", "inputs"))
            status, text = service.get("/metrics")
            self.assertEqual(status, 200)
            for line in text.rstrip("\n").split("\n"):
                self.assertRegex(line, r'^(# (HELP|TYPE) tacet_\w+ .+|tacet_\w+(\{[^{}]*\})? [0-9.e+-]+)$')
            self.assertIn('outcome="answered"} 1\n', text)
            self.assertIn("# TYPE tacet_evaluation_seconds histogram\n", text)
            self.assertEqual(service.metric("tacet_clients"), 3)
            self.assertEqual(service.get("/health"), (200, "ok\n"))
            self.assertEqual(service.get("/other")[0], 404)

    def test_a_hostile_service_does_not_hurt_its_client(self):
        inputs = self.file("alice", "inputs")
        digest = inputs[17:49]
        greeted = welcome([digest])
        results = b""  # of an honest service, for other inputs
        with self.service() as service, service.wire("alice") as wire:
            wire.store(self.file("alice", "keys"))
            wire.send(message(REQUEST, bytes(16) + inputs))
            results = wire.receive()[2]

        def always(data):
            return lambda number, kind, payload: data(number, payload)

        cases = [
            (b"", None, "closed the connection"),
            (b"HTTP/1.1 400 Bad Request\r\n\r\n", None, "sent an invalid message"),
            (os.urandom(4096), None, "the service"),
            (message(16, b"", 1), None, "sent a malformed greeting"),
            (message(16, b"", 1, size=2**40), None, "sent a message of 1099511627776 bytes; the limit is 65536"),
            (message(18, b"", 1, size=2**63), None, "the limit is 1073741824"),
            (welcome([digest], n_programs=2**32 - 1), None, "sent a malformed greeting"),
            (welcome([digest], number=7), None, "answered another message"),
            (welcome([]), None, "does not evaluate `score.he`"),
            (refusal(1, 7, b"\x1b[31mred\n" + 500 * b"y"), None, "?[31mred?"),
            (refusal(1, 99, b""), None, "sent a malformed refusal"),
            (greeted, always(lambda n, p: None), "closed the connection"),
            (greeted, always(lambda n, p: os.urandom(300)), "the service"),
            (greeted, always(lambda n, p: message(18, p[:16], n + 1)), "answered another message"),
            (greeted, always(lambda n, p: message(17, b"", n)), "sent results of another request"),
            (greeted, always(lambda n, p: message(18, b"", n)), "sent results of another request"),
            (greeted, always(lambda n, p: message(18, bytes(16) + results[16:], n)), "sent results of another request"),
            (greeted, always(lambda n, p: message(18, p[:16], n)), "is not a valid exchange file"),
            (greeted, always(lambda n, p: message(18, p[:16] + results[16:], n)), "sent results of other inputs"),
            (greeted, always(lambda n, p: message(18, p[:16] + results[16:-1], n)), "is damaged"),
            (greeted, always(lambda n, p: message(18, p[:16] + os.urandom(5000), n)), "is not a valid exchange file"),
            (greeted, always(lambda n, p: message(18, p[:16], n, size=2**21)), "sent a message of 2097152 bytes; the limit is 1048576"),
            (greeted, always(lambda n, p: message(18, p[:16], n, size=500)), "did not answer in time"),
            (greeted, always(lambda n, p: refusal(n, 7, b"busy", 500)), "the service refused the request: busy"),
            (greeted, always(lambda n, p: refusal(n, 5, b"no keys", 0) if p else b""), "the service refused the request: no keys"),
        ]
        for sent, answer, expected in cases:
            with HostileService(self.folder, sent, answer or always(lambda n, p: None)) as service:
                ran = subprocess.run([TACET, "request", "score.he", ANSWERS, "--connect", f"localhost:{service.port}",
                                      "--server", "server.crt", "--key", "alice.key", "--keys", "alice.keys", "--timeout", "2",
                                      "--connect-timeout", "2", "--results-limit", "1024" if answer is None else "1"],
                                     cwd=self.folder, capture_output=True, text=True, timeout=300)
                self.assertEqual((ran.returncode, ran.stdout), (1, ""), expected)
                self.assertIn(expected, ran.stderr)
                self.assertNotIn("\x1b", ran.stderr)

    def test_recipes_use_options_that_exist(self):
        known = set(re.findall(r"--[a-z-]+", self.tacet("serve", "--help")))
        folder = pathlib.Path(__file__).resolve().parents[2] / "packaging/service"
        unit = (folder / "tacet-serve.service").read_text()
        image = (folder / "Containerfile").read_text()
        for text in [unit.split("ExecStart=")[1].split("\n")[0], image.split("ENTRYPOINT ")[1]]:
            self.assertLessEqual(set(re.findall(r"--[a-z-]+", text)), known)

    def test_logs_have_no_secrets(self):
        with self.service() as service:
            self.request(service, "alice")
            log = (self.folder / "log").read_text()
            for which in ["server.key", "alice.key"]:
                for line in (self.folder / which).read_text().split("\n")[1:-2]:
                    self.assertNotIn(line, log)
            names = {key for event in service.events() for key in event}
            self.assertLessEqual(names, {"time", "level", "event", "program", "digest", "address", "status", "clients", "workers",
                                         "connection", "client", "message", "refusal", "reason", "keys", "bytes", "memory",
                                         "ms", "received", "sent", "wait_ms", "evaluation_ms"})


if __name__ == "__main__":
    TACET = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main(verbosity=2)

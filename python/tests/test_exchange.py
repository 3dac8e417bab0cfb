"""Client and server, by objects and by bytes; the command line on the other side; and parties."""

import os
import pathlib
import pickle
import socket
import stat
import subprocess
import sys
import tempfile
import unittest

import tacet
from programs import COMPARISON, DOT, PARTIES, REALS

X, W = [1, 2, 3, 4], [5, 6, 7, 8]

PARTY = """
import sys, tacet
path, name, value, protocol = sys.argv[1:]
program = tacet.compile(path)
given = {} if value == "none" else {name[0]: int(value)}
print(program.run_party(name, protocol=protocol, connect=20, **given).value)
"""


class ClientAndServer(unittest.TestCase):
    def test_objects(self) -> None:
        program = tacet.compile(DOT)
        client = tacet.Client(program)
        server = tacet.Server(program, client.keys, w=W)
        for x in (X, [0, 0, 0, 0], [255, 255, 255, 255]):
            answer = server.evaluate(client.encrypt(x))
            self.assertEqual(client.decrypt(answer), sum(a * b for a, b in zip(x, W)))

    def test_bytes(self) -> None:
        program = bytes(tacet.compile(DOT))
        client = tacet.Client(tacet.Program.from_bytes(program))
        keys, secret = bytes(client.keys), bytes(client.secret)
        request = bytes(client.encrypt(x=X))
        server = tacet.Server(tacet.Program.from_bytes(program), bytearray(keys), W)
        answer = bytes(server.evaluate(memoryview(request)))
        again = tacet.Client(tacet.Program.from_bytes(program), secret=secret)
        self.assertEqual(again.decrypt(answer), 70)
        self.assertEqual(again.decrypt_all(answer).values, {"out": 70})
        with self.assertRaises(tacet.Error):
            again.keys
        self.assertEqual(again.decrypt(server.evaluate(again.encrypt([1, 0, 0, 0]))), 5)

    def test_reals_and_comparisons(self) -> None:
        for source, given, expected in ((REALS, [4, 8, -4, 0.5, 50 - 2**-18], None),
                                        (COMPARISON, (9, 200), (200, False))):
            program = tacet.compile(source)
            client = tacet.Client(program)
            request = client.encrypt(given) if expected is None else client.encrypt(*given)
            found = client.decrypt(tacet.Server(program, client.keys).evaluate(request))
            if expected is None:
                padded = [0, *given, 0]
                for i, value in enumerate(found):
                    exact = 0.25 * padded[i] + 0.5 * padded[i + 1] + 0.25 * padded[i + 2]
                    self.assertAlmostEqual(value, exact, delta=program.results[0].error)
            else:
                self.assertEqual(tuple(found), expected)

    def test_what_does_not_belong_together(self) -> None:
        program = tacet.compile(DOT)
        one, two = tacet.Client(program), tacet.Client(program)
        server = tacet.Server(program, one.keys, W)
        request = bytes(one.encrypt(X))
        answer = bytes(server.evaluate(request))
        other = tacet.compile(DOT.replace("256", "16"))
        for call in (lambda: server.evaluate(two.encrypt(X)), lambda: two.decrypt(answer),
                     lambda: tacet.Client(other).decrypt(answer),
                     lambda: tacet.Server(other, one.keys, W),
                     lambda: one.decrypt(request), lambda: server.evaluate(answer),
                     lambda: tacet.Client(program, secret=bytes(one.keys))):
            with self.assertRaises(tacet.Error):
                call()

    def test_damaged_bytes(self) -> None:
        program = tacet.compile(DOT)
        client = tacet.Client(program)
        keys, request = bytes(client.keys), bytes(client.encrypt(X))
        answer = bytes(tacet.Server(program, keys, W).evaluate(request))
        server = tacet.Server(program, keys, W)
        for data, use in ((keys, lambda data: tacet.Server(program, data, W)),
                          (request, server.evaluate), (answer, client.decrypt),
                          (bytes(client.secret), lambda data: tacet.Client(program, secret=data))):
            for damaged in (b"", data[:-1], data + b"\0", bytes(len(data))):
                with self.assertRaises(tacet.Error):
                    use(damaged)
            for wrong in (3, "text"):
                with self.assertRaises((TypeError, tacet.UsageError)):
                    use(wrong)

    def test_kinds_of_messages(self) -> None:
        program = tacet.compile(DOT)
        client = tacet.Client(program)
        with self.assertRaisesRegex(TypeError, "must be EvaluationKeys or bytes, not Ciphertexts"):
            tacet.Server(program, client.encrypt(X), W)
        with self.assertRaisesRegex(TypeError, "not SecretKey"):
            tacet.Server(program, client.secret, W)

    def test_values(self) -> None:
        program = tacet.compile(DOT)
        client = tacet.Client(program)
        for call in (lambda: client.encrypt(X, W), lambda: client.encrypt(), lambda: client.encrypt(w=W),
                     lambda: tacet.Server(program, client.keys),
                     lambda: tacet.Server(program, client.keys, x=X)):
            with self.assertRaises(tacet.ArgumentError):
                call()
        for call in (lambda: client.encrypt([1, 2, 3]), lambda: client.encrypt([1, 2, 3, 256]),
                     lambda: tacet.Server(program, client.keys, [0, 0, 0, -1])):
            with self.assertRaises(tacet.UsageError):
                call()

    def test_messages(self) -> None:
        client = tacet.Client(tacet.compile(DOT))
        keys = client.keys
        self.assertEqual((len(keys), bytes(keys.view())), (len(bytes(keys)), bytes(keys)))
        self.assertTrue(keys.view().readonly)
        view = client.encrypt(X).view()  # The message is gone, its bytes are not.
        self.assertEqual(tacet.Ciphertexts(view), tacet.Ciphertexts(bytes(view)))
        self.assertNotEqual(tacet.Ciphertexts(view), tacet.EvaluationKeys(view))
        self.assertEqual(pickle.loads(pickle.dumps(keys)), keys)
        self.assertEqual(len({keys, tacet.EvaluationKeys(bytes(keys))}), 1)
        with self.assertRaises(TypeError):
            pickle.dumps(client.secret)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "secret"
            client.secret.save(path)
            self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
            self.assertEqual(tacet.SecretKey.load(path), client.secret)
            self.assertNotIn(bytes(client.secret)[:20].hex(), repr(client.secret))

    def test_server_that_must_not_show_its_values(self) -> None:
        shown = REALS.replace("secret [fxp; 5] in", "[fxp; 5] in").replace("from client", "from server")
        with self.assertRaises(tacet.Error):
            bytes(tacet.compile(shown.replace("days: ", "y: secret fxp in 0..1 from client, days: ")
                                .replace("0.5 * days", "y * days")))

    def test_files_of_the_command_line(self) -> None:
        """The client is this package, the server the command line."""
        with tempfile.TemporaryDirectory() as folder:
            path, exchange = pathlib.Path(folder) / "dot.he", pathlib.Path(folder) / "exchange"
            program = tacet.compile(DOT)
            program.save(path)
            client = tacet.Client(program)
            exchange.mkdir(mode=0o700)
            client.keys.save(exchange / "keys")
            client.encrypt(X).save(exchange / "inputs")
            done = tacet.command("run", path, "--role", "server", "--exchange", exchange, str(W))
            self.assertEqual(done.exit_code, 0, done.err)
            self.assertEqual(client.decrypt(tacet.EncryptedResults.load(exchange / "results")), 70)


class Parties(unittest.TestCase):
    def run_parties(self, folder: str, values: dict, protocol: str) -> dict:
        path = os.path.join(folder, "richer.tacet")
        processes = {name: subprocess.Popen([sys.executable, "-c", PARTY, path, name, value, protocol],
                                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                     for name, value in values.items()}
        return {name: process.communicate(timeout=60) for name, process in processes.items()}

    def folder_of(self, folder: str, names: list) -> None:
        pathlib.Path(folder, "richer.tacet").write_text(PARTIES)
        for name in names:
            made = tacet.party_key(name, folder)
            self.assertEqual(stat.S_IMODE(made.key.stat().st_mode), 0o600)
            self.assertTrue(made.certificate.read_text().startswith("-----BEGIN CERTIFICATE"))
        ports = free_ports(len(names))
        tacet.write_parties(folder, {name: (f"127.0.0.1:{port}", name + ".crt")
                                     for name, port in zip(names, ports)})

    def test_by_address(self) -> None:
        for names, protocol in ((["alice", "bob"], "semi2k"), (["alice", "bob", "carol"], "aby3"),
                                (["alice", "bob", "carol", "dan"], "rep4")):
            with tempfile.TemporaryDirectory() as folder:
                self.folder_of(folder, names)
                values = dict(zip(names, ("5", "3", "none", "none")))
                for name, (out, err) in self.run_parties(folder, values, protocol).items():
                    self.assertEqual((out.strip(), err), ("True", ""), name)
                with self.assertRaises(FileExistsError):
                    tacet.write_parties(folder, {})
                with self.assertRaises(tacet.RunError):
                    tacet.party_key("alice", folder)

    def test_absent_party(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            self.folder_of(folder, ["alice", "bob"])
            program = tacet.compile(pathlib.Path(folder) / "richer.tacet", protocol="semi2k")
            with self.assertRaisesRegex(tacet.RunError, "bob"):
                program.run_party("alice", 5, connect=1)
            with self.assertRaises(tacet.ArgumentError):
                program.run_party("alice", b=5)

    def test_in_one_process(self) -> None:
        program = tacet.compile(PARTIES)
        for protocol in ("aby3", "semi2k", "rep4", "ref"):
            self.assertIs(program(5, 3, protocol=protocol), True)
            self.assertIs(program(a=-2**63, b=2**63 - 1, protocol=protocol), False)
        self.assertEqual(program.run(1, 2).costs["protocol"], "aby3")


def free_ports(n: int) -> list:
    sockets = [socket.socket() for _ in range(n)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


if __name__ == "__main__":
    unittest.main()

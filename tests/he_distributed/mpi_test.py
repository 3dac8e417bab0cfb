#!/usr/bin/env python3
"""Runs servers of several processes under Open MPI: the results of one process, and failures that name a rank.

usage: mpi_test.py TACET MPI_RANKS
"""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

TACET = pathlib.Path(sys.argv[1]).resolve()
RANKS = pathlib.Path(sys.argv[2]).resolve()
MPIRUN = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n"]
HOST = os.uname().nodename

BLOCKS = """he_program 1
slots 2 x {columns}
modulus 65537
primes 4
input a[{n}, 64] from client
{more}cipher x[i:{n}] = a[i, c] over (c:64) repeat
{declarations}for i: {n} {{
  x[i] = mul x[i], x[i]
  x[i] = relinearise x[i]
  x[i] = drop x[i]
{statements}}}
output o[{n}, 64] over (i:{n}, c:64) [i, c] = x[i] at 0, c
"""


def blocks(n, rounds=1, columns=4096, has_weights=False):
    """A program of `n` independent blocks."""
    statements = f"  for k: {rounds} {{\n    x[i] = rotate x[i], 1\n  }}\n"
    if has_weights:
        statements += "  x[i] = mul x[i], w\n"
    return BLOCKS.format(
        n=n, columns=columns, statements=statements,
        more="input b[64] from server\n" if has_weights else "",
        declarations="native v = b[c] over (c:64) repeat\nplain w\nw = encode v\n" if has_weights else "")


class Runs(unittest.TestCase):
    """What tests share."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.environment = {**os.environ, "HOME": str(self.folder), "OMPI_ALLOW_RUN_AS_ROOT": "1",
                            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "XDG_CACHE_HOME": str(self.folder / "cache")}

    def tearDown(self):
        shutil.rmtree(self.folder)

    def run_here(self, *command):
        return subprocess.run([str(word) for word in command], cwd=self.folder, env=self.environment,
                              capture_output=True, text=True, timeout=300)

    def start(self, program, *command):
        """Starts three ranks; also the process of rank 2, once it computes."""
        run = subprocess.Popen([str(word) for word in (*MPIRUN, 3, *command)], cwd=self.folder, env=self.environment,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(600):
            time.sleep(0.1)
            for path in pathlib.Path("/proc").glob("[0-9]*"):
                try:
                    environment = (path / "environ").read_bytes().split(b"\0")
                    started = (path / "cmdline").read_bytes().split(b"\0")[0]
                    seconds = int((path / "stat").read_text().rsplit(")", 1)[1].split()[11]) / os.sysconf("SC_CLK_TCK")
                except (OSError, IndexError):
                    continue
                if (b"OMPI_COMM_WORLD_RANK=2" in environment and started == str(program).encode()
                        and f"HOME={self.folder}".encode() in environment and seconds > 0.5):
                    return run, int(path.name)
        run.kill()
        return self.fail("rank 2 was not found")

    def end(self, run):
        try:
            return run.communicate(timeout=60)
        finally:
            run.kill()


class Engine(Runs):
    """Ranks of the engine alone."""

    def test_bytes_of_one_process(self):
        for n in (1, 2, 4):
            done = self.run_here(*MPIRUN, n, RANKS, TACET.parent, 8, 3, 60)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("equal bytes", done.stdout)
            self.assertEqual(done.stdout.count(f"{40 // n} operations"), n, done.stdout)

    def test_killed_rank(self):
        run, rank = self.start(RANKS, RANKS, TACET.parent, 24, 5000, 60)
        os.kill(rank, signal.SIGKILL)
        output, errors = self.end(run)
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("rank 2 with PID", errors)
        self.assertIn(HOST, errors)
        self.assertEqual(output, "")

    def test_silent_rank(self):
        run, rank = self.start(RANKS, RANKS, TACET.parent, 24, 5000, 3)
        os.kill(rank, signal.SIGSTOP)
        output, errors = self.end(run)
        self.assertNotEqual(run.returncode, 0)
        self.assertIn(f"error: lost rank 2 on {HOST}: it gives no sign of life", errors)
        self.assertEqual(output, "")


class Program(Runs):
    """Servers that `tacet` is."""

    def tacet(self, *words):
        done = self.run_here(TACET, "run", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def begin(self, program, n):
        (self.folder / "p.he").write_text(program)
        values = [[(i * 7 + c) % 5 for c in range(64)] for i in range(n)]
        (self.folder / "a.json").write_text(str(values))
        self.tacet("p.he", "--role", "client", "--input", "a=@a.json")

    def results(self):
        return (self.folder / "p.he.exchange" / "results").read_bytes()

    def test_bytes_of_one_process(self):
        self.begin(blocks(6, rounds=16), 6)
        self.tacet("p.he", "--role", "server")
        alone = self.results()
        (self.folder / "p.he.exchange" / "results").unlink()
        for n in (2, 3):
            done = self.run_here(*MPIRUN, n, TACET, "run", "p.he", "--role", "server", "--stats",
                                 "--interconnect", "1000000")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.results(), alone)
            rows = [line.split() for line in done.stdout.splitlines()]
            ranks = [row for row in rows if len(row) == 9 and row[1] == HOST]
            self.assertEqual(len(ranks), n, done.stdout)
            self.assertTrue(all(int(row[2]) > 0 for row in ranks), done.stdout)
        expected = [[((i * 7 + (c + 16) % 64) % 5) ** 2 for c in range(64)] for i in range(6)]
        self.assertEqual(self.tacet("p.he", "--role", "client"), f"o = {expected}\n")

    def test_hidden_results_decrypt_to_the_same(self):
        self.begin(blocks(4, rounds=16, has_weights=True), 4)
        weights = str([c % 3 - 1 for c in range(64)])
        self.tacet("p.he", "--role", "server", "--input", "b=" + weights)
        alone = self.tacet("p.he", "--role", "client")
        done = self.run_here(*MPIRUN, 2, TACET, "run", "p.he", "--role", "server", "--input", "b=" + weights)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.tacet("p.he", "--role", "client"), alone)

    def test_killed_rank(self):
        self.begin(blocks(24, rounds=3000), 24)
        run, rank = self.start(TACET, TACET, "run", "p.he", "--role", "server", "--threads", 1)
        os.kill(rank, signal.SIGKILL)
        _, errors = self.end(run)
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("rank 2", errors)
        self.assertIn(HOST, errors)
        self.assertFalse((self.folder / "p.he.exchange" / "results").exists())

    def test_mistakes(self):
        self.begin(blocks(2), 2)
        mistakes = [
            ([*MPIRUN, 2, TACET, "run", "p.he", "--role", "client"], "the client is one process"),
            ([*MPIRUN, 2, TACET, "run", "none.he", "--role", "server"], "none.he"),
            ([*MPIRUN, 2, TACET, "run", "p.he", "--role", "server", "--input", "b=3"], "`b`"),
            ([TACET, "run", "p.he", "--role", "server", "--distributed"], "MPI sees one process"),
            ([TACET, "run", "p.he", "--distributed"], "`--distributed` requires `--role server`"),
        ]
        for command, message in mistakes:
            done = self.run_here(*command)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(message, done.stderr)
            self.assertEqual(done.stderr.count("tacet: error"), 1, done.stderr)

    def test_without_the_plug_in(self):
        self.begin(blocks(2), 2)
        shutil.copy(TACET, self.folder / "tacet")
        done = self.run_here(*MPIRUN, 2, "./tacet", "run", "p.he", "--role", "server")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("without its plug-in for MPI", done.stderr)
        self.assertEqual(done.stderr.count("tacet: error"), 1, done.stderr)
        needed = subprocess.run(["ldd", str(TACET)], capture_output=True, text=True).stdout
        self.assertNotIn("libmpi", needed)


if __name__ == "__main__":
    if shutil.which("mpirun") is None or not (TACET.parent / "tacet_mpi.so").exists():
        print("skipped: needs Open MPI (Debian: libopenmpi-dev, openmpi-bin)")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])

"""Threads, progress, the interpreter lock, and memory: every object of the library is freed once."""

import gc
import os
import pathlib
import subprocess
import sys
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

import tacet
from programs import COPIES, DOT, LEAKY
from tacet import _library

X, W = [1, 2, 3, 4], [5, 6, 7, 8]


class Threads(unittest.TestCase):
    def test_calls_in_parallel(self) -> None:
        program = tacet.compile(DOT)
        client = tacet.Client(program)
        server = tacet.Server(program, client.keys, W)

        def work(number: int) -> None:
            x = [number, 1, 2, 3]
            expected = sum(a * b for a, b in zip(x, W))
            self.assertEqual(program(x, W), expected)
            self.assertEqual(program(x, W, device=("ref", "he", "mpc")[number % 2]), expected)
            self.assertEqual(client.decrypt(server.evaluate(client.encrypt(x))), expected)
            self.assertEqual(tacet.compile(DOT, device="ref")(x, W), expected)

        with ThreadPoolExecutor(8) as pool:
            for done in [pool.submit(work, number) for number in range(60)]:
                done.result()

    def test_one_compilation_for_all_threads(self) -> None:
        program = tacet.compile(DOT)
        with ThreadPoolExecutor(8) as pool:
            found = set(pool.map(lambda _: id(program.on("ref")), range(30)))
        self.assertEqual(len(found), 1)

    def test_the_interpreter_lock_is_released(self) -> None:
        """While a call runs, this thread counts."""
        program = tacet.compile(
            "#version 0.1.0\nfn(mpc) f(x: secret i64) -> secret i64 { var y = x; "
            "for i in 0..3000000 { y = y * 3 + i; } y }\n", device="ref")
        calls = []

        def call() -> None:
            begin = time.perf_counter()
            program(1)
            calls.append((begin, time.perf_counter()))

        thread = threading.Thread(target=call)
        thread.start()
        ticks = []
        while thread.is_alive():
            ticks.append(time.perf_counter())
        begin, end = calls[0]
        middle = [tick for tick in ticks if begin + 0.25 * (end - begin) < tick < end - 0.25 * (end - begin)]
        self.assertGreater(len(middle), 100, f"a call of {end - begin:.3f} s")

    def test_use_after_the_source_is_gone(self) -> None:
        source = tacet.Source(COPIES)
        program = tacet.compile(source, "one_of_i64", "ref")
        del source
        gc.collect()
        self.assertEqual(program(3), 3)
        self.assertEqual(program(3, device="mpc"), 3)

    def test_spawned_processes(self) -> None:
        code = ("import multiprocessing, tacet, programs\n"
                "if __name__ == '__main__':\n"
                "    program = tacet.compile(programs.DOT)\n"
                "    with multiprocessing.get_context('spawn').Pool(2) as pool:\n"
                "        print(pool.starmap(program, [([1, 2, 3, 4], [5, 6, 7, 8])] * 3))\n")
        here = str(pathlib.Path(__file__).parent)
        path = os.pathsep.join([here, os.environ.get("PYTHONPATH", "")])
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60,
                              env={**os.environ, "PYTHONPATH": path}, check=False)
        self.assertEqual((done.stdout.strip(), done.stderr), ("[70, 70, 70]", ""))


class Progress(unittest.TestCase):
    def test_phases(self) -> None:
        heard: list = []
        program = tacet.compile(DOT)
        self.assertEqual(program.run(X, W, progress=lambda *step: heard.append(step)).value, 70)
        self.assertTrue(heard)
        for phase, done, total in heard:
            self.assertTrue(phase)
            self.assertTrue(done <= total or total == 0, heard)
        client = tacet.Client(program, progress=lambda *step: heard.append(step))
        heard.clear()
        server = tacet.Server(program, client.keys, W, progress=lambda *step: heard.append(step))
        answer = server.evaluate(client.encrypt(X), progress=lambda *step: heard.append(step))
        self.assertTrue(heard)
        self.assertEqual(client.decrypt(answer), 70)

    def test_exceptions(self) -> None:
        def fail(*_: object) -> None:
            raise KeyError("from progress")

        program = tacet.compile(DOT)
        with self.assertRaisesRegex(KeyError, "from progress"):
            program.run(X, W, progress=fail)
        with self.assertRaises(TypeError):
            program.run(X, W, progress=3)
        self.assertEqual(program(X, W), 70)

    def test_a_run_within_a_run(self) -> None:
        program, found = tacet.compile(DOT), []
        program.run(X, W, progress=lambda *_: found.append(program(X, W, device="ref")))
        self.assertEqual(set(found), {70})


class Counting:
    """The functions of the library, with a count of what is made and freed."""

    def __init__(self) -> None:
        self.made, self.freed = 0, 0
        self._lock = threading.Lock()

    def handle(self, pointer: int, free: object) -> "_library.Handle":
        self.made += 1

        def counted(address: int) -> None:
            with self._lock:
                self.freed += 1
            free(address)  # type: ignore[operator]

        return _Handle(pointer, counted)


_Handle = _library.Handle


class Memory(unittest.TestCase):
    def use_everything(self) -> None:
        program = tacet.compile(DOT)
        client = tacet.Client(program)
        server = tacet.Server(program, client.keys, W)
        client.decrypt_all(server.evaluate(client.encrypt(X))).view("out")
        tacet.Client(program, secret=client.secret)
        bytes(program), program.costs(), program.explain(), program.picture(), program.notes
        program.run(X, W, device="ref").json
        tacet.lint(LEAKY), tacet.fix(LEAKY), tacet.format(LEAKY), tacet.functions(LEAKY)
        tacet.command("version")
        for wrong in (lambda: tacet.compile("#version 0.1.0\nfn(he) f( {}\n"), lambda: program(X, [1, 2, 3, 999]),
                      lambda: client.decrypt(b""), lambda: tacet.compile(DOT, scheme="none")):
            with self.assertRaises(tacet.Error):
                wrong()

    def test_everything_is_freed_once(self) -> None:
        counting = Counting()
        with mock.patch.object(_library, "Handle", counting.handle), \
                mock.patch("tacet._options.Handle", counting.handle), \
                mock.patch.object(sys.modules["tacet.command"], "Handle", counting.handle):
            self.use_everything()
            gc.collect()
        self.assertGreater(counting.made, 20)
        self.assertEqual(counting.made, counting.freed)

    def test_errors_are_freed(self) -> None:
        made, freed = [], []
        check, free = _library.check, _library.library.tacet_error_free

        def counted_free(pointer: int) -> None:
            freed.append(pointer)
            free(pointer)

        def counted_check(error: object) -> None:
            made.extend([error] if error else [])
            check(error)

        with mock.patch.object(_library.library, "tacet_error_free", counted_free), \
                mock.patch.object(_library, "check", counted_check), \
                mock.patch("tacet._options.check", counted_check):
            self.use_everything()
        self.assertGreater(len(made), 2)
        self.assertEqual(made, freed)

    def test_memory_does_not_grow(self) -> None:
        program = tacet.compile(COPIES, "some_of_i64", "ref")
        self.repeat(program, 2000)
        before = resident_bytes()
        self.repeat(program, 20000)
        self.assertLess(resident_bytes() - before, 4 << 20)

    def repeat(self, program: tacet.Program, times: int) -> None:
        for number in range(times):
            program([number, 2, 3])
            if number % 10 == 0:
                with self.assertRaises(tacet.UsageError):
                    program([1, 2])

    def test_handles_are_not_copied(self) -> None:
        with self.assertRaises(TypeError):
            tacet.compile(DOT)._handle.__reduce__()


def resident_bytes() -> int:
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGESIZE")


if __name__ == "__main__":
    unittest.main()

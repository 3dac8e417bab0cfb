"""Long calls are stopped: by `progress`, by Ctrl-C, by another thread."""

import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
import unittest
from typing import Any, Callable, Dict, List
from unittest import mock

import tacet
from programs import DOT, PARTIES
from tacet import _control

X, W = [1, 2, 3, 4], [5, 6, 7, 8]

# Runs for minutes if nothing stops it.
LONG = ("#version 0.1.0\nfn(mpc) f(x: secret i64) -> secret i64 { var y = x; "
        "for i in 0..1000000000 { y = y * y + i; } y }\n")
# A while to find a layout for.
IMAGES = """#version 0.1.0

fn(he) filtered(image: secret [i64; 96, 96] in 0..256 from client,
                kernel: [i64; 8, 5, 5] in -8..8 from server) -> secret [i64; 8, 92, 92]
{
    for k: 8 { for y: 92 { for x: 92 {
        sum(for i: 5 { sum(for j: 5 { image[y + i][x + j] * kernel[k][i][j] }) })
    } } }
}
"""

SOON = 5.0
"""Far more than a call takes to stop, for machines under load; far less than one that is not stopped."""


class Stop(Exception):
    pass


class ByProgress(unittest.TestCase):
    def stop_everywhere(self, call: Callable[[Any], Any], same: bool = True) -> None:
        """Stops a call at each of its reports, by either way; afterwards it works as before."""
        heard: List[Any] = []
        result = call(lambda *step: heard.append(step))
        self.assertTrue(heard)
        for number in range(1, len(heard) + 1):
            for way in (False, Stop("stopped")):
                calls = []

                def hear(*_: Any) -> Any:
                    calls.append(None)
                    if len(calls) == number:
                        if way is not False:
                            raise way
                        return False
                    return None

                with self.assertRaises(tacet.Cancelled if way is False else Stop):
                    call(hear)
                self.assertEqual(len(calls), number, "it hears no more")
            again = call(None)
            if same:
                self.assertEqual(again, result)

    def test_runs(self) -> None:
        for text, values, device in [(DOT, (X, W), "he"), (DOT, (X, W), "ref"),
                                     (PARTIES, (3, 5), "mpc")]:
            program = tacet.compile(text, device=device)
            self.stop_everywhere(lambda heard: program.run(*values, progress=heard).value)

    def test_compilation(self) -> None:
        self.stop_everywhere(lambda heard: tacet.compile(DOT, progress=heard).name)

    def test_client_and_server(self) -> None:
        program = tacet.compile(DOT)
        self.stop_everywhere(lambda heard: tacet.Client(program, progress=heard), same=False)
        client = tacet.Client(program)
        self.stop_everywhere(lambda heard: tacet.Server(program, client.keys, W, progress=heard),
                             same=False)
        server, request = tacet.Server(program, client.keys, W), client.encrypt(X)
        self.stop_everywhere(lambda heard: server.evaluate(request, progress=heard), same=False)
        self.assertEqual(client.decrypt(server.evaluate(request)), 70)

    def test_in_other_threads(self) -> None:
        program, raised = tacet.compile(DOT), []

        def call() -> None:
            try:
                program.run(X, W, progress=lambda *_: False)
            except tacet.Cancelled as error:
                raised.append(str(error))

        thread = threading.Thread(target=call)
        thread.start()
        thread.join()
        self.assertEqual(raised, ["the call was cancelled"])

    def test_other_results_continue(self) -> None:
        """Whatever a function happens to return that is not False."""
        program = tacet.compile(DOT)
        for result in (None, 0, "", [], True):
            self.assertEqual(program.run(X, W, progress=lambda *_: result).value, 70)


class ByInterruption(unittest.TestCase):
    def interrupt(self, call: Callable[[], Any], after: float = 0.3) -> float:
        """How long it takes from Ctrl-C to KeyboardInterrupt."""
        sent: List[float] = []

        def press() -> None:
            time.sleep(after)
            sent.append(time.perf_counter())
            os.kill(os.getpid(), signal.SIGINT)

        thread = threading.Thread(target=press)
        thread.start()
        with self.assertRaises(KeyboardInterrupt):
            call()
        end = time.perf_counter()
        thread.join()
        return end - sent[0]

    def repeat(self, call: Callable[[], Any]) -> None:
        """Makes a call until it is interrupted: it may be over before Ctrl-C."""
        while True:
            call()

    def test_long_calls(self) -> None:
        calls: Dict[str, Callable[[], Any]] = {"compile": lambda: self.repeat(lambda: tacet.compile(IMAGES))}
        for device, protocol in [("ref", None), ("mpc", "aby3"), ("mpc", "semi2k")]:
            options = {"protocol": protocol} if protocol else {}
            program = tacet.compile(LONG, device=device, **options)
            calls[f"run on {device} {protocol}"] = lambda program=program: program(1)
        for name, call in calls.items():
            with self.subTest(name):
                self.assertLess(self.interrupt(call), SOON)

    def test_objects_work_afterwards(self) -> None:
        source = tacet.Source(IMAGES + DOT.partition("\n")[2])
        self.assertLess(
            self.interrupt(lambda: self.repeat(lambda: tacet.compile(source, "filtered")), 0.1), SOON)
        program = tacet.compile(source, "dot")
        self.assertEqual(program(X, W), 70)

    def test_handlers_of_others(self) -> None:
        """The handler of the program runs at once; if it does not raise, the call continues."""
        program, called = tacet.compile(LONG, device="ref"), []
        before = signal.signal(signal.SIGINT, lambda *_: called.append(time.perf_counter()))
        try:
            with tacet.Cancellation() as cancellation:
                threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
                threading.Timer(0.4, cancellation.cancel).start()
                with self.assertRaises(tacet.Cancelled):
                    program(1)
                self.assertEqual(len(called), 1)
                self.assertLess(called[0], time.perf_counter() - 0.1)
            self.assertEqual(signal.getsignal(signal.SIGINT).__name__, "<lambda>")
        finally:
            signal.signal(signal.SIGINT, before)

    def test_exceptions_of_other_signals(self) -> None:
        def expire(*_: Any) -> None:
            raise TimeoutError("too long")

        program = tacet.compile(LONG, device="ref")
        before = signal.signal(signal.SIGALRM, expire)
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            begin = time.perf_counter()
            with self.assertRaisesRegex(TimeoutError, "too long"):
                program(1)
            self.assertLess(time.perf_counter() - begin, SOON)
        finally:
            signal.signal(signal.SIGALRM, before)

    def test_ctrl_c_ends_a_program(self) -> None:
        """As it ends any program in Python, with a traceback."""
        code = "import tacet, programs\nprint('begins', flush=True)\ntacet.compile(%r, device='ref')(1)\n" % LONG
        here = str(pathlib.Path(__file__).parent)
        path = os.pathsep.join([here, os.environ.get("PYTHONPATH", "")])
        with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env={**os.environ, "PYTHONPATH": path}, text=True) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(0.3)
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=30)
        self.assertEqual(process.returncode, -signal.SIGINT, err)
        self.assertIn("KeyboardInterrupt", err)

    def test_threads_are_reused(self) -> None:
        program = tacet.compile(DOT, device="ref")
        program(X, W)
        with mock.patch.object(_control, "_Worker", side_effect=AssertionError("a new thread")):
            for _ in range(50):
                self.assertEqual(program(X, W), 70)


class ByAnotherThread(unittest.TestCase):
    def test_cancellation(self) -> None:
        program = tacet.compile(LONG, device="mpc")
        with tacet.Cancellation() as cancellation:
            self.assertFalse(cancellation.cancelled)
            threading.Timer(0.3, cancellation.cancel).start()
            begin = time.perf_counter()
            with self.assertRaises(tacet.Cancelled):
                program(1)
            self.assertLess(time.perf_counter() - begin, 0.3 + SOON)
            self.assertTrue(cancellation.cancelled)
            with self.assertRaises(tacet.Cancelled):
                tacet.check(DOT)
        self.assertEqual(list(tacet.check(DOT)), [])

    def test_one_within_another(self) -> None:
        with tacet.Cancellation() as outer:
            with tacet.Cancellation() as inner:
                inner.cancel()
                with self.assertRaises(tacet.Cancelled):
                    tacet.check(DOT)
            self.assertFalse(outer.cancelled)
            tacet.check(DOT)
            with tacet.Cancellation() as another:
                outer.cancel()
                self.assertTrue(another.cancelled)
                with self.assertRaises(tacet.Cancelled):
                    tacet.command("version")

    def test_it_is_of_its_thread(self) -> None:
        found = []
        with tacet.Cancellation() as cancellation:
            cancellation.cancel()
            thread = threading.Thread(target=lambda: found.append(tacet.check(DOT)))
            thread.start()
            thread.join()
        self.assertEqual(list(found[0]), [])


if __name__ == "__main__":
    unittest.main()

"""The cell magic, the session of the kernel, and both in real Jupyter where it is installed."""

import contextlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from unittest import mock

import tacet
from programs import DOT
from tacet import kernel, magic, session

DOT_CELL = DOT.split("\n", 1)[1]

try:
    import ipykernel  # noqa: F401
    import jupyter_client
except ImportError:
    jupyter_client = None
try:
    import traitlets.config
    from IPython.core.interactiveshell import InteractiveShell
except ImportError:
    InteractiveShell = None


class Session(unittest.TestCase):
    def test_definitions_accumulate(self) -> None:
        cells = session.Session()
        self.assertEqual(cells.execute("fn(mpc) twice(x: secret i64) -> secret i64 { 2 * x }"), [])
        self.assertEqual(cells.execute("/// Four times.\nfn(mpc) four(x: secret i64) -> secret i64 {\n"
                                       "    twice(twice(x))\n}\nconst c = 3\n"), [])
        self.assertEqual(cells.execute('four(5, device="ref")')[0].text, "out = 20")
        cells.execute("#version 0.1.0\nfn(mpc) twice(x: secret i64) -> secret i64 { 3 * x }")
        self.assertEqual(cells.execute("four(5)\nfour(-1)"), [session.Answer("out = 45"),
                                                             session.Answer("out = -9")])
        self.assertEqual(sorted(cells.items), ["c", "four", "twice"])
        self.assertTrue(cells.items["four"].startswith("/// Four times."))

    def test_errors_change_nothing(self) -> None:
        cells = session.Session()
        cells.execute(DOT_CELL)
        with self.assertRaises(tacet.ProgramError) as caught:
            cells.execute("\n" + DOT_CELL.replace("w[i]", "v[i]"))
        self.assertIn("--> cell.tacet:3:27", str(caught.exception))
        self.assertIn("\n3 |     sum(", str(caught.exception))
        self.assertEqual(cells.execute("dot([1, 2, 3, 4], w=[5, 6, 7, 8])")[0].text, "out = 70")

    def test_numbers_of_lines_with_a_version(self) -> None:
        with self.assertRaises(tacet.ProgramError) as caught:
            session.Session().execute(DOT.replace("w[i]", "v[i]"))
        self.assertIn("--> cell.tacet:3:27", str(caught.exception))

    def test_imports_and_types(self) -> None:
        cells = session.Session()
        cells.execute('import "std/statistics"')
        cells.execute("type P = { a: secret i64, b: secret i64 };")
        cells.execute("fn(mpc) middle(x: secret [i64; 3]) -> secret P { P(median(x), sum(x)) }")
        self.assertEqual(cells.execute("middle([9, 1, 4])")[0].text, "out.a = 4\nout.b = 14")

    def test_commands(self) -> None:
        cells = session.Session()
        cells.execute(DOT_CELL)
        for command, text in (("%costs dot", "ring dimension"), ("%functions", "dot (he)"),
                              ("%source", "fn(he) dot"), ("%help", "%assert"), ("%lint", ""),
                              ("%emit array dot", "input x: [4]"), ("%costs dot scheme=bgv", "bgv"),
                              ("%costs dot scheme=bgv unhidden=true", "shown")):
            (answer,) = cells.execute(command)
            self.assertIn(text, answer.text, command)
        (answer,) = cells.execute("%picture dot layout")
        self.assertIn("<svg", answer.picture.svg)
        self.assertEqual(cells.execute("// a comment\n%assert dot([1, 2, 3, 4], [5, 6, 7, 8]) == 70"), [])
        for wrong in ("%assert dot([1, 2, 3, 4], [5, 6, 7, 8]) == 71", "%none", "%costs", "%costs none",
                      "%emit", "none(1)", "dot(x)", "dot([1, 2, 3])", "%assert 1", "%picture dot none",
                      "dot(\"@file\", [1, 2, 3, 4])", "%costs dot none=1", "%costs 'dot", "%assert dot(",
                      "%assert 1 == 1 == 1"):
            with self.assertRaises(tacet.Error, msg=wrong):
                cells.execute(wrong)
        cells.execute("%reset")
        self.assertEqual(cells.names(), [])
        self.assertEqual(cells.execute("%functions"), [session.Answer("")])

    def test_values(self) -> None:
        call = 'f(1, [true, -2.5], (3, 4), w=File("a.csv", "b"), device="he")'
        name, values, named = session.parsed_call(call)
        self.assertEqual((name, values), ("f", [1, [True, -2.5], [3, 4]]))
        self.assertEqual((repr(named["w"]), named["device"]), ("File('a.csv', 'b')", "he"))
        self.assertIsNone(session.command_lines(DOT_CELL))
        self.assertIsNone(session.command_lines("fn(he)\n"))
        self.assertEqual(session.command_lines("\n// nothing\n"), [])

    def test_complete_and_inspect(self) -> None:
        cells = session.Session()
        cells.execute(DOT_CELL)
        for code, expected in (("%co", ["%costs"]), ("do", ["dot("]), ("%costs d", ["dot"])):
            matches, start, end = kernel.completions(cells, code, len(code))
            self.assertEqual((matches, end), (expected, len(code)), code)
            self.assertTrue(expected[0].startswith(code[start:end]))
        code = "fn(he) g(first: secret i64 in 0..9) -> secret i64 {\n    fir"
        matches, start, end = kernel.completions(cells, code + "\n}", len(code))
        self.assertEqual((matches[:1], code[start:end]), (["first"], "fir"))
        self.assertIn("dot", kernel.hover(cells, "dot([1])", 1))
        self.assertIn("%costs", kernel.hover(cells, "%costs dot", 3))
        self.assertIn("first", kernel.hover(cells, code + "st\n}", len(code)))
        self.assertEqual(kernel.hover(cells, "", 0), "")


class Magic(unittest.TestCase):
    def test_line(self) -> None:
        self.assertEqual(magic.parsed_line("bank --device he --scheme=bfv --unhidden --size n=3 --size m=4"),
                         ("bank", {"device": "he", "scheme": ["bfv"], "unhidden": [""],
                                   "size": ["n=3", "m=4"]}))
        self.assertEqual(magic.parsed_line(""), ("", {"device": None}))
        for wrong in ("1a", "a b", "a -d", "a --"):
            with self.assertRaises(tacet.UsageError):
                magic.parsed_line(wrong)

    def test_cell(self) -> None:
        name, functions, found = magic.compile_cell("bank --scheme bgv", DOT_CELL)
        self.assertEqual((name, list(functions), found), ("bank", ["dot"], ()))
        run = functions["dot"].run([1, 2, 3, 4], [5, 6, 7, 8])
        self.assertEqual((run.value, run.costs["scheme"]), (70, "bgv"))

    def test_sizes(self) -> None:
        text = "fn(he) dot'<n>(a: secret [i64; n] in 0..100, b: secret [i64; n] in 0..100) -> secret i64 { sum(a * b) }"
        _, functions, _ = magic.compile_cell("--device ref", text)
        self.assertEqual(functions["dot"]([1, 2, 3], [4, 5, 6]), 32)
        self.assertIn("for all n", repr(functions["dot"]))
        _, functions, _ = magic.compile_cell("--size n=2", text)
        self.assertEqual(functions["dot"]([1, 2], [4, 5]), 14)
        self.assertEqual(functions["dot"].parameters[0].shape, (2,))
        cells = session.Session()
        cells.execute(text)
        self.assertEqual([each.text for each in cells.execute("dot([1], [2])\ndot([1, 2], [3, 4])")],
                         ["out = 2", "out = 11"])
        self.assertIn("ring dimension", cells.execute("%costs dot size=n=3")[0].text)

    def test_errors_count_lines_as_the_notebook_does(self) -> None:
        with self.assertRaises(magic.CellError) as caught:
            magic.compile_cell("", DOT_CELL.replace("w[i]", "v[i]"))
        self.assertIn("--> cell.tacet:3:27", str(caught.exception))
        self.assertEqual(caught.exception._render_traceback_(), str(caught.exception).splitlines())

    @unittest.skipIf(InteractiveShell is None, "IPython is not installed")
    def test_in_ipython(self) -> None:
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, {"IPYTHONDIR": folder}):
            config = traitlets.config.Config()
            config.HistoryManager.enabled = False
            shell = InteractiveShell.instance(config=config)
            shell.run_line_magic("load_ext", "tacet")
            self.assertTrue(shell.run_cell("%%tacet --device ref\n" + DOT_CELL).success)
            self.assertEqual(shell.user_ns["dot"]([1, 2, 3, 4], [5, 6, 7, 8]), 70)
            self.assertTrue(shell.run_cell("%%tacet bank\n" + DOT_CELL).success)
            self.assertEqual(shell.user_ns["bank"].dot([1, 2, 3, 4], [5, 6, 7, 8]), 70)
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                failed = shell.run_cell("%%tacet\n" + DOT_CELL.replace("w[i]", "v[i]"))
            self.assertIsInstance(failed.error_in_exec, magic.CellError)
            self.assertIn("unknown name `v`", printed.getvalue())
            self.assertNotIn("Traceback", printed.getvalue())
            self.assertIn("x: secret [i64; 4] in 0..256", shell.object_inspect("dot")["definition"])


@unittest.skipIf(jupyter_client is None, "python3-ipykernel is not installed")
class Kernel(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        from jupyter_client.manager import start_new_kernel

        cls.folder = tempfile.TemporaryDirectory()
        done = subprocess.run([sys.executable, "-m", "tacet.kernel", "install", "--prefix", cls.folder.name],
                              capture_output=True, text=True, check=True)
        assert cls.folder.name in done.stdout, done
        cls.environment = mock.patch.dict(os.environ, {
            "JUPYTER_PATH": str(pathlib.Path(cls.folder.name) / "share/jupyter"),
            "PYDEVD_DISABLE_FILE_VALIDATION": "1"})
        cls.environment.start()
        cls.manager, cls.client = start_new_kernel(kernel_name="tacet")

    @classmethod
    def tearDownClass(cls) -> None:
        cls.client.stop_channels()
        cls.manager.shutdown_kernel(now=True)
        cls.environment.stop()
        cls.folder.cleanup()

    def run_cell(self, code: str) -> tuple:
        """The reply, and the outputs."""
        outputs: list = []
        reply = self.client.execute_interactive(code, timeout=60, output_hook=outputs.append)
        shown = [each["content"] for each in outputs if each["msg_type"] in ("display_data", "error", "stream")]
        return reply["content"], shown

    def test_cells(self) -> None:
        reply, outputs = self.run_cell(DOT_CELL)
        self.assertEqual((reply["status"], outputs), ("ok", []))
        reply, outputs = self.run_cell("dot([1, 2, 3, 4], [5, 6, 7, 8], device=\"he\")")
        self.assertEqual([each["data"] for each in outputs], [{"text/plain": "out = 70"}])
        reply, outputs = self.run_cell("%picture dot")
        self.assertIn("<svg", outputs[0]["data"]["image/svg+xml"])
        reply, outputs = self.run_cell(DOT_CELL.replace("w[i]", "v[i]"))
        self.assertEqual((reply["status"], reply["ename"]), ("error", "ProgramError"))
        self.assertTrue(any("^" in line for line in outputs[0]["traceback"]))

    def test_complete_and_inspect(self) -> None:
        self.run_cell(DOT_CELL)
        reply = self.client.complete("do", reply=True, timeout=60)["content"]
        self.assertEqual((reply["matches"], reply["cursor_start"], reply["cursor_end"]), (["dot("], 0, 2))
        reply = self.client.inspect("dot(", 1, reply=True, timeout=60)["content"]
        self.assertTrue(reply["found"])
        self.assertIn("dot", reply["data"]["text/markdown"])
        reply = self.client.inspect("nothing(", 1, reply=True, timeout=60)["content"]
        self.assertFalse(reply["found"])

    def test_interrupt(self) -> None:
        self.run_cell("fn(mpc) long(x: secret i64) -> secret i64 { var y = x; "
                      "for i in 0..1000000000 { y = y * y + i; } y }\n" + DOT_CELL)
        for device in ("ref", "mpc"):
            timer = threading.Timer(1, self.manager.interrupt_kernel)
            timer.start()
            begin = time.perf_counter()
            reply, _ = self.run_cell(f'long(1, device="{device}")')
            self.assertEqual((reply["status"], reply["ename"]), ("error", "KeyboardInterrupt"))
            self.assertLess(time.perf_counter() - begin, 4)
            timer.join()
        reply, outputs = self.run_cell("dot([1, 2, 3, 4], [5, 6, 7, 8])")
        self.assertEqual([each["data"] for each in outputs], [{"text/plain": "out = 70"}])

    def test_is_complete(self) -> None:
        for code, status in (("fn(he) f() {", "incomplete"), ("dot([1], [2])", "complete")):
            asked = self.client.is_complete(code)
            reply = self.client.get_shell_msg(timeout=60)
            while reply["parent_header"].get("msg_id") != asked:
                reply = self.client.get_shell_msg(timeout=60)
            self.assertEqual(reply["content"]["status"], status)

    def test_specification(self) -> None:
        path = pathlib.Path(tacet.__file__).parent / "kernelspec/kernel.json"
        specification = json.loads(path.read_text("utf-8"))
        self.assertEqual(specification["argv"][1:3], ["-m", "tacet.kernel"])


class Missing(unittest.TestCase):
    def test_without_ipykernel(self) -> None:
        with mock.patch.dict(sys.modules, {"ipykernel": None, "ipykernel.kernelbase": None}):
            with self.assertRaisesRegex(ImportError, "ipykernel"):
                kernel.kernel_class()
        code = ("import sys; sys.modules['ipykernel'] = None; sys.modules['ipykernel.kernelbase'] = None\n"
                "sys.argv = ['kernel']; import runpy; runpy.run_module('tacet.kernel', run_name='__main__')")
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.strip(), f"tacet: {kernel.MISSING}")


if __name__ == "__main__":
    unittest.main()

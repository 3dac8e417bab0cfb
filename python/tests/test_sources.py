"""Checking, linting, formatting, explaining; places in a text; the command; the options."""

import pathlib
import tempfile
import unittest

import tacet
from programs import COPIES, DOT, LEAKY

LEAKING = "#version 0.1.0\nfn(mpc) f(x: secret i64) -> secret i64 { y }\n"


class Sources(unittest.TestCase):
    def test_check(self) -> None:
        self.assertEqual(tacet.check(DOT), ())
        self.assertEqual(str(tacet.check(DOT)), "")
        (found,) = tacet.check(LEAKING)
        self.assertEqual((found.code, found.line, found.severity), ("T1003", 2, "error"))
        self.assertIn("^", str(tacet.check(LEAKING)))

    def test_check_of_what_is_no_program(self) -> None:
        for text in ("", "\n", "no program\n", "#version 9.9.9\n", "#version 0.1.0\nfn", "\ud800\n", "\0\n",
                     "fn(he) f(" * 1000):
            found = tacet.Source(text).check()
            self.assertTrue(any(each.severity == "error" for each in found), repr(text[:20]))

    def test_lint(self) -> None:
        codes = {each.code for each in tacet.lint(LEAKY)}
        self.assertIn("T5001", codes)
        self.assertEqual({each.code for each in tacet.lint(LEAKY, select=["T5001"])}, {"T5001"})
        self.assertEqual({each.code for each in tacet.lint(LEAKY, select="T5001")}, {"T5001"})
        self.assertNotIn("T5001", {each.code for each in tacet.lint(LEAKY, ignore=["T5001"])})
        with self.assertRaises(tacet.UsageError):
            tacet.lint(LEAKY, select=["no-such-rule"])

    def test_fix(self) -> None:
        fixed = tacet.fix(LEAKY)
        self.assertEqual([each for each in tacet.lint(fixed) if each.code.startswith("T50")], [])
        for numbers, wanted in (([5, 3, 8, 1, 9, 2, 7, 4], 9), ([1] * 8, 1), ([0] * 8, 3)):
            expected = numbers.index(wanted) if wanted in numbers else 8
            self.assertEqual(tacet.compile(fixed, device="ref")(numbers, wanted), expected)

    def test_format(self) -> None:
        self.assertEqual(tacet.format(tacet.format(DOT)), tacet.format(DOT))
        self.assertEqual(tacet.format("#version 0.1.0\nfn(mpc)  f(x:secret  i64)->secret i64{x*x}\n"),
                         "#version 0.1.0\nfn(mpc) f(x: secret i64) -> secret i64 { x * x }\n")
        with self.assertRaises(tacet.ProgramError) as caught:
            tacet.format("#version 0.1.0\nfn(mpc f\n")
        self.assertTrue(caught.exception.diagnostics)

    def test_functions(self) -> None:
        functions = tacet.functions(COPIES)
        self.assertEqual([each.name for each in functions][:3],
                         ["one_of_bool", "some_of_bool", "table_of_bool"])
        self.assertEqual((functions[0].device, functions[0].line), ("mpc", 2))
        self.assertEqual([each.device for each in tacet.functions(DOT)], ["he"])
        self.assertEqual(tacet.functions("#version 0.1.0\n"), [])

    def test_emit(self) -> None:
        self.assertIn("input x: [4] from client in 0..256", tacet.emit(DOT, "array"))
        self.assertIn("input x: secret i8[3]", tacet.emit(COPIES, "mpc", "some_of_i8"))
        sized = DOT.replace("dot", "dot'<n>").replace(" 4", " n")
        self.assertIn("[2]", tacet.emit(sized, "array", sizes={"n": 2}))
        self.assertNotEqual(tacet.emit(DOT, "gates"), tacet.emit(DOT.replace("256", "16"), "gates"))
        with self.assertRaises(tacet.UsageError):
            tacet.emit(DOT, "no stage")

    def test_explain_code(self) -> None:
        self.assertIn("T2001", tacet.explain_code("T2001"))
        self.assertIn("T9404", tacet.explain_code(""))
        with self.assertRaises(tacet.UsageError):
            tacet.explain_code("T0000")

    def test_hover_and_complete(self) -> None:
        source = tacet.Source(DOT)
        self.assertIn("dot", source.hover(2, 9))
        self.assertEqual(source.hover(100, 1), "")
        line = "fn(mpc) g(first: secret i64) -> secret i64 { fir"
        found = tacet.Source(f"#version 0.1.0\n{line} }}\n").complete(2, len(line) + 1)
        first = next(each for each in found if each.label == "first")
        self.assertEqual((first.insert, line[first.begin - 1:first.end - 1]), ("first", "fir"))

    def test_later_changes_of_a_file_change_nothing(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "dot.tacet"
            path.write_text(DOT)
            source = tacet.Source(path)
            path.write_text("nothing")
            self.assertEqual(tacet.compile(source, device="ref")([1, 2, 3, 4], [5, 6, 7, 8]), 70)


class Command(unittest.TestCase):
    def test_command(self) -> None:
        self.assertIn(tacet.__version__, tacet.command("version").out)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "wrong.tacet"
            path.write_text(LEAKING)
            done = tacet.command("check", path)
            self.assertEqual(done.exit_code, 1)
            self.assertIn("T1003", done.out)
            self.assertIn("1 error", done.err)
        self.assertEqual(tacet.command("no such command").exit_code, 2)
        self.assertEqual(tacet.command("help").exit_code, 0)

    def test_what_serves(self) -> None:
        for name in ("lsp", "playground"):
            with self.assertRaises(tacet.UsageError):
                tacet.command(name)

    def test_arguments(self) -> None:
        for argument in ("a\0b", "\ud800"):
            with self.assertRaises(tacet.UsageError):
                tacet.command("check", argument)
        with self.assertRaises(TypeError):
            tacet.command("check", 3)


if __name__ == "__main__":
    unittest.main()

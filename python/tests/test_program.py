"""Compiling: fields, signatures, options, devices, files and errors."""

import decimal
import fractions
import inspect
import os
import pathlib
import pickle
import tempfile
import unittest

import tacet
from programs import COMPARISON, COPIES, DOT, PEOPLE, REALS


class Fields(unittest.TestCase):
    def test_parameters_and_results(self) -> None:
        program = tacet.compile(DOT)
        x, w = program.parameters
        self.assertEqual((x.name, x.type, x.element, x.shape, x.owner, x.bound, x.is_secret),
                         ("x", "[i64; 4]", "i64", (4,), "client", "0..256", True))
        self.assertEqual((w.name, w.owner), ("w", "server"))
        (out,) = program.results
        self.assertEqual((out.type, out.shape, out.error), ("i64", (), 0.0))
        self.assertEqual((program.name, program.device), ("dot", "he"))

    def test_reals_have_an_error(self) -> None:
        (out,) = tacet.compile(REALS).results
        self.assertEqual((out.element, out.shape, out.fraction_bits), ("fxp", (5,), 18))
        self.assertGreater(out.error, 0)

    def test_signature(self) -> None:
        program = tacet.compile(DOT)
        self.assertEqual(list(inspect.signature(program).parameters), ["x", "w", "device", "options"])
        self.assertIn("x: secret [i64; 4] in 0..256 from client", str(program.signature))
        self.assertIn("dot(x: secret [i64; 4]", repr(program))

    def test_keyword_of_python_as_a_parameter(self) -> None:
        program = tacet.compile("#version 0.1.0\nfn(mpc) f(lambda: secret i64) -> secret i64 { lambda }\n",
                                device="ref")
        self.assertEqual(program(**{"lambda": 3}), 3)
        self.assertEqual(program(lambda_=4), 4)
        self.assertIn("lambda_", program.signature.parameters)

    def test_parameters_that_are_called_as_options(self) -> None:
        program = tacet.compile("#version 0.1.0\nfn(mpc) f(device: secret i64, progress: secret i64) -> "
                                "secret i64 { device - progress }\n", device="ref")
        self.assertEqual(program(device=9, progress=2), 7)
        self.assertEqual(program.on("mpc")(9, 2), 7)


class Compile(unittest.TestCase):
    def test_path_and_text(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "dot.tacet"
            path.write_text(DOT)
            for source in (path, str(path), tacet.Source(path), DOT, tacet.Source(DOT)):
                self.assertEqual(tacet.compile(source)([1, 2, 3, 4], [5, 6, 7, 8]), 70)
            with self.assertRaises(tacet.RunError):
                tacet.compile("absent.tacet")
            with self.assertRaises(tacet.UsageError):
                tacet.compile(b"#version 0.1.0\n")  # type: ignore[arg-type]

    def test_imports_beside_a_text(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "other.tacet").write_text(
                "#version 0.1.0\nfn(mpc) twice(x: secret i64) -> secret i64 { 2 * x }\n")
            program = tacet.compile("#version 0.1.0\nimport other\nfn(mpc) f(x: secret i64) -> "
                                    "secret i64 { twice(x) }\n", "f", "ref",
                                    path=os.path.join(folder, "main.tacet"))
            self.assertEqual(program(21), 42)

    def test_array_program(self) -> None:
        text = "input a: [2, 3] from server\ninput b: [3] from client\nfor i: 2 { sum(for j: 3 { a[i][j] * b[j] }) }\n"
        program = tacet.compile(text, path="product.tlhe", ranges={"a": (0, 9), "b": range(9)},
                                device="he")
        self.assertEqual(list(program([[1, 2, 3], [4, 5, 6]], [1, 0, 2])), [7, 16])

    def test_ranges(self) -> None:
        text = "#version 0.1.0\nfn(he) square(x: secret i64) -> secret i64 { x * x }\n"
        for value in ((-5, 6), [-5, 6], range(-5, 6), "-5..6"):
            program = tacet.compile(text, ranges={"x": value})
            self.assertEqual(program(-5), 25)
            self.assertEqual(program.options, {"range": ["x=-5..6"]})
            with self.assertRaisesRegex(tacet.UsageError, "-5..6"):
                program(6)
        for value in ((1,), range(0, 6, 2), (1, "a"), None):
            with self.assertRaises(tacet.UsageError):
                tacet.compile(text, ranges={"x": value})
        with self.assertRaisesRegex(tacet.UsageError, r'ranges=\{"x": \(LO, HI\)\}'):
            tacet.compile(text)

    def test_ranges_with_fractions(self) -> None:
        text = "#version 0.1.0\nfn(he) half(x: secret fxp) -> secret fxp { x / 2.0 }\n"
        program = tacet.compile(text, ranges={"x": (-0.25, decimal.Decimal("0.5"))})
        self.assertAlmostEqual(program(0.375), 0.1875, delta=program.results[0].error)
        for number in (-1e-7, fractions.Fraction(1, 8)):
            tacet.compile(text, ranges={"x": (number, 1)})

    def test_sizes(self) -> None:
        text = "#version 0.1.0\nfn(he) total'<n>(a: secret [i64; n] in 0..100) -> secret i64 { sum(a) }\n"
        self.assertEqual(tacet.compile(text, sizes={"n": 3})([1, 2, 3]), 6)
        self.assertEqual(tacet.compile(text, sizes={"n": 3}).on(sizes={"n": 2})([1, 2]), 3)
        with self.assertRaisesRegex(tacet.UsageError, r'sizes=\{"n": N\}'):
            tacet.compile(text)

    def test_options(self) -> None:
        for scheme in ("bfv", "bgv", "cggi"):
            program = tacet.compile(DOT, scheme=scheme, unhidden=True)
            run = program.run([1, 2, 3, 4], [5, 6, 7, 8])
            self.assertEqual((run.value, run.costs["scheme"]), (70, scheme))
        self.assertEqual(tacet.compile(DOT, security=192).costs()["security"], 192)
        for options in ({"scheme": "none"}, {"no_such_option": 1}, {"scheme": object()},
                        {"security": 129}, {"device": "none"}, {"function": "none"}):
            with self.assertRaises(tacet.UsageError, msg=str(options)):
                tacet.compile(DOT, **options)

    def test_several_functions(self) -> None:
        with self.assertRaisesRegex(tacet.UsageError, "`one_of_bool`"):
            tacet.compile(COPIES)

    def test_other_devices_are_compiled_once(self) -> None:
        program = tacet.compile(DOT)
        self.assertIs(program.on("ref"), program.on("ref"))
        self.assertIs(program.on("he"), program)
        self.assertIsNot(program.on("he", scheme="bgv"), program)
        self.assertEqual(program.on("ref").device, "ref")
        self.assertEqual(program([1, 2, 3, 4], [5, 6, 7, 8], device="ref"), 70)

    def test_notes(self) -> None:
        self.assertTrue(any("CGGI" in note for note in tacet.compile(COMPARISON).notes),
                        tacet.compile(COMPARISON).notes)
        self.assertEqual(tacet.compile(DOT, device="ref").notes, [])


class Costs(unittest.TestCase):
    def test_costs_and_pictures(self) -> None:
        program = tacet.compile(DOT, scheme="bfv")
        self.assertEqual(program.costs()["scheme"], "bfv")
        self.assertEqual(program.costs()["rotations"], 0)
        self.assertRegex(program.explain(), r"scheme +bfv")
        for kind in ("circuit", "layout"):
            picture = program.picture(kind)
            self.assertTrue(picture._repr_svg_().lstrip().startswith("<svg"), picture)
            with tempfile.TemporaryDirectory() as folder:
                picture.save(os.path.join(folder, "a.svg"))
                self.assertEqual(pathlib.Path(folder, "a.svg").read_text("utf-8"), picture.svg)
        smooth = tacet.compile("#version 0.1.0\nfn(he) f(x: secret fxp in -4..4 from client) -> secret fxp "
                               "within 0.01 { sigmoid(x) }\n")
        self.assertIn("sigmoid(x)", smooth.picture("approximations").svg)
        with self.assertRaisesRegex(tacet.UsageError, "circuit"):
            program.picture("none")
        self.assertEqual(tacet.compile(DOT, device="ref").costs(), {})
        with self.assertRaises(tacet.UsageError):
            tacet.compile(DOT, device="ref").picture()


class Files(unittest.TestCase):
    def test_bytes(self) -> None:
        program = tacet.compile(DOT)
        again = tacet.Program.from_bytes(bytes(program))
        self.assertEqual(bytes(again), bytes(program))
        self.assertEqual(again([1, 2, 3, 4], [5, 6, 7, 8]), 70)
        self.assertEqual([field.name for field in again.parameters], ["x", "w"])
        with self.assertRaisesRegex(tacet.UsageError, "without its source"):
            again.on("ref")

    def test_save_and_load(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "dot.he"
            tacet.compile(DOT).save(path)
            self.assertEqual(tacet.load(path)([1, 2, 3, 4], [5, 6, 7, 8]), 70)
            done = tacet.command("run", path, "[1, 2, 3, 4]", "[5, 6, 7, 8]")
            self.assertEqual((done.exit_code, done.out.strip()), (0, "out = 70"))

    def test_damaged_bytes(self) -> None:
        whole = bytes(tacet.compile(DOT))
        for data in (b"", b"none", whole[:-10], whole.replace(b"x", b"y", 1)):
            with self.assertRaises(tacet.Error):
                tacet.Program.from_bytes(data)

    def test_pickle(self) -> None:
        program = tacet.compile(DOT, device="ref")
        again = pickle.loads(pickle.dumps(program))
        self.assertEqual((again.device, again([1, 2, 3, 4], [5, 6, 7, 8])), ("ref", 70))
        loaded = pickle.loads(pickle.dumps(tacet.Program.from_bytes(bytes(tacet.compile(DOT)))))
        self.assertEqual(loaded([1, 2, 3, 4], [5, 6, 7, 8]), 70)


class Records(unittest.TestCase):
    def test_records(self) -> None:
        program = tacet.compile(PEOPLE, sizes={"n": 3})
        rows = [{"age": 31, "income": 4200, "region": 1}, {"age": 58, "income": 3900, "region": 2},
                {"age": 47, "income": 5100, "region": 1}]
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        for device in ("ref", "mpc"):
            for people in (rows, columns, {**columns, "age": bytes(columns["age"])}):
                found = program(people, 1, device=device)
                self.assertEqual(tuple(found), (47, 5100, 1))
                self.assertEqual((found.age, found["income"]), (47, 5100))
                self.assertEqual(pickle.loads(pickle.dumps(found)), found)
        separate = {f"people.{name}": values for name, values in columns.items()}
        self.assertEqual(program(region=2, device="ref", **separate).age, 58)

    def test_several_results(self) -> None:
        found = tacet.compile(COMPARISON)(200, 7)
        self.assertEqual(tuple(found), (200, True))
        self.assertEqual((found.out0, found["out1"]), (200, True))
        with self.assertRaises(KeyError):
            found["none"]


class Errors(unittest.TestCase):
    def test_carets(self) -> None:
        with self.assertRaises(tacet.ProgramError) as caught:
            tacet.compile(DOT.replace("w[i]", "v[i]"))
        found = caught.exception.diagnostics[0]
        self.assertEqual((found.code, found.severity, found.line, found.column, found.end_column),
                         ("T1003", "error", 3, 27, 28))
        line, carets = str(caught.exception).split("\n")[3:5]
        self.assertEqual(line[carets.index("^")], "v")
        again = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((str(again), again.diagnostics), (str(caught.exception), (found,)))
        self.assertIn("T1003", str(found))
        self.assertEqual(found.code, caught.exception.diagnostics.details()[0]["code"])

    def test_columns_are_characters(self) -> None:
        with self.assertRaises(tacet.ProgramError) as caught:
            tacet.compile("#version 0.1.0\nfn(mpc) f(x: secret i64) -> secret i64 { /* é😀 */ y }\n")
        text = "fn(mpc) f(x: secret i64) -> secret i64 { /* é😀 */ y }"
        self.assertEqual(caught.exception.diagnostics[0].column, text.index("y }") + 1)

    def test_device_cannot_run(self) -> None:
        with self.assertRaises(tacet.ProgramError):
            tacet.compile(COMPARISON, scheme="ckks")

    def test_arguments(self) -> None:
        program = tacet.compile(DOT, device="ref")
        x, w = [1, 2, 3, 4], [5, 6, 7, 8]
        for call, message in (
                (lambda: program(x), "no value for `w`"), (lambda: program(x, w, w), "3 arguments"),
                (lambda: program(x, x=w), "`x` is given twice"),
                (lambda: program(x, w, y=1), "`y` is neither a parameter of `dot`"),
                (lambda: program(), "`x`, `w`")):
            with self.assertRaisesRegex(tacet.ArgumentError, message) as caught:
                call()
            self.assertIsInstance(caught.exception, TypeError)
            self.assertIsInstance(caught.exception, ValueError)

    def test_empty_names(self) -> None:
        program = tacet.compile(DOT, device="ref")
        for call in (lambda: tacet.compile(DOT, function=""), lambda: tacet.compile(DOT, device=""),
                     lambda: tacet.compile(""), lambda: tacet.compile(pathlib.Path("")),
                     lambda: program([1, 2, 3, 4], [1, 2, 3, 4], **{"": 1}), lambda: tacet.emit(DOT, ""),
                     lambda: tacet.compile(DOT, **{"": "1"}), lambda: tacet.function(DOT, ""),
                     lambda: tacet.compile(DOT, sizes={"": 1}), lambda: tacet.compile(DOT, ranges={"": (0, 1)}),
                     lambda: tacet.compile(DOT, device="ref")(tacet.File(""), [1, 2, 3, 4]),
                     lambda: tacet.compile(DOT).picture(""), lambda: tacet.party_key("")):
            with self.assertRaises(tacet.Error):
                call()

    def test_hierarchy(self) -> None:
        for kind in (tacet.UsageError, tacet.ProgramError, tacet.RunError, tacet.InternalError):
            self.assertTrue(issubclass(kind, tacet.Error))


if __name__ == "__main__":
    unittest.main()

"""Functions with size and type parameters, compiled for the values of each call."""

import array
import pathlib
import tempfile
import unittest

import tacet
from tacet.sized import sizes_of_function

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]

SOURCE = tacet.Source("""#version 0.1.0
type Person = { age: secret u8, income: secret i32 };

/// Sums over windows.
fn(mpc) windows'<n, k>(a: secret [i64; n] in 0..100, // what is added up
                       w: [i64; k]) -> secret [i64; n - k + 1] where n >= k {
    for i: n - k + 1 { sum(for j: k { a[i + j] * w[j] }) }
}
fn(mpc) largest'<T: number, n>(a: secret [T; n], least: secret T) -> secret T {
    var best = least;
    for x in a { best = x if x > best else best; }
    best
}
fn(he) dot'<n>(a: secret [i64; n] in 0..100, b: secret [i64; n] in 0..100) -> secret i64 { sum(a * b) }
fn(mpc) incomes'<n>(people: [Person; n]) -> secret i32 { sum(people.income) }
fn(mpc) columns'<n, m>(x: secret [i64; n, m]) -> secret [i64; m] { sum(x) }
fn(mpc) ones'<n>() -> secret [i64; n] { for i: n { 1 } }
fn(mpc) same(x: secret i64) -> secret i64 { x }
""")


def function(name: str, device: str = "ref") -> tacet.SizedFunction:
    return tacet.function(SOURCE, name, device)


def plain(value):
    return value.tolist() if hasattr(value, "tolist") else value


class Sized(unittest.TestCase):
    def test_the_tree_of_the_compiler(self) -> None:
        self.assertEqual(SOURCE.check(), ())
        found = sizes_of_function(SOURCE, "largest")
        self.assertEqual((found.sizes, found.types), (("n",), ("T",)))
        self.assertEqual([tuple(each) for each in found.parameters], [("a", ("n",), "T"), ("least", (), "T")])
        self.assertEqual([each.lengths for each in sizes_of_function(SOURCE, "columns").parameters], [("n", "m")])
        self.assertEqual(function("windows").sizes, ("n", "k"))
        self.assertEqual(function("same").sizes, ())

    def test_sizes_of_the_values(self) -> None:
        windows = function("windows")
        self.assertEqual(plain(windows([1, 2, 3, 4], [1, 1])), [3, 5, 7])
        self.assertEqual(plain(windows([1, 2, 3], w=(1, 2, 3))), [14])
        self.assertEqual(plain(windows(range(3), array.array("h", [2]))), [0, 2, 4])
        self.assertEqual(plain(function("columns")([[1, 2, 3], [4, 5, 6]])), [5, 7, 9])
        for n in (1, 4, 7):
            self.assertEqual(function("dot")(list(range(n)), [1] * n), sum(range(n)))
        self.assertEqual(function("same")(3), 3)

    def test_devices(self) -> None:
        dot = tacet.function(SOURCE, "dot")
        self.assertEqual(dot([1, 2, 3], [4, 5, 6]), 32)
        self.assertEqual(dot([1, 2], [4, 5], device="ref"), 14)
        run = dot.run([1, 2, 3], [4, 5, 6], scheme="bgv")
        self.assertEqual((run.value, run.costs["scheme"]), (32, "bgv"))

    def test_types(self) -> None:
        largest = function("largest")
        for values, least, expected, kind in (([3, 9, 2], 0, 9, int), ([3, 9.5, 2], 0, 9.5, float),
                                              ([3, 9, 2], 0.5, 9.0, float), ([3, 2], 2**40, 2**40, int)):
            found = largest(values, least)
            self.assertEqual((found, type(found)), (expected, kind))

    @unittest.skipIf(np is None, "NumPy is not installed")
    def test_types_of_arrays(self) -> None:
        largest = function("largest")
        self.assertEqual(largest(np.array([3, 200], np.uint8), 0), 200)
        self.assertEqual(largest.sizes_of(np.array([3], np.uint8), 0), {"n": 1, "T": "u8"})
        self.assertEqual(largest.sizes_of(np.array([3.0, 1]), 0), {"n": 2, "T": "fxp"})
        with self.assertRaisesRegex(tacet.UsageError, "`T` is i16 here and u8"):
            largest(np.array([3], np.uint8), np.int16(2))
        with self.assertRaises(tacet.UsageError):
            largest(np.array([3], np.uint8), 256)
        self.assertEqual(plain(function("columns")(np.arange(6).reshape(2, 3).T)), [3, 12])

    def test_records(self) -> None:
        incomes = function("incomes")
        self.assertEqual(incomes([{"age": 1, "income": 5}, {"age": 2, "income": 7}]), 12)
        self.assertEqual(incomes({"age": [1, 2, 3], "income": [5, 7, 9]}), 21)

    def test_sizes_that_are_given(self) -> None:
        self.assertEqual(plain(function("ones")(sizes={"n": 3})), [1, 1, 1])
        self.assertEqual(plain(tacet.function(SOURCE, "ones", "ref", sizes={"n": 2})()), [1, 1])
        self.assertEqual(function("dot")(tacet.Random(), [0, 0], sizes={"n": 2}), 0)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "a.json"
            path.write_text("[1, 2]")
            self.assertEqual(function("dot")(tacet.File(path), [3, 4]), 11)

    def test_programs(self) -> None:
        dot = tacet.function(SOURCE, "dot")
        self.assertIs(dot.program(n=3), dot.program(n=3))
        self.assertEqual(dot.program(n=3).parameters[0].shape, (3,))
        client = tacet.Client(dot.program(n=2))
        server = tacet.Server(dot.program(n=2), client.keys)
        self.assertEqual(client.decrypt(server.evaluate(client.encrypt([1, 2], [3, 4]))), 11)

    def test_errors(self) -> None:
        dot = function("dot")
        for call in (lambda: dot([1, 2], [1, 2, 3]), lambda: dot([1, 2]), lambda: dot([1], [1], [1]),
                     lambda: dot(tacet.Random(), tacet.Random()), lambda: dot([], []),
                     lambda: dot([1], [1], none=1), lambda: function("none"), lambda: tacet.function(SOURCE),
                     lambda: tacet.function("#version 0.1.0\n"), lambda: function("windows")([1], [1, 2])):
            with self.assertRaises(tacet.Error):
                call()
        with self.assertRaisesRegex(tacet.UsageError, "parameter `b`: `n` is 3 here and 2"):
            dot([1, 2], [1, 2, 3])


if __name__ == "__main__":
    unittest.main()

"""Values: every element type at the ends of its range, arrays in every form, and what is no value."""

import array
import decimal
import fractions
import json
import math
import os
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

import tacet
from programs import COPIES, DOT, INTEGERS
from tacet import _outputs

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]

SOURCE = tacet.Source(COPIES)
UNIT = fractions.Fraction(1, 2**18)
FXP_LEAST, FXP_MOST = -2**63 * UNIT, (2**63 - 1) * UNIT


def copy_of(name: str) -> tacet.Program:
    return tacet.compile(SOURCE, name, "ref")


def ends(element: str) -> tuple:
    bits = int(element[1:])
    return (-2**(bits - 1), 2**(bits - 1) - 1) if element[0] == "i" else (0, 2**bits - 1)


def numpy_type(element: str) -> "np.dtype":
    return np.dtype(bool) if element == "bool" else np.dtype(f"{element[0]}{int(element[1:]) // 8}")


class Numbers(unittest.TestCase):
    def test_integers(self) -> None:
        for element in INTEGERS:
            copy, least, most = copy_of("one_of_" + element), *ends(element)
            for number in (least, most, 0, 1):
                self.assertEqual((copy(number), type(copy(number))), (number, int))
                self.assertEqual(copy(decimal.Decimal(number)), number)
                self.assertEqual(copy(fractions.Fraction(number)), number)
            for number in (least - 1, most + 1, 10**40, -10**40, 1.5, True, 10**5000):
                with self.assertRaisesRegex(tacet.UsageError, "parameter `x`"):
                    copy(number)

    def test_bool(self) -> None:
        copy = copy_of("one_of_bool")
        self.assertIs(copy(True), True)
        self.assertIs(copy(False), False)
        for value in (2, -1, 0.5):
            with self.assertRaises(tacet.UsageError):
                copy(value)

    def test_fixed_point(self) -> None:
        copy = copy_of("one_of_fxp")
        for number in (0, 1, -1, 0.5, -0.25, 2**-18, 12345.671875, 2**40 + 0.5):
            self.assertEqual((copy(number), type(copy(number))), (number, float))
        self.assertEqual(copy(fractions.Fraction(3, 8)), 0.375)
        self.assertEqual(copy(decimal.Decimal("-0.125")), -0.125)
        # Correctly rounded: the quotient of the integers.
        for number in (FXP_LEAST, FXP_MOST, FXP_MOST - UNIT, 2**53 * UNIT + UNIT):
            self.assertEqual(copy(number), number.numerator / number.denominator)
        for number in (FXP_LEAST - 1, FXP_MOST + UNIT, 1e300):
            with self.assertRaises(tacet.UsageError):
                copy(number)

    def test_fixed_point_rounds_to_the_nearest(self) -> None:
        copy = copy_of("one_of_fxp")
        for number in (0.1, -0.3, 1e-9, math.pi, fractions.Fraction(7, 2**20)):
            exact = fractions.Fraction(number)
            self.assertLessEqual(abs(fractions.Fraction(copy(number)) - exact), UNIT / 2)

    def test_no_numbers(self) -> None:
        copy = copy_of("one_of_fxp")
        for value in (math.nan, math.inf, -math.inf, decimal.Decimal("NaN"), fractions.Fraction(1, 3),
                      None, "1", "@file", b"", object(), {"a": 1}, {1: 2}, 1j, [], [[]], [None]):
            with self.assertRaisesRegex(tacet.UsageError, "parameter `x`", msg=repr(value)):
                copy(value)

    def test_lists(self) -> None:
        for element in INTEGERS:
            least, most = ends(element)
            rows = [[least, most, 0], [1, most, least]]
            self.assertEqual(_plain(copy_of("table_of_" + element)(rows)), rows)
            self.assertEqual(_plain(copy_of("some_of_" + element)(tuple(rows[0]))), rows[0])
        self.assertEqual(_plain(copy_of("some_of_i64")(range(3))), [0, 1, 2])
        self.assertEqual(_plain(copy_of("some_of_bool")([True, False, True])), [True, False, True])
        self.assertEqual(_plain(copy_of("some_of_fxp")([1, 0.5, decimal.Decimal("0.25")])), [1, 0.5, 0.25])

    def test_wrong_shapes(self) -> None:
        copy = copy_of("table_of_i64")
        for value in (1, [1, 2, 3], [[1, 2], [3, 4]], [[1, 2, 3]], [[1, 2, 3], [4, 5]],
                      [[[1, 2, 3], [4, 5, 6]]], [], [[], []]):
            with self.assertRaises(tacet.UsageError, msg=repr(value)):
                copy(value)

    def test_depth_and_cycles(self) -> None:
        deep: list = []
        for _ in range(100_000):
            deep = [deep]
        circle: list = []
        circle.append(circle)
        for value in (deep, circle):
            with self.assertRaisesRegex(tacet.UsageError, "nested too deeply"):
                copy_of("one_of_i64")(value)
        while deep:  # Freeing it at once would recurse as deeply.
            deep = deep.pop()

    def test_bounds(self) -> None:
        with self.assertRaisesRegex(tacet.UsageError, r"`x`: element \[3\] is 256, outside the bound 0..256"):
            tacet.compile(DOT)([1, 2, 3, 256], [1, 2, 3, 4])

    def test_files(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "numbers.json"
            path.write_text(json.dumps({"a": [1, 2, 3]}))
            copy = copy_of("some_of_i64")
            self.assertEqual(_plain(copy(tacet.File(path, "a"))), [1, 2, 3])
            with self.assertRaises(tacet.Error):
                copy(tacet.File(os.path.join(folder, "absent.json")))
            with self.assertRaises(tacet.UsageError):
                copy("@" + str(path))

    def test_random(self) -> None:
        found = tacet.compile(DOT, device="ref")(tacet.Random(), [1, 1, 1, 1])
        self.assertTrue(0 <= found < 4 * 256)


class Buffers(unittest.TestCase):
    def test_arrays_and_bytes(self) -> None:
        self.assertEqual(_plain(copy_of("some_of_u8")(b"\x00\x7f\xff")), [0, 127, 255])
        self.assertEqual(_plain(copy_of("some_of_u8")(bytearray(b"abc"))), [97, 98, 99])
        for code, element in zip("bhiqBHIQ", INTEGERS):
            numbers = array.array(code, [*ends(element), 1])
            self.assertEqual(_plain(copy_of("some_of_" + element)(numbers)), numbers.tolist())
            self.assertEqual(_plain(copy_of("some_of_" + element)(memoryview(numbers)[::-1])),
                             numbers.tolist()[::-1])
        self.assertEqual(_plain(copy_of("some_of_fxp")(array.array("f", [0.5, -1, 2]))), [0.5, -1, 2])

    def test_buffers_are_released(self) -> None:
        numbers = bytearray(b"abc")
        copy_of("some_of_u8")(numbers)
        numbers.append(1)  # BufferError while somebody has the memory.
        with self.assertRaises(tacet.UsageError):
            copy_of("some_of_u8")(numbers)
        numbers.append(1)

    def test_views_of_results(self) -> None:
        run = copy_of("table_of_i16").run([[1, 2, 3], [4, 5, -6]])
        view = run.view("x" if "x" in run.values else "out")
        del run
        self.assertEqual((view.format, view.shape, view.readonly), ("h", (2, 3), True))
        self.assertEqual(view.tolist(), [[1, 2, 3], [4, 5, -6]])
        run = copy_of("some_of_fxp").run([0.5, 1, -1])
        self.assertEqual(run.view("out").tolist(), [2**17, 2**18, -2**18])
        self.assertEqual(run.fraction_bits("out"), 18)
        self.assertIn("out=", repr(run))

    def test_results_as_json(self) -> None:
        run = copy_of("some_of_i64").run([1, 2, 3])
        self.assertIn([1, 2, 3], [value for value in json.loads(run.json).values()]
                      if isinstance(json.loads(run.json), dict) else [])


@unittest.skipIf(np is None, "NumPy is not installed")
class NumPy(unittest.TestCase):
    def arrays(self, element: str):
        """An array with the ends of its type, in every form."""
        least, most = (False, True) if element == "bool" else ends(element)
        plain = np.array([[least, most, 0], [1, most, least]], dtype=numpy_type(element))
        yield plain
        yield np.asfortranarray(plain)
        yield plain.astype(plain.dtype.newbyteorder(">"))
        yield plain.astype(plain.dtype.newbyteorder("<"))
        yield np.repeat(np.repeat(plain, 2, 0), 3, 1)[::2, ::3]
        yield plain[::-1, ::-1].copy()[::-1, ::-1]
        read_only = plain.copy()
        read_only.flags.writeable = False
        yield read_only
        yield np.broadcast_to(plain, (1, 2, 3))[0]

    def test_forms(self) -> None:
        for element in ["bool", *INTEGERS]:
            copy = copy_of("table_of_" + element)
            for given in self.arrays(element):
                found = copy(given)
                self.assertEqual(found.dtype, numpy_type(element))
                np.testing.assert_array_equal(found, given, str(given.flags))

    def test_other_types_of_elements(self) -> None:
        copy = copy_of("some_of_u8")
        for element in INTEGERS:
            np.testing.assert_array_equal(copy(np.array([0, 127, 1], numpy_type(element))), [0, 127, 1])
        for given in (np.array([0, 1, 256]), np.array([-1, 0, 0]), np.array([1.5, 0, 0]),
                      np.array([True, False, True])):
            with self.assertRaisesRegex(tacet.UsageError, r"element \[\d\]"):
                copy(given)
        objects = np.array([1, 2, 2**70], dtype=object)
        np.testing.assert_array_equal(copy(objects % 256), [1, 2, 0])
        with self.assertRaises(tacet.UsageError):
            copy(objects)

    def test_floats(self) -> None:
        numbers = [0.5, -1.25, 1024.0]
        for dtype in ("f2", "f4", "f8", ">f2", ">f4", ">f8"):
            found = copy_of("some_of_fxp")(np.array(numbers, dtype))
            self.assertEqual((found.dtype, found.tolist()), (np.dtype("f8"), numbers))
        for bad in (np.nan, np.inf, -np.inf):
            with self.assertRaises(tacet.UsageError):
                copy_of("some_of_fxp")(np.array([0, bad, 1]))
            with self.assertRaises(tacet.UsageError):
                copy_of("one_of_fxp")(np.float64(bad))

    def test_fixed_point_results_are_correctly_rounded(self) -> None:
        given = [FXP_LEAST, FXP_MOST, 2**53 * UNIT + UNIT]
        found = copy_of("some_of_fxp")(given)
        self.assertEqual(found.tolist(), [n.numerator / n.denominator for n in given])

    def test_scalars(self) -> None:
        for element in INTEGERS:
            for number in ends(element):
                value = numpy_type(element).type(number)
                self.assertEqual(copy_of("one_of_" + element)(value), number)
                self.assertEqual(_plain(copy_of("some_of_" + element)([value, 1, np.array(value)])),
                                 [number, 1, number])
        self.assertIs(copy_of("one_of_bool")(np.bool_(True)), True)
        self.assertEqual(copy_of("one_of_fxp")(np.float32(0.5)), 0.5)
        self.assertEqual(copy_of("one_of_i64")(np.array(7)), 7)

    def test_no_numbers(self) -> None:
        for given in (np.array(["2020-01-01"] * 3, "M8[D]"), np.array([1j] * 3), np.array(["a"] * 3),
                      np.array([1.0] * 3, "g"), np.ma.array([1, 2, 3], mask=[0, 1, 0])):
            with self.assertRaisesRegex(tacet.UsageError, "parameter `x`", msg=str(given.dtype)):
                copy_of("some_of_fxp")(given)
        np.testing.assert_array_equal(copy_of("some_of_i64")(np.ma.array([1, 2, 3])), [1, 2, 3])

    def test_wrong_shapes(self) -> None:
        for shape in ((), (0,), (4,), (3, 1), (1, 3)):
            with self.assertRaises(tacet.UsageError, msg=str(shape)):
                copy_of("some_of_i64")(np.zeros(shape, int))

    def test_results_outlive_their_run(self) -> None:
        found = copy_of("some_of_i64")([1, 2, 3])
        self.assertFalse(found.flags.writeable)
        self.assertFalse(found.flags.owndata)
        rest = found[1:]
        del found
        self.assertEqual(rest.tolist(), [2, 3])

    def test_what_has_array(self) -> None:
        class Series:
            def __array__(self) -> "np.ndarray":
                return np.array([1, 2, 3])

        np.testing.assert_array_equal(copy_of("some_of_i64")(Series()), [1, 2, 3])

    def test_without_numpy(self) -> None:
        with mock.patch.object(_outputs, "numpy", lambda: None):
            self.assertEqual(copy_of("table_of_i8")([[1, 2, 3], [4, 5, 6]]), [[1, 2, 3], [4, 5, 6]])
            self.assertEqual(copy_of("some_of_fxp")([0.5, 1, 2]), [0.5, 1.0, 2.0])
            self.assertEqual(copy_of("some_of_bool")([True, False, True]), [True, False, True])


class Encrypted(unittest.TestCase):
    def test_types_under_encryption(self) -> None:
        for element in ("i8", "u8"):
            least, most = ends(element)
            program = tacet.compile(SOURCE, "some_of_" + element, "he", ranges={"x": (least, most + 1)})
            self.assertEqual(_plain(program([least, most, 0])), [least, most, 0])


def _plain(value):
    return value.tolist() if hasattr(value, "tolist") else value


if __name__ == "__main__":
    sys.exit(unittest.main())

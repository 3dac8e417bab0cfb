"""The declarations of the package are those of `include/tacet.h`."""

import ctypes
import pathlib
import re
import unittest

import tacet
from tacet import _buffers, _library, signature

HEADER = (pathlib.Path(tacet.__file__).resolve().parents[2] / "include/tacet.h").read_text("utf-8")
CODE = re.sub(r"(?m)^#.*$", "", re.sub(r"/\*.*?\*/", "", HEADER, flags=re.S))
NUMBERS = {"uint32_t": ctypes.c_uint32, "size_t": ctypes.c_size_t, "int": ctypes.c_int, "void": None,
           "double": ctypes.c_double}


def kinds_of(declared: str) -> tuple:
    """What ctypes may say for a type of the header."""
    declared = " ".join(declared.replace("*", " * ").split())
    if declared.count("*") == 0:
        return (_library.Progress,) if declared == "tacet_progress" else (NUMBERS[declared],)
    base = declared.replace("const ", "").split(" ")[0]
    if base == "char":
        pointer = ctypes.POINTER(ctypes.c_char_p) if declared.count("*") == 2 else ctypes.c_char_p
        return (pointer,)
    if declared.count("*") == 2:
        return (ctypes.POINTER(ctypes.c_void_p),)
    structs = {"tacet_diagnostic": _library.DiagnosticStruct, "tacet_field": _library.FieldStruct,
               "tacet_array": _library.ArrayStruct, "tacet_input": _library.InputStruct,
               "tacet_control": _library.ControlStruct,
               "tacet_service_place": _library.ServicePlaceStruct,
               "int": ctypes.c_int}
    if base in structs:
        return (ctypes.POINTER(structs[base]),)
    return (ctypes.c_void_p, ctypes.c_char_p) if base == "void" else (ctypes.c_void_p,)


class Header(unittest.TestCase):
    def test_functions(self) -> None:
        declared = re.findall(r"TACET_API\s+([^;()]*?)\btacet_(\w+)\(([^)]*)\);", CODE)
        self.assertEqual({name for _, name, _ in declared}, set(_library.FUNCTIONS))
        for result, name, parameters in declared:
            has_result, has_parameters = _library.FUNCTIONS[name]
            self.assertIn(has_result, kinds_of(result), name)
            given = [] if parameters.strip() == "void" else parameters.split(",")
            types = [re.sub(r"\w+\s*$", "", each).replace("const *const", "* *") for each in given]
            self.assertEqual(len(types), len(has_parameters), name)
            for declared_type, has in zip(types, has_parameters):
                self.assertIn(has, kinds_of(declared_type), name)

    def test_structures(self) -> None:
        for name, struct in (("diagnostic", _library.DiagnosticStruct), ("field", _library.FieldStruct),
                             ("array", _library.ArrayStruct), ("input", _library.InputStruct),
                             ("control", _library.ControlStruct),
                             ("service_place", _library.ServicePlaceStruct)):
            body = re.search(r"typedef struct tacet_%s \{(.*?)\}" % name, CODE, re.S)
            members = [re.findall(r"\w+", each)[-1] for line in body.group(1).split(";") if line.strip()
                       for each in line.split(",")]
            self.assertEqual([field[0] for field in struct._fields_], members)

    def test_enumerations(self) -> None:
        def numbers(name: str) -> dict:
            body = re.search(r"typedef enum tacet_%s \{(.*?)\}" % name, CODE, re.S).group(1)
            return {key: int(value) for key, value in re.findall(r"TACET_(\w+) = (\d+)", body)}

        self.assertEqual({each.upper(): i for i, each in enumerate(_library.SEVERITIES)}, numbers("severity"))
        self.assertEqual({each.upper(): i for i, each in enumerate(signature.ELEMENTS)}, numbers("element"))
        for name, number in numbers("element").items():
            self.assertEqual(getattr(_buffers, name), number)
        self.assertEqual(numbers("status"), {"USAGE": 1, "REJECTED": 2, "FAILED": 3, "INTERNAL": 4,
                                             "CANCELLED": 5})

    def test_version(self) -> None:
        (version,) = re.findall(r"#define TACET_ABI (\d+)", HEADER)
        self.assertEqual(_library.NEEDED_ABI, int(version))
        self.assertEqual(_library.library.tacet_abi(), int(version))


if __name__ == "__main__":
    unittest.main()

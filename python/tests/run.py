#!/usr/bin/env python3
"""Runs tests of the Python package: `run.py [PATTERN]…`, by default all `test_*.py`.

TACET_LIBRARY names the shared library. Runs with Debian's Python if this one has no NumPy.
"""

import os
import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
DEBIAN = "/usr/bin/python3"


def main() -> int:
    try:
        import numpy  # noqa: F401
    except ImportError:
        if os.path.exists(DEBIAN) and not os.path.samefile(DEBIAN, sys.executable):
            os.execv(DEBIAN, [DEBIAN, "-B", *sys.argv])
    sys.path[:0] = [str(HERE.parent), str(HERE)]
    os.environ["PYTHONPATH"] = str(HERE.parent)
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    tests = unittest.TestSuite(
        unittest.defaultTestLoader.discover(str(HERE), pattern)
        for pattern in sys.argv[1:] or ["test_*.py"])
    result = unittest.TextTestRunner(verbosity=2).run(tests)
    if not result.testsRun:
        print("no tests")
    return 0 if result.wasSuccessful() and result.testsRun else 1


if __name__ == "__main__":
    sys.exit(main())

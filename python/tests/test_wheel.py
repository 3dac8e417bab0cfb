"""The wheel: the same bytes each time, complete, and installed where there is nothing else."""

import base64
import csv
import hashlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

import tacet

ROOT = pathlib.Path(tacet.__file__).resolve().parents[2]
LIBRARY = pathlib.Path(os.environ.get("TACET_LIBRARY") or ROOT / "python/tacet/libtacet.so")
sys.path.insert(0, str(ROOT / "tools"))

import build_wheel  # noqa: E402
from elf_file import ElfFile  # noqa: E402

CHECK_NUMPY = """
import sys, tacet
copy = tacet.compile("#version 0.1.0\\nfn(mpc) copy(x: secret [i64; 3]) -> secret [i64; 3] { x }\\n", device="ref")
found = copy([1, 2, 3])
print(type(found).__module__, type(found).__name__, "numpy" in sys.modules)
"""

TYPED = """
import tacet

program: tacet.Program = tacet.compile("text", ranges={"x": (0, 3)}, security=192)
costs: dict[str, object] = program.costs()
client = tacet.Client(program)
server = tacet.Server(program, client.keys, w=[1])
answer: tacet.EncryptedResults = server.evaluate(client.encrypt([1]))
for found in tacet.check("text"):
    line: int = found.line
"""


def build(folder: str) -> pathlib.Path:
    done = subprocess.run([sys.executable, "-B", str(ROOT / "tools/build_wheel.py"), str(ROOT),
                           str(LIBRARY), folder], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return pathlib.Path(done.stdout.strip())


def clean_environment() -> dict:
    """Without what leads to the package in the tree, or to a network."""
    kept = {name: value for name, value in os.environ.items()
            if name not in ("TACET_LIBRARY", "PYTHONPATH", "LD_LIBRARY_PATH")}
    return {**kept, "PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


class Environment:
    """A virtual environment with the wheel in it."""

    def __init__(self, folder: str, wheel: pathlib.Path, *options: str) -> None:
        subprocess.run([sys.executable, "-m", "venv", *options, folder], check=True, capture_output=True)
        self.python = pathlib.Path(folder) / "bin/python"
        self.run("-m", "pip", "install", "--quiet", "--no-index", "--no-deps", str(wheel))

    def run(self, *arguments: str) -> str:
        done = subprocess.run([str(self.python), *arguments], capture_output=True, text=True, timeout=120,
                              cwd="/", env=clean_environment(), check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.strip()


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory()
        cls.wheel = build(cls.folder.name)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.folder.cleanup()

    def test_the_same_bytes_each_time(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(build(folder).read_bytes(), self.wheel.read_bytes())

    def test_size_and_name(self) -> None:
        self.assertLess(self.wheel.stat().st_size, 12 << 20)
        self.assertRegex(self.wheel.name, r"^tacet-\d+\.\d+\.\d+-py3-none-manylinux_2_\d+_\w+\.whl$")

    def test_record(self) -> None:
        with zipfile.ZipFile(self.wheel) as archive:
            names = archive.namelist()
            self.assertEqual(names, sorted(set(names)))
            (path,) = [name for name in names if name.endswith("/RECORD")]
            rows = {row[0]: row[1:] for row in csv.reader(io.StringIO(archive.read(path).decode()))}
            self.assertEqual(set(rows), set(names))
            for name in names:
                if name != path:
                    digest = base64.urlsafe_b64encode(hashlib.sha256(archive.read(name)).digest())
                    self.assertEqual(rows[name], ["sha256=" + digest.decode().rstrip("="),
                                                  str(archive.getinfo(name).file_size)])
            for needed in ("tacet/py.typed", "tacet/libtacet.so", "tacet/kernelspec/kernel.json"):
                self.assertIn(needed, names)
            self.assertTrue(any(name.endswith("jupyter/kernels/tacet/kernel.json") for name in names))

    def test_libraries(self) -> None:
        """Each library finds what it needs: in the wheel, or in every system."""
        with zipfile.ZipFile(self.wheel) as archive:
            libraries = {name.rsplit("/", 1)[1]: ElfFile(archive.read(name), name)
                         for name in archive.namelist()
                         if name == "tacet/libtacet.so" or name.startswith("tacet/libraries/lib")}
            order = archive.read("tacet/libraries/load_order").decode().split()
            licences = [name for name in archive.namelist() if "/licences/" in name]
            self.assertEqual(len(licences), len(order))
            self.assertTrue(all(len(archive.read(name)) > 100 for name in licences))
        self.assertEqual(set(order) | {"libtacet.so"}, set(libraries))
        known = set(build_wheel.GLIBC | build_wheel.CXX)
        for name in [*order, "libtacet.so"]:
            self.assertLessEqual(set(libraries[name].needed()), known, name)
            known.add(name)
            if name in order:
                self.assertEqual(libraries[name].soname(), name)
        minor = int(re.search(r"manylinux_2_(\d+)", self.wheel.name).group(1))
        for library in libraries.values():
            for _, version in library.versions():
                found = re.fullmatch(r"GLIBC_2\.(\d+)(\.\d+)?", version)
                self.assertTrue(not found or int(found.group(1)) <= minor, version)

    def test_installed(self) -> None:
        """The first program of the README, without NumPy, then what else a new user meets."""
        readme = (ROOT / "python/README.md").read_text("utf-8")
        first = re.search(r"```python\n(.*?)```", readme, re.S).group(1)
        self.assertLessEqual(len(first.strip().splitlines()), 10)
        with tempfile.TemporaryDirectory() as folder:
            environment = Environment(folder, self.wheel)
            self.assertEqual(environment.run("-c", first), "70")
            self.assertEqual(environment.run("-c", CHECK_NUMPY), "builtins list False")
            self.assertIn(tacet.__version__, environment.run("-m", "tacet", "version"))
            self.assertIn(folder, environment.run("-c", "import tacet; print(tacet.__file__)"))
            self.assertEqual(environment.run("-c", "import ssl, tacet, hashlib, zlib; print('loaded')"), "loaded")
            self.assertEqual(environment.run("-c", "import tacet, ssl, hashlib, zlib; print('loaded')"), "loaded")
            self.assertTrue((pathlib.Path(folder) / "share/jupyter/kernels/tacet/kernel.json").exists())
            environment.run("-m", "pip", "uninstall", "--quiet", "--yes", "tacet")
            self.assertEqual(list(pathlib.Path(folder).rglob("*tacet*.py")), [])

    def test_with_numpy(self) -> None:
        try:
            import numpy  # noqa: F401
        except ImportError:
            self.skipTest("NumPy is not installed")
        with tempfile.TemporaryDirectory() as folder:
            environment = Environment(folder, self.wheel, "--system-site-packages")
            self.assertEqual(environment.run("-c", CHECK_NUMPY), "numpy ndarray True")

    def test_without_the_library(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for path, message in (("/absent.so", "cannot load the library of tacet"),
                                  (str(pathlib.Path(build_wheel.find_library("libz.so.1", os.uname().machine))),
                                   "has no function tacet_abi")):
                done = subprocess.run([sys.executable, "-c", "import tacet"], capture_output=True, text=True,
                                      cwd=folder, check=False,
                                      env={**os.environ, "TACET_LIBRARY": path, "PYTHONPATH": str(ROOT / "python")})
                self.assertIn("ImportError", done.stderr)
                self.assertIn(message, done.stderr)

    @unittest.skipIf(shutil.which("mypy") is None, "mypy is not installed")
    def test_types(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "typed.py"
            path.write_text(TYPED)
            base = ["mypy", "--strict", "--ignore-missing-imports", "--cache-dir", folder]
            environment = {**os.environ, "MYPYPATH": str(ROOT / "python")}
            for arguments in (["--python-version", "3.9", str(ROOT / "python/tacet")], [str(path)]):
                done = subprocess.run([*base, *arguments], capture_output=True, text=True, check=False,
                                      env=environment)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            path.write_text(TYPED.replace("line: int", "line: str"))
            done = subprocess.run([*base, str(path)], capture_output=True, text=True, check=False,
                                  env=environment)
            self.assertIn("Incompatible types", done.stdout)


class Builder(unittest.TestCase):
    def test_needed_libraries(self) -> None:
        library = ElfFile.read(LIBRARY)
        self.assertIn("libc.so.6", library.needed())
        self.assertTrue(library.soname().startswith("libtacet.so"))
        self.assertTrue(any(version.startswith("GLIBC_2.") for _, version in library.versions()))

    def test_rename(self) -> None:
        library = ElfFile.read(build_wheel.find_library("libz.so.1", os.uname().machine))
        library.rename("libz.so.1", "libz-tc.1")
        self.assertEqual(ElfFile(bytes(library.content)).soname(), "libz-tc.1")
        with self.assertRaises(ValueError):
            library.rename("libz-tc.1", "longer")

    def test_what_is_no_library(self) -> None:
        for content in (b"", b"text", b"\x7fELF\x01" + bytes(100)):
            with self.assertRaises(ValueError):
                ElfFile(content)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "libtacet.so"
            path.write_text("text")
            self.assertEqual(self.build(path, folder).returncode, 1)
            self.assertEqual(self.build(LIBRARY, folder, "--limit", "1").returncode, 1)
            self.assertIn("is needed, but", self.missing())

    def build(self, *arguments: object) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-B", str(ROOT / "tools/build_wheel.py"), str(ROOT), *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def missing(self) -> str:
        with self.assertRaises(build_wheel.WheelError) as caught:
            build_wheel.find_library("libabsent.so.1", "x86_64")
        return str(caught.exception)

    def test_versions(self) -> None:
        class Library:
            name = "lib.so"

            def __init__(self, *versions: tuple) -> None:
                self._versions = list(versions)

            def versions(self) -> list:
                return self._versions

        older = Library(("libc.so.6", "GLIBC_2.34"), ("libstdc++.so.6", "GLIBCXX_3.4.30"))
        newer = Library(("libc.so.6", "GLIBC_2.38"), ("libstdc++.so.6", "GLIBCXX_3.4.32"))
        self.assertEqual(build_wheel.glibc_version([older, newer]), (2, 38))
        self.assertTrue(build_wheel.fits_cxx([older]))
        self.assertFalse(build_wheel.fits_cxx([older, newer]))
        with self.assertRaises(build_wheel.WheelError):
            build_wheel.glibc_version([Library(("libc.so.6", "GLIBC_PRIVATE"))])


if __name__ == "__main__":
    unittest.main()

"""Sources and flags give the same objects in any folder: a cheap part of what `./dev package --verify` compares."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))

import source_tree  # noqa: E402

CLOCK = re.compile(r"\b__(DATE|TIME|TIMESTAMP)__\b")
SOURCES = (".cpp", ".h", ".def", ".c", ".in", ".cmake", "CMakeLists.txt")


def flags(root: str) -> list:
    """Those of the preset `package` for a repository in `root`."""
    presets = json.loads((ROOT / "CMakePresets.json").read_text(encoding="utf-8"))["configurePresets"]
    package, = [one for one in presets if one["name"] == "package"]
    return package["cacheVariables"]["CMAKE_CXX_FLAGS"].replace("${sourceDir}", root).split()


class Reproducible(unittest.TestCase):
    def test_no_source_has_the_time_of_its_compilation(self):
        for path in source_tree.files(ROOT):
            if path.endswith(SOURCES):
                found = CLOCK.search(source_tree.read(ROOT, path))
                self.assertIsNone(found, f"{path}: {found}")

    def test_a_file_that_names_itself_gives_the_same_library_in_another_folder(self):
        made = []
        for folder, mask, zone in (("a", 0o022, "UTC"), ("longer/than_a", 0o077, "Asia/Kathmandu")):
            with tempfile.TemporaryDirectory() as temporary:
                before = os.umask(mask)
                try:
                    root = pathlib.Path(temporary) / folder
                    shutil.copytree(ROOT / "base", root / "base")
                    build = root / "build/package"
                    build.mkdir(parents=True)
                    environment = {**os.environ, "TZ": zone, "TMPDIR": temporary}
                    for name in ("interner", "check"):
                        subprocess.run(["c++", "-std=c++20", "-O2", "-fPIC", *flags(str(root)), f"-I{root}", "-c",
                                        f"{root}/base/{name}.cpp", "-o", f"{name}.o"],
                                       cwd=build, env=environment, check=True)
                    subprocess.run(["ar", "qc", "base.a", "interner.o", "check.o"], cwd=build, check=True)
                    content = (build / "base.a").read_bytes()
                finally:
                    os.umask(before)
                self.assertNotIn(str(root).encode(), content)
                self.assertIn(b"base/interner.cpp", content)
                made.append(content)
        self.assertEqual(made[0], made[1])


if __name__ == "__main__":
    unittest.main()

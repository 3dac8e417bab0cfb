"""Executes the notebooks with Debian's Jupyter; each asserts its results itself."""

import json
import os
import pathlib
import tempfile
import unittest
from unittest import mock

import tacet

try:
    import ipykernel  # noqa: F401
    import nbclient
    import nbformat
except ImportError:
    nbclient = None

FOLDER = pathlib.Path(tacet.__file__).parent.parent / "notebooks"


class Notebooks(unittest.TestCase):
    def test_stored_without_outputs(self) -> None:
        paths = sorted(FOLDER.glob("*.ipynb"))
        self.assertGreaterEqual(len(paths), 10)
        for path in paths:
            for cell in json.loads(path.read_text("utf-8"))["cells"]:
                self.assertFalse(cell.get("outputs") or cell.get("execution_count"), path.name)

    @unittest.skipIf(nbclient is None, "python3-nbclient or python3-ipykernel is not installed")
    def test_run(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            self.kernels(pathlib.Path(folder))
            with mock.patch.dict(os.environ, {"JUPYTER_PATH": folder, "IPYTHONDIR": folder,
                                              "PYDEVD_DISABLE_FILE_VALIDATION": "1"}):
                for path in sorted(FOLDER.glob("*.ipynb")):
                    with self.subTest(path.name):
                        self.execute(path, folder)

    def kernels(self, folder: pathlib.Path) -> None:
        specification = pathlib.Path(tacet.__file__).parent / "kernelspec/kernel.json"
        made = folder / "kernels/tacet"
        made.mkdir(parents=True)
        (made / "kernel.json").write_text(specification.read_text("utf-8"))

    def execute(self, path: pathlib.Path, folder: str) -> None:
        notebook = nbformat.read(path, 4)
        nbformat.validate(notebook)
        nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": folder}}).execute()
        for cell in notebook.cells:
            for output in cell.get("outputs", ()):
                self.assertNotEqual(output.get("name"), "stderr", output)
        if "icture(" in path.read_text("utf-8") or "%picture" in path.read_text("utf-8"):
            shown = [data for cell in notebook.cells for output in cell.get("outputs", ())
                     for data in output.get("data", {})]
            self.assertIn("image/svg+xml", shown)


if __name__ == "__main__":
    unittest.main()

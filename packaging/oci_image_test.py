"""The image has the form that programs for containers expect, and its program runs in it."""

import gzip
import hashlib
import io
import json
import os
import pathlib
import shutil
import subprocess
import tarfile
import tempfile
import unittest

import oci_image
import small_program

DATE = 1_700_000_000


def members(content: bytes) -> dict:
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        return {one.name: archive.extractfile(one).read() for one in archive if one.isfile()}


class Image(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.program = small_program.portable(cls.folder)
        (cls.folder / "licences").mkdir()
        (cls.folder / "licences/zlib.txt").write_text("Zlib\n", encoding="utf-8")
        cls.content = cls.build()
        cls.files = members(cls.content)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def build(cls) -> bytes:
        return oci_image.build(cls.program, cls.folder / "licences", "0.1.0", "abc", DATE)

    def blob(self, descriptor: dict) -> bytes:
        """What a descriptor names, which has its size and digest."""
        content = self.files["blobs/" + descriptor["digest"].replace(":", "/")]
        self.assertEqual(len(content), descriptor["size"])
        self.assertEqual("sha256:" + hashlib.sha256(content).hexdigest(), descriptor["digest"])
        return content

    def manifest(self) -> dict:
        index = json.loads(self.files["index.json"])
        named, = index["manifests"]
        self.assertEqual(named["annotations"]["org.opencontainers.image.ref.name"], "tacet:0.1.0")
        return json.loads(self.blob(named))

    def layers(self) -> list:
        return [gzip.decompress(self.blob(one)) for one in self.manifest()["layers"]]

    def test_the_same_program_gives_the_same_bytes(self):
        self.assertEqual(self.build(), self.content)

    def test_all_digests_are_right_and_all_blobs_named(self):
        self.assertEqual(json.loads(self.files["oci-layout"]), {"imageLayoutVersion": "1.0.0"})
        manifest = self.manifest()
        config = json.loads(self.blob(manifest["config"]))
        digests = ["sha256:" + hashlib.sha256(layer).hexdigest() for layer in self.layers()]
        self.assertEqual(config["rootfs"], {"type": "layers", "diff_ids": digests})
        self.assertEqual(len(config["history"]), len(digests))
        n_blobs = sum(name.startswith("blobs/") for name in self.files)
        self.assertEqual(n_blobs, 2 + len(digests))

    def test_the_program_is_not_root(self):
        config = json.loads(self.blob(self.manifest()["config"]))
        self.assertEqual(config["config"]["User"], "65532:65532")
        self.assertEqual(config["config"]["Entrypoint"], ["/usr/bin/tacet"])
        self.assertEqual(config["config"]["Labels"]["org.opencontainers.image.revision"], "abc")
        self.assertEqual(config["created"], "2023-11-14T22:13:20Z")

    def test_a_layer_has_one_date_and_plain_owners(self):
        for layer in self.layers():
            with tarfile.open(fileobj=io.BytesIO(layer)) as archive:
                for one in archive:
                    self.assertEqual((one.mtime, one.uname), (DATE, ""), one.name)
                    self.assertEqual(one.uid, oci_image.USER if one.name == "work" else 0, one.name)

    def test_the_program_runs_in_the_unpacked_layers_and_writes_in_its_folder(self):
        root = self.folder / "root"
        root.mkdir()
        for layer in self.layers():
            subprocess.run(["tar", "-x", "-p", "-C", str(root)], input=layer, check=True)
        enter = [] if os.getuid() == 0 else ["unshare", "--user", "--map-root-user"]
        user = "--userspec=65532:65532" if os.getuid() == 0 else "--userspec=0:0"
        if not shutil.which("chroot") or subprocess.run([*enter, "chroot", "/", "true"], check=False,
                                                        capture_output=True).returncode != 0:
            self.skipTest("this machine lets nobody change the root folder")
        self.folder.chmod(0o755)
        done = subprocess.run([*enter, "chroot", user, str(root), "/usr/bin/tacet"], capture_output=True, text=True,
                              check=False)
        self.assertTrue((root / "work/made_here").exists())
        expected = "2 of 65532 in /\n" if os.getuid() == 0 else "2 of 0 in /\n"
        self.assertEqual((done.stdout, done.stderr), (expected, ""))


if __name__ == "__main__":
    unittest.main()

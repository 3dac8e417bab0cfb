"""What of others is in a program is found in how it was linked, with its licences."""

import pathlib
import tempfile
import unittest

import components as parts

MAP = """             VMA              LMA     Size Align Out     In      Symbol
          2238ac           2238ac        0     1 .text
          2238b0           2238b0       26    16         /usr/lib/x86_64-linux-gnu/Scrt1.o:(.text)
          223900           223900      100    16         base/libtacet_base.a(interner.cpp.o):(.text)
          223a00           223a00      200    16         /usr/lib/x86_64-linux-gnu/libcrypto.a(libcrypto-lib-aes.o):(.text)
          223c00           223c00      200    16         /usr/lib/gcc/x86_64-linux-gnu/12/../../../x86_64-linux-gnu/libz.a(adler32.o):(.text)
"""

COPYRIGHT = """Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/

Files: *
Copyright: 2000 Somebody
License: {}

Files: debian/*
License: GPL-2+
"""

NOTICES = "Contains:\n" + "".join(f"\n{'=' * 72}\n{name}\n\ntext\n" for name in ("@a/b 1.2.3 (MIT)", "c 0.1 (ISC)"))


class Components(unittest.TestCase):
    def test_the_map_names_the_libraries(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder).resolve()
            (path / "map").write_text(MAP, encoding="utf-8")
            found = {one.name for one in parts.libraries_in(path / "map", path)}
            ours = {one for one in parts.libraries_in(path / "map", path) if one.is_relative_to(path)}
        self.assertEqual(found, {"libtacet_base.a", "libcrypto.a", "libz.a"})
        self.assertEqual({one.name for one in ours}, {"libtacet_base.a"})

    def test_the_licence_of_all_files_is_that_of_a_package(self):
        table = {"names": {"Expat": "MIT"}, "sources": {"odd": "Zlib"}}
        self.assertEqual(parts.debian_licence("lib", "lib", COPYRIGHT.format("Expat"), table), "MIT")
        self.assertEqual(parts.debian_licence("odd", "odd", "no format", table), "Zlib")

    def test_a_licence_that_is_not_known_is_an_error(self):
        table = {"names": {}, "sources": {}}
        with self.assertRaisesRegex(parts.Unknown, "the licence of lib is Mine, which packaging/licences.toml"):
            parts.debian_licence("lib", "lib", COPYRIGHT.format("Mine"), table)
        with self.assertRaisesRegex(parts.Unknown, "has no licence for all files; state that of lib in"):
            parts.debian_licence("lib", "lib", "Copyright 2000", table)

    def test_the_licences_of_what_packages_are_built_from_are_known(self):
        lines = (pathlib.Path(parts.HERE).parent / "tools/packages.txt").read_text(encoding="utf-8").splitlines()
        named = {tuple(line.split()) for line in lines if line and not line.startswith("#")}
        linked = {name for group, name in named if group in ("build", "package") and name.startswith("lib")}
        linked -= {"libgtest-dev"}  # in tests alone
        self.assertGreater(len(linked), 8)
        for name in sorted(linked):
            with self.subTest(name):
                self.assertTrue(parts.of_debian_packages({name}))

    def test_a_file_of_no_package_is_an_error(self):
        with tempfile.NamedTemporaryFile(suffix=".a") as file:
            with self.assertRaisesRegex(parts.Unknown, "no Debian package has /"):
                parts.packages_of_files({file.name})

    def test_files_of_packages_are_found_through_links_of_folders(self):
        self.assertEqual(parts.packages_of_files({"/lib64/ld-linux-x86-64.so.2", "/usr/include/zlib.h"}),
                         {"libc6:amd64", "zlib1g-dev:amd64"})

    def test_installed_packages_have_versions_and_texts(self):
        zlib, = parts.of_debian_packages({"zlib1g-dev"})
        self.assertEqual((zlib.kind, zlib.name, zlib.licence), ("deb", "zlib", "Zlib"))
        self.assertIn("Jean-loup", zlib.text)
        self.assertTrue(zlib.version)

    def test_notices_of_bundles(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "licences.txt"
            path.write_text(NOTICES, encoding="utf-8")
            found = sorted(parts.of_notices(path))
            self.assertEqual([(one.name, one.version, one.licence) for one in found],
                             [("@a/b", "1.2.3", "MIT"), ("c", "0.1", "ISC")])
            path.write_text(NOTICES.replace(" (ISC)", ""), encoding="utf-8")
            with self.assertRaisesRegex(parts.Unknown, "a part without name, version and licence: c 0.1"):
                parts.of_notices(path)

    def test_the_page_of_the_playground_has_notices(self):
        root = pathlib.Path(__file__).resolve().parents[1]
        self.assertIn("@codemirror/state", {one.name for one in parts.of_notices(root / parts.PLAYGROUND)})

    def test_licences_come_with_the_texts_that_they_refer_to(self):
        one = parts.Component("deb", "gmp", "6", "LGPL-3.0-or-later", "See /usr/share/common-licenses/LGPL-3.\n")
        other = parts.Component("npm", "@a/b", "1", "MIT", "do what you like\n")
        files = parts.licence_files({one, other})
        self.assertEqual(sorted(files), ["a_b.txt", "common-licenses/LGPL-3", "gmp.txt"])
        self.assertIn(b"GNU LESSER GENERAL PUBLIC LICENSE", files["common-licenses/LGPL-3"].content)
        text = parts.licence_text({one, other})
        self.assertIn(b"\na_b.txt\n\ndo what you like\n", text)
        self.assertIn(b"GNU LESSER", text)


if __name__ == "__main__":
    unittest.main()

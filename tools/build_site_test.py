#!/usr/bin/env python3
"""Proves what the site is made of: apt's entries for source packages, the page with the module, links
that open programs of the book, and that the same files give the same bytes."""

import base64
import html
import json
import pathlib
import re
import tempfile
import unittest
import zlib

import build_book
import build_site
import build_web_module

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = """# A page

<!-- score.tacet -->
```tacet
#version 0.1.0

fn(he) twice(a: secret i64 in 0..9) -> secret i64 { 2 * a }
```

<!-- fails: T2019 -->
```tacet
fn(mpc) double(x: secret i64) -> i64 { x + x }
```

```tacet ok
val f(a: i64) -> i64 { returns "<&>" }
```

<!-- product.tlhe -->
```tacet
input a: [n] from client
```

```console
$ tacet check score.tacet
```
"""


def opened(link: str) -> dict:
    """The program that the page reads from a link."""
    packed = link.partition("#v1=")[2]
    return json.loads(zlib.decompress(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)), -15))


class Book(unittest.TestCase):
    def made(self, name: str, text: str, playground: str) -> list:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for needed in ("playground/examples.json", "compiler/core/syntax/node_kinds.def"):
                (root / needed).parent.mkdir(parents=True)
                (root / needed).write_bytes((ROOT / needed).read_bytes())
            file = root / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
            body = build_book.Site(root, root / "out", playground).body(name)
        return re.findall(r'<a class="try" href="([^"]*)" aria-label="[^"]*">(\w+)</a>', html.unescape(body))

    def test_programs_open(self):
        links = self.made("docs/book/page.md", PAGE, "../")
        self.assertEqual([verb for _, verb in links], ["Run", "Edit", "Edit", "Run"])
        self.assertTrue(all(link.startswith("../../../#v1=") for link, _ in links))
        programs = [opened(link) for link, _ in links]
        self.assertTrue(programs[0]["text"].startswith("#version 0.1.0\n\nfn(he) twice"))
        self.assertTrue(programs[1]["text"].startswith("#version 0.1.0\n\nfn(mpc) double"))
        self.assertIn('returns "<&>"', programs[2]["text"])
        self.assertEqual(programs[3], {"name": "program.tlhe", "text": "input a: [n] from client\n", "runs": True})
        self.assertNotIn("runs", programs[1])

    def test_only_in_the_site(self):
        self.assertEqual(self.made("docs/book/page.md", PAGE, ""), [])

    def test_examples_have_inputs(self):
        name = "examples/mpc/millionaires.tacet"
        (link, verb), = self.made(name, (ROOT / name).read_text(), "../")
        self.assertEqual(verb, "Run")
        program = opened(link)
        self.assertEqual(program["inputs"], {"alice_has": "5000000", "bob_has": "4200000"})
        self.assertEqual(program["text"], (ROOT / name).read_text())


class Page(unittest.TestCase):
    def test_has_the_module(self):
        text = build_site.index(ROOT, build_site.PACKED_MODULE)
        self.assertLess(text.index('<script src="module_start.js" data-module="tacet.wasm.gz">'), text.index('<script src="playground.js"'))
        nonce = re.search(r"'nonce-(\w+)'", text)[1]
        self.assertIn(f'data-nonce="{nonce}"', text)
        self.assertIn("'wasm-unsafe-eval'", text)
        self.assertNotIn("unsafe-inline", text)
        # Relative, so that it works below any path.
        links = re.findall(r'\b(?:href|src|content)="([^"]*\.(?:\w+))"', text)
        self.assertFalse([link for link in links if link.startswith("/") or "://" in link])

    def test_a_changed_page_is_noticed(self):
        with self.assertRaises(build_site.SiteError):
            build_site.replaced("<body>", "@NONCE@", "x")

    def test_examples_have_text(self):
        found = json.loads(build_site.examples(ROOT))
        self.assertTrue(all(one["text"] == (ROOT / one["file"]).read_text() for one in found))

    def test_is_deterministic(self):
        with tempfile.TemporaryDirectory() as folder:
            sites = []
            for name in ("one", "two"):
                out = pathlib.Path(folder) / name
                out.mkdir()
                (out / "index.html").write_text(build_site.index(ROOT, build_site.PACKED_MODULE))
                build_site.pack(out, build_site.brotli is not None)
                sites.append({path.name: path.read_bytes() for path in out.iterdir()})
            self.assertEqual(sites[0], sites[1])
            self.assertIn("index.html.gz", sites[0])


class Sources(unittest.TestCase):
    def test_both_formats(self):
        self.assertEqual(build_web_module.source_entry("Types: deb\nURIs: http://host/debian\n"),
                         "Types: deb-src\nURIs: http://host/debian\n")
        self.assertEqual(build_web_module.source_entry("Types: deb deb-src\n"), "Types: deb-src\n")
        self.assertEqual(build_web_module.source_entry("# deb a\ndeb [signed-by=x] http://host/debian bookworm main\n"),
                         "# deb a\ndeb-src [signed-by=x] http://host/debian bookworm main\n")
        self.assertEqual(build_web_module.source_entry("deb-src http://host/debian bookworm main\n"),
                         "deb-src http://host/debian bookworm main\n")

    def test_disabled_files_stay_so(self):
        with tempfile.TemporaryDirectory() as folder:
            apt = pathlib.Path(folder)
            (apt / "sources.list.d").mkdir()
            (apt / "sources.list.d/a.sources").write_text("Types: deb\n")
            (apt / "sources.list.d/b.sources.disabled").write_text("Types: deb\n")
            build_web_module.write_entries(apt / "parts", apt)
            self.assertEqual([path.name for path in (apt / "parts").iterdir()], ["a.sources"])


if __name__ == "__main__":
    unittest.main()

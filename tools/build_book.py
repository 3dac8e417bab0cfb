#!/usr/bin/env python3
"""Makes a site of the book: static pages that need no network and no server.

It begins at docs/book/README.md, whose lists are the contents, and follows every link into the
repository: Markdown becomes a page, pictures are copied, other files are shown as they are. A link
that leads nowhere is an error. Needs Debian's python3-markdown.

usage: build_book.py ROOT OUT [PLAYGROUND]

With PLAYGROUND, the path of the playground from OUT, programs have links that open them in it.
"""

import base64
import html
import json
import os
import pathlib
import re
import shutil
import sys
import zlib

try:
    import markdown
except ModuleNotFoundError:
    print("python3-markdown is missing", file=sys.stderr)
    sys.exit(77)

START = "docs/book/README.md"
PLAIN = {"LICENSE", "dev", "index"}
PICTURES = {".png", ".svg", ".jpg", ".gif"}
LINK = re.compile(r'(<(?:a|img)\b[^>]*?\b(?:href|src)=")([^"]*)(")')
CODE = re.compile(r'<pre><code(?: class="language-(\w+)")?>(.*?)</code></pre>', re.S)
HEADING = re.compile(r"<h([1-6])\b[^>]*>(.*?)</h\1>", re.S)
# A program, with a note that names its file or what it is wrong about.
PROGRAM = re.compile(r"(?:^<!-- ([^\n]+) -->\n)?^```tacet(?: (\w+))?\n(.*?)^```$", re.S | re.M)
RUNNABLE = re.compile(r"^(?:fn\((?:he|mpc)\)|pipeline) ", re.M)
WORD = re.compile(r'^TACET_(?:RESERVED|CONTEXTUAL)_WORD\(\w+, "([^"]+)"\)', re.M)

STYLE = """
:root { --ink: #1c2330; --paper: #ffffff; --pale: #f4f5f8; --line: #d9dde5; --link: #1f5fbf;
  --word: #8a2be2; --text: #1a7f4b; --note: #596172; --number: #b3541e; }
@media (prefers-color-scheme: dark) { :root { --ink: #dfe3ec; --paper: #15181e; --pale: #1d2129;
  --line: #343a46; --link: #7fb0ff; --word: #c79bff; --text: #7fd3a2; --note: #8f98aa;
  --number: #f0a56b; } }
* { box-sizing: border-box; }
body { margin: 0; color: var(--ink); background: var(--paper); font: 16px/1.6 system-ui, sans-serif; }
nav { position: fixed; inset: 0 auto 0 0; width: 17rem; padding: 1rem 1.2rem; overflow-y: auto;
  background: var(--pale); border-right: 1px solid var(--line); font-size: .92rem; }
nav h2 { margin: 1.2rem 0 .2rem; font-size: .8rem; color: var(--note); font-weight: 600; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav a { color: var(--ink); text-decoration: none; display: block; padding: .1rem .4rem; border-radius: 4px; }
nav a:hover, nav a:focus-visible { background: var(--line); }
nav a[aria-current] { color: var(--link); font-weight: 600; }
nav input { width: 100%; padding: .35rem .5rem; border: 1px solid var(--line); border-radius: 6px;
  background: var(--paper); color: var(--ink); font: inherit; }
#found li { margin: .3rem 0; } #found small { color: var(--note); display: block; padding: 0 .4rem; }
main { margin-left: 17rem; padding: 1.5rem 2.5rem 4rem; max-width: 60rem; }
a { color: var(--link); } h1, h2, h3 { line-height: 1.25; } h2 { margin-top: 2.2rem; }
code, pre { font: .9rem/1.5 ui-monospace, "DejaVu Sans Mono", monospace; }
:not(pre) > code { background: var(--pale); padding: .1rem .3rem; border-radius: 4px; }
pre { background: var(--pale); border: 1px solid var(--line); border-radius: 8px; padding: .8rem 1rem;
  overflow-x: auto; }
table { border-collapse: collapse; margin: 1rem 0; display: block; overflow-x: auto; }
td, th { border: 1px solid var(--line); padding: .3rem .6rem; text-align: left; vertical-align: top; }
th { background: var(--pale); } img { max-width: 100%; border: 1px solid var(--line); border-radius: 8px; }
.word { color: var(--word); } .text { color: var(--text); } .note { color: var(--note); }
.number { color: var(--number); }
.program pre { margin-bottom: .3rem; } .program p { margin: 0 0 1rem; text-align: right; }
.try { display: inline-block; padding: .15rem .9rem; border: 1px solid var(--line); border-radius: 6px;
  font-size: .9rem; text-decoration: none; background: var(--paper); }
.try:hover, .try:focus-visible { border-color: var(--link); }
.next { margin-top: 3rem; display: flex; justify-content: space-between; }
nav summary { display: none; }
@media (max-width: 50rem) { nav summary { display: list-item; padding: .5rem .4rem; cursor: pointer; } nav { position: static; width: auto; border: 0; }
  main { margin: 0; padding: 1rem; } }
"""

SEARCH = """
const box = document.getElementById('search'), found = document.getElementById('found');
if (matchMedia('(max-width: 50rem)').matches) document.querySelector('nav details').open = false;
box.addEventListener('focus', () => {
  const pages = document.createElement('script');
  pages.src = ROOT + 'pages.js';
  pages.addEventListener('load', search);
  document.head.append(pages);
}, { once: true });
box.addEventListener('input', search);
function search() {
  if (typeof PAGES === 'undefined') return;
  const words = box.value.toLowerCase().split(/\\s+/).filter(Boolean);
  found.replaceChildren();
  if (!words.length) return;
  const score = (page) => words.every((w) => (page.title + ' ' + page.text).toLowerCase().includes(w))
    ? words.filter((w) => page.title.toLowerCase().includes(w)).length + 1 : 0;
  for (const page of PAGES.map((p) => [score(p), p]).filter(([s]) => s).sort((a, b) => b[0] - a[0])
      .slice(0, 12).map(([, p]) => p)) {
    const item = document.createElement('li'), link = document.createElement('a');
    link.href = ROOT + page.url; link.textContent = page.title; item.append(link);
    const at = page.text.toLowerCase().indexOf(words[0]);
    if (at >= 0) {
      const about = document.createElement('small');
      about.textContent = '… ' + page.text.slice(Math.max(0, at - 30), at + 60) + ' …';
      item.append(about);
    }
    found.append(item);
  }
}
"""


class Highlighter:
    """Colours Tacet by the words of the grammar."""

    def __init__(self, root: pathlib.Path):
        words = WORD.findall((root / "compiler/core/syntax/node_kinds.def").read_text())
        alternatives = "|".join(sorted(map(re.escape, words), key=len, reverse=True))
        self.token = re.compile(
            r"(?P<note>//[^\n]*|/\*.*?\*/)|(?P<text>&quot;.*?&quot;)"
            rf"|(?P<word>\b(?:{alternatives})\b(?!-))|(?P<number>\b\d[\d.]*\b)",
            re.S,
        )

    def __call__(self, code: str) -> str:
        return self.token.sub(
            lambda found: f'<span class="{found.lastgroup}">{found.group()}</span>', code
        )


def plain(text: str) -> str:
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", text))).strip()


def url_of(path: str) -> str:
    """Where a file or folder of the repository is in the site."""
    suffix = pathlib.PurePosixPath(path).suffix
    if suffix in PICTURES:
        return path
    if not suffix and "." not in os.path.basename(path) and os.path.basename(path) not in PLAIN:
        return path + "/index.html"
    return (path.removesuffix(".md") if suffix == ".md" else path) + ".html"


def fragment_of(program: dict) -> str:
    """A program as part of an address of the playground (editors/playground/src/share.ts)."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    text = json.dumps(program, ensure_ascii=False, separators=(",", ":"))
    packed = packer.compress(text.encode()) + packer.flush()
    return "#v1=" + base64.urlsafe_b64encode(packed).decode().rstrip("=")


def programs_of(page: str) -> dict:
    """What the playground is to open for each program of a page in Markdown, by its text."""
    found = {}
    for note, kind, text in PROGRAM.findall(page):
        is_array_program = note.endswith(".tlhe")
        whole = text if is_array_program or "#version" in text else "#version 0.1.0\n\n" + text
        is_wrong = kind == "fail" or note.startswith("fails: ")
        found[text] = {"name": "program.tlhe" if is_array_program else "program.tacet", "text": whole}
        if not is_wrong and (is_array_program or RUNNABLE.search(text)):
            found[text]["runs"] = True
    return found


class Site:
    def __init__(self, root: pathlib.Path, out: pathlib.Path, playground: str = ""):
        self.root = root
        self.out = out
        self.playground = playground
        self.examples = {example["file"]: example for example in
                         json.loads((root / "playground/examples.json").read_text())}
        self.highlight = Highlighter(root)
        self.waiting = [START]
        self.seen = {START}
        self.pages = {}
        self.faults = []

    def target(self, page: str, link: str) -> str:
        """The file that a link of a page means, or "" with a fault noted."""
        path = os.path.normpath(os.path.join(os.path.dirname(page), link))
        if (self.root / path / "README.md").is_file():
            path = os.path.normpath(os.path.join(path, "README.md"))
        if path.startswith("..") or not (self.root / path).exists():
            self.faults.append(f"{page}: {link} leads nowhere")
            return ""
        if path not in self.seen:
            self.seen.add(path)
            self.waiting.append(path)
        return path

    def relinked(self, page: str, text: str) -> str:
        def replace(found):
            before, link, after = found.groups()
            address, mark, anchor = html.unescape(link).partition("#")
            if not address or re.match(r"[a-z]+:", address):
                return found.group()
            path = self.target(page, address)
            here = os.path.dirname(url_of(page))
            there = os.path.relpath(url_of(path), here) if path else address
            return before + html.escape(there + mark + anchor) + after

        return LINK.sub(replace, text)

    def folder(self, path: str) -> str:
        """A list of the pages in a folder."""
        names = sorted(file.name for file in (self.root / path).glob("*.md"))
        links = "".join(f'<li><a href="{name}">{name.removesuffix(".md")}</a></li>' for name in names)
        # The list is a page in its folder.
        return f"<h1>{path}</h1><ul>{self.relinked(path + '/index', links)}</ul>"

    def program(self, path: str, shown: str, program: dict | None) -> str:
        """The element of a block of code, with a link if the playground opens it."""
        element = f"<pre><code>{shown}</code></pre>"
        if not self.playground or program is None:
            return element
        verb = "Run" if program.get("runs") else "Edit"
        top = os.path.relpath(".", os.path.dirname(url_of(path)))
        return (f'<div class="program">{element}<p><a class="try" href="{top}/{self.playground}'
                f'{fragment_of(program)}" aria-label="{verb} this program in the playground">{verb}</a></p></div>')

    def example(self, path: str, text: str) -> dict:
        """A file as a program of the playground, with the inputs that its menu has."""
        known = self.examples.get(path, {})
        program = {"name": "program" + pathlib.PurePosixPath(path).suffix, "text": text,
                   **{key: known[key] for key in ("target", "device", "inputs") if key in known}}
        return {**program, "runs": True} if path.endswith(".tlhe") or RUNNABLE.search(text) else program

    def body(self, path: str) -> str:
        if (self.root / path).is_dir():
            return self.folder(path)
        text = (self.root / path).read_text()
        if not path.endswith(".md"):
            code = html.escape(text)
            is_program = path.endswith((".tacet", ".tlhe"))
            element = self.program(path, self.highlight(code) if is_program else code,
                                   self.example(path, text) if is_program else None)
            return f"<h1>{html.escape(path)}</h1>{element}"
        programs = programs_of(text)
        text = re.sub(r"^<!-- .* -->\n", "", text, flags=re.M)
        # Markdown takes one word behind the fence.
        text = re.sub(r"^```(\w+) .*$", r"```\1", text, flags=re.M)
        made = markdown.markdown(text, extensions=["tables", "fenced_code", "toc", "sane_lists"])
        # Links first: that of a program leads out of the book.
        return CODE.sub(
            lambda found: self.program(path, self.highlight(found[2]), programs.get(html.unescape(found[2])))
            if found[1] == "tacet"
            else f"<pre><code>{found[2]}</code></pre>",
            self.relinked(path, made),
        )

    def read(self):
        while self.waiting:
            path = self.waiting.pop(0)
            if pathlib.PurePosixPath(path).suffix in PICTURES:
                (self.out / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(self.root / path, self.out / path)
                continue
            body = self.body(path)
            heading = HEADING.search(body)
            self.pages[path] = (plain(heading[2]) if heading else path, body)

    def contents(self) -> list:
        """Headings and links of the lists of the first page."""
        text = (self.root / START).read_text()
        found = []
        for title, link in re.findall(r"^(?:## (.*)|\* \[[^\]]*\]\(([^)]*)\).*)$", text, re.M):
            found.append(title or self.target(START, link))
        return found

    def check_anchors(self):
        ids = {path: set(re.findall(r'\bid="([^"]*)"', body)) for path, (_, body) in self.pages.items()}
        for path, (_, body) in self.pages.items():
            for _, link, _ in LINK.findall(body):
                address, mark, anchor = html.unescape(link).partition("#")
                if not mark or re.match(r"[a-z]+:", address):
                    continue
                there = os.path.normpath(os.path.join(os.path.dirname(url_of(path)), address))
                for other in self.pages:
                    is_meant = other == path if not address else url_of(other) == there
                    if is_meant and anchor not in ids[other]:
                        self.faults.append(f"{path}: no #{anchor} in {other}")

    def navigation(self, path: str) -> str:
        here = os.path.dirname(url_of(path))
        out = []
        for entry in self.contents():
            if entry not in self.pages:
                out.append(f"</ul><h2>{html.escape(entry)}</h2><ul>")
                continue
            current = ' aria-current="page"' if entry == path else ""
            link = os.path.relpath(url_of(entry), here)
            out.append(f'<li><a href="{link}"{current}>{html.escape(self.pages[entry][0])}</a></li>')
        return "<ul>" + "".join(out) + "</ul>"

    def write(self):
        chapters = [entry for entry in self.contents() if entry in self.pages]
        for path, (title, body) in self.pages.items():
            here = os.path.dirname(url_of(path))
            top = os.path.relpath(".", here) + "/"
            follows = ""
            if path in chapters and chapters.index(path) + 1 < len(chapters):
                after = chapters[chapters.index(path) + 1]
                link = os.path.relpath(url_of(after), here)
                follows = f'<p class="next"><span></span><a href="{link}">{self.pages[after][0]} →</a></p>'
            icon = f'<link rel="icon" href="{top}{self.playground}icon.svg">' if self.playground else ""
            playground = f'<p><a href="{top}{self.playground}">Playground</a></p>' if self.playground else ""
            text = (
                '<!doctype html><html lang="en"><meta charset="utf-8">'
                '<meta name="viewport" content="width=device-width">'
                f'<title>{html.escape(title)} · Tacet</title><link rel="stylesheet" href="{top}style.css">{icon}'
                f'<nav aria-label="Contents"><a href="{os.path.relpath(url_of(START), here)}">'
                f'<strong>Tacet</strong></a>{playground}<p><input id="search" type="search" '
                'placeholder="Search" aria-label="Search"></p><ul id="found"></ul>'
                f"<details open><summary>Contents</summary>{self.navigation(path)}</details></nav><main>{body}{follows}</main>"
                f'<script>const ROOT = "{top}";</script>'
                f'<script src="{top}search.js"></script></html>\n'
            )
            file = self.out / url_of(path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        index = [
            {"title": title, "url": url_of(path), "text": plain(body)[:20000]}
            for path, (title, body) in self.pages.items()
        ]
        (self.out / "pages.js").write_text(f"const PAGES = {json.dumps(index, ensure_ascii=False)};\n")
        (self.out / "search.js").write_text(SEARCH)
        (self.out / "style.css").write_text(STYLE)
        (self.out / "index.html").write_text(
            f'<!doctype html><meta http-equiv="refresh" content="0; url={url_of(START)}">\n'
        )


def main() -> int:
    site = Site(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]), *sys.argv[3:4])
    site.out.mkdir(parents=True, exist_ok=True)
    site.read()
    site.check_anchors()
    for fault in site.faults:
        print(fault, file=sys.stderr)
    if site.faults:
        return 1
    site.write()
    print(f"{len(site.pages)} pages in {site.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

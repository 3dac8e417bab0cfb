#!/usr/bin/env python3
"""Makes the site: the playground with its module, and the book, whose programs open in it. Static
files that need no server of their own and work below any path.

usage: build_site.py ROOT MODULE OUT [--no-brotli] [--host-packs-module]

MODULE is the folder with tacet.js, tacet.wasm and perhaps licences.txt (tools/build_web_module.py). Next to each file that
compresses are, for hosts that serve them, a copy packed with gzip and, with Debian's python3-brotli,
one packed with brotli. The same files give the same bytes.
"""

import argparse
import gzip
import hashlib
import json
import pathlib
import shutil
import subprocess
import sys

try:
    import brotli
except ModuleNotFoundError:
    brotli = None

PAGE = "editors/playground/page"
COPIED = ("playground.js", "playground.css", "module_start.js", "worker.js", "icon.svg",
          "preview.png", "licences.txt")
# What a first visit loads.
LOADED = ("index.html", "playground.css", "playground.js", "icon.svg", "examples.json",
          "module_start.js", "worker.js", "tacet.js", "tacet.wasm")
PACKED = {".html", ".css", ".js", ".json", ".svg", ".txt", ".wasm"}
# The page unpacks the first itself; the second is for hosts that send it packed.
PACKED_MODULE = "tacet.wasm.gz"
PLAIN_MODULE = "tacet.wasm"
# Where the book starts.
BOOK = "book/docs/book/README.html"
# What the page may load, and from where: nothing from elsewhere. Styles of the editor have the nonce.
POLICY = ("default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; "
          "style-src 'self' 'nonce-{nonce}'; img-src 'self' data:; connect-src 'self'; "
          "base-uri 'none'; form-action 'none'")


class SiteError(Exception):
    """The site would not work."""


def replaced(text: str, old: str, new: str) -> str:
    if text.count(old) != 1:
        raise SiteError(f"{PAGE}/index.html has `{old}` {text.count(old)} times, expected once")
    return text.replace(old, new)


def index(root: pathlib.Path, module: str) -> str:
    """The page, with the module instead of a server; `module` is the file that it loads."""
    page = root / PAGE
    text = (page / "index.html").read_text()
    nonce = hashlib.sha256((page / "playground.js").read_bytes()).hexdigest()[:32]
    policy = POLICY.format(nonce=nonce)
    text = replaced(text, "@NONCE@", nonce)
    text = replaced(text, '<meta charset="utf-8">',
                    '<meta charset="utf-8">\n'
                    f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
                    '<meta name="referrer" content="no-referrer">')
    text = replaced(text, "Everything runs in this playground.", "Everything runs in your browser.")
    text = replaced(text, '<link rel="stylesheet"',
                    '<link rel="preload" href="examples.json" as="fetch" crossorigin>\n'
                    f'<script src="module_start.js" data-module="{module}"></script>\n'
                    '<link rel="stylesheet"')
    return replaced(text, '  <a href="licences.txt">',
                    f'  <a href="{BOOK}">book</a>\n  <a href="licences.txt">')


def examples(root: pathlib.Path) -> str:
    """The list of examples, each with its text."""
    found = json.loads((root / "playground/examples.json").read_text())
    for example in found:
        example["text"] = (root / example["file"]).read_text()
    return json.dumps(found, ensure_ascii=False, separators=(",", ":"))


def pack(out: pathlib.Path, with_brotli: bool) -> None:
    for path in sorted(out.rglob("*")):
        if path.suffix in PACKED and path.is_file():
            content = path.read_bytes()
            (path.parent / f"{path.name}.gz").write_bytes(gzip.compress(content, 9, mtime=0))
            if with_brotli:
                (path.parent / f"{path.name}.br").write_bytes(brotli.compress(content, quality=11))


def size(path: pathlib.Path) -> int:
    return path.stat().st_size


def report(out: pathlib.Path, module: str) -> str:
    """What a first visit takes, by the packing of the host."""
    lines = [f"{'':16}{'as it is':>12}{'gzip':>12}{'brotli':>12}"]
    total = [0, 0, 0]
    for name in LOADED:
        packed = size(out / f"{name}.gz")
        better = out / f"{name}.br"
        sizes = [size(out / name), packed, size(better) if better.exists() else 0]
        lines.append(f"{name:16}" + "".join(f"{bytes / 1000:9,.1f} kB" if bytes else f"{'–':>12}" for bytes in sizes))
        is_packed_by_page = name == PLAIN_MODULE and module == PACKED_MODULE
        loaded = [packed] * 3 if is_packed_by_page else [sizes[0], packed, sizes[2] or packed]
        total = [sum(both) for both in zip(total, loaded)]
    lines.append(f"{'first visit':16}" + "".join(f"{bytes / 1000:9,.1f} kB" for bytes in total))
    files = [path for path in out.rglob("*") if path.is_file() and path.suffix not in (".gz", ".br")]
    lines.append(f"{len(files)} files, {sum(map(size, files)) / 1e6:.1f} MB before packing, in {out}")
    return "\n".join(lines)


def build(root: pathlib.Path, module: pathlib.Path, out: pathlib.Path, page_module: str, with_brotli: bool) -> None:
    for name in ("tacet.js", "tacet.wasm"):
        if not (module / name).is_file():
            raise SiteError(f"there is no {module / name}; tools/build_web_module.py builds it")
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    for name in COPIED:
        shutil.copyfile(root / PAGE / name, out / name)
    for name in ("tacet.js", "tacet.wasm"):
        shutil.copyfile(module / name, out / name)
    if (module / "licences.txt").is_file():
        with (out / "licences.txt").open("a") as licences:
            licences.write("\n" + (module / "licences.txt").read_text())
    (out / "index.html").write_text(index(root, page_module))
    (out / "examples.json").write_text(examples(root))
    # Hosts that otherwise leave out folders with certain names.
    (out / ".nojekyll").touch()
    subprocess.run([sys.executable, "-B", root / "tools/build_book.py", root, out / "book", "../"],
                   check=True, stdout=subprocess.DEVNULL)
    if not (out / BOOK).is_file():
        raise SiteError(f"the book has no {BOOK}")
    pack(out, with_brotli)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("module", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--no-brotli", action="store_true", help="no files for brotli, which take most of the time")
    parser.add_argument("--host-packs-module", action="store_true",
                        help="the page loads tacet.wasm, for hosts that send its .br or .gz instead")
    arguments = parser.parse_args()
    page_module = PLAIN_MODULE if arguments.host_packs_module else PACKED_MODULE
    try:
        build(arguments.root.resolve(), arguments.module.resolve(), arguments.out.resolve(), page_module,
              brotli is not None and not arguments.no_brotli)
    except subprocess.CalledProcessError as error:
        # Why, it has said itself.
        return error.returncode
    except (SiteError, OSError) as error:
        print(f"build_site: {error}", file=sys.stderr)
        return 1
    if not brotli and not arguments.no_brotli:
        print("build_site: no files for brotli without python3-brotli", file=sys.stderr)
    print(report(arguments.out.resolve(), page_module))
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Makes an image for containers without a program for containers: an OCI image layout in a tar archive.

usage: oci_image.py TACET LICENCES VERSION COMMIT FILE.oci.tar

TACET is the portable program, LICENCES a folder with those of what is linked into it. The image has this
program, the parts of glibc that it needs, and an account that is not root's. The same files give the same
bytes. SOURCE_DATE_EPOCH is its date.
"""

import argparse
import gzip
import json
import os
import pathlib
import subprocess
import sys
import time

import archives
import glibc

USER = 65532
LAYOUT = "application/vnd.oci.image.{}.v1+json"
LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}


def system_files(program: pathlib.Path) -> dict:
    """What the program finds of a system: glibc, accounts, and where names of hosts come from."""
    found = {
        "etc/passwd": archives.Entry(b"root:x:0:0:root:/root:/sbin/nologin\n"
                                     b"tacet:x:%d:%d:tacet:/work:/sbin/nologin\n" % (USER, USER)),
        "etc/group": archives.Entry(b"root:x:0:\ntacet:x:%d:\n" % USER),
        "etc/nsswitch.conf": archives.Entry(b"passwd: files\ngroup: files\nhosts: files dns\n"),
        "tmp": archives.folder(0o1777),
        "work": archives.folder(0o755, USER),
    }
    for path in glibc.libraries_of(program):
        found[path.as_posix().lstrip("/")] = archives.program(path.read_bytes())
    # As images without a package manager have it, so that scanners know the version of glibc.
    found["var/lib/dpkg/status.d/libc6"] = archives.Entry(glibc.package_status())
    found["usr/share/doc/libc6/copyright"] = archives.Entry(
        pathlib.Path("/usr/share/doc/libc6/copyright").read_bytes())
    return found


def program_files(program: pathlib.Path, licences: pathlib.Path) -> dict:
    found = {f"usr/share/doc/tacet/licences/{name}": entry
             for name, entry in archives.read_tree(licences).items()}
    found["usr/bin/tacet"] = archives.program(program.read_bytes())
    return found


class Layout:
    """The blobs of an image layout, by their digests."""

    def __init__(self) -> None:
        self.files = {"oci-layout": archives.Entry(as_json({"imageLayoutVersion": "1.0.0"}))}

    def add(self, kind: str, content: bytes) -> dict:
        digest = archives.sha256(content)
        self.files[f"blobs/sha256/{digest}"] = archives.Entry(content)
        return {"mediaType": kind, "digest": f"sha256:{digest}", "size": len(content)}


def as_json(value) -> bytes:
    return json.dumps(value, indent=1, sort_keys=True).encode() + b"\n"


def image(layers: list, machine: str, version: str, commit: str, date: int) -> bytes:
    """The archive with the layers, pairs of a comment and a tar archive, the lowest first."""
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(date))
    layout = Layout()
    packed = [layout.add(LAYER, gzip.compress(layer, 9, mtime=0)) for _, layer in layers]
    labels = {
        "org.opencontainers.image.title": "tacet",
        "org.opencontainers.image.description": "A language and tools for computing on encrypted data",
        "org.opencontainers.image.version": version,
        "org.opencontainers.image.revision": commit,
        "org.opencontainers.image.licenses": "Apache-2.0",
    }
    config = layout.add(LAYOUT.format("config"), as_json({
        "created": created,
        "architecture": ARCHITECTURES[machine],
        "os": "linux",
        "config": {"User": f"{USER}:{USER}", "Entrypoint": ["/usr/bin/tacet"], "Cmd": ["help"],
                   "WorkingDir": "/work", "Env": ["PATH=/usr/bin", "HOME=/work", "LANG=C.UTF-8"],
                   "Labels": labels},
        "rootfs": {"type": "layers",
                   "diff_ids": [f"sha256:{archives.sha256(layer)}" for _, layer in layers]},
        "history": [{"created": created, "created_by": comment} for comment, _ in layers],
    }))
    manifest = layout.add(LAYOUT.format("manifest"), as_json({
        "schemaVersion": 2, "mediaType": LAYOUT.format("manifest"), "config": config, "layers": packed,
        "annotations": {**labels, "org.opencontainers.image.created": created},
    }))
    named = {**manifest, "platform": {"architecture": ARCHITECTURES[machine], "os": "linux"},
             "annotations": {"org.opencontainers.image.ref.name": f"tacet:{version}"}}
    layout.files["index.json"] = archives.Entry(as_json({
        "schemaVersion": 2, "mediaType": LAYOUT.format("index"), "manifests": [named]}))
    return archives.tar(layout.files, date)


def build(program: pathlib.Path, licences: pathlib.Path, version: str, commit: str, date: int) -> bytes:
    layers = [("the C library", archives.tar(system_files(program), date)),
              ("tacet", archives.tar(program_files(program, licences), date))]
    return image(layers, glibc.ElfFile.read(program).machine, version, commit, date)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("tacet", type=pathlib.Path)
    parser.add_argument("licences", type=pathlib.Path)
    parser.add_argument("version")
    parser.add_argument("commit")
    parser.add_argument("file", type=pathlib.Path)
    arguments = parser.parse_args()
    try:
        date = int(os.environ.get("SOURCE_DATE_EPOCH", "315532800"))
        archives.write(arguments.file, build(arguments.tacet, arguments.licences, arguments.version,
                                             arguments.commit, date))
    except (ValueError, OSError, subprocess.CalledProcessError) as error:
        print(f"oci_image: {error}", file=sys.stderr)
        return 1
    print(arguments.file)
    return 0


if __name__ == "__main__":
    sys.exit(main())

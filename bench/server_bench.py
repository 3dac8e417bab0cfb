#!/usr/bin/env python3
"""Drives the real language server over its standard input and output and measures what a person
at an editor would feel.

usage: server_bench.py PATH-OF-TACET [--lines N…] [--edits N] [--json]

For every size: from the start of the process to the first diagnostics of a file, from a
keystroke to its diagnostics, hovering, 500 edits in a burst, and resident memory. Sizes over
20 000 lines are workspaces of files of 2 000 lines, of which one is open.
"""

import argparse
import json
import os
import pathlib
import select
import subprocess
import sys
import tempfile
import time

ITEM_LINES = 10
FILE_LINES = 2000


def item(index: int) -> str:
    """Ten lines of an ordinary module: a specification, its documentation, an implementation."""
    return (
        f"/// The sum of the numbers from `first` to `last`, for the {index}th time.\n"
        f"val sum_{index}(first: i64, last: i64) -> i64 {{\n"
        f"    rest :- sum_{index}(first + 1, last)\n"
        f"    returns 0 if first > last else first + rest\n"
        f"}}\n"
        f"val twice_{index}(x: i64) -> i64 {{\n"
        f"    total :- sum_{index}(0, x)\n"
        f"    returns total + total * {index}\n"
        f"}}\n"
        f"\n"
    )


def module(n_lines: int) -> str:
    return "#version 0.1.0\n\n" + "".join(item(i) for i in range(n_lines // ITEM_LINES))


class Server:
    """One process and the messages to and from it."""

    def __init__(self, program: str, root: pathlib.Path):
        self.started = time.perf_counter()
        self.process = subprocess.Popen([program, "lsp"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, bufsize=0)
        self.output = self.process.stdout.fileno()
        self.buffer = bytearray()
        self.n_requests = 0
        capabilities = {"textDocument": {"publishDiagnostics": {"versionSupport": True}}}
        self.request("initialize", {"processId": os.getpid(), "capabilities": capabilities,
                                    "rootUri": root.as_uri()})
        self.notify("initialized", {})

    def send(self, message: dict):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def notify(self, method: str, params):
        self.send({"method": method, "params": params})

    def receive(self, patience: float = 60.0):
        """The next message, or None."""
        until = time.perf_counter() + patience
        while True:
            end = self.buffer.find(b"\r\n\r\n")
            if end >= 0:
                length = int(self.buffer[:end].split(b":")[1])
                if len(self.buffer) >= end + 4 + length:
                    body = bytes(self.buffer[end + 4:end + 4 + length])
                    del self.buffer[:end + 4 + length]
                    return json.loads(body)
            left = until - time.perf_counter()
            if left <= 0 or not select.select([self.output], [], [], left)[0]:
                return None
            self.buffer += os.read(self.output, 1 << 20)

    def request(self, method: str, params):
        self.n_requests += 1
        self.send({"id": self.n_requests, "method": method, "params": params})
        while True:
            message = self.receive()
            if message is None:
                raise RuntimeError(f"no answer to {method}")
            if message.get("id") == self.n_requests and "method" not in message:
                return message

    def diagnostics(self, version: int):
        """Waits for the diagnostics of a version; how many publications came until then."""
        n_published = 0
        while True:
            message = self.receive()
            if message is None:
                raise RuntimeError("no diagnostics")
            if message.get("method") == "textDocument/publishDiagnostics":
                n_published += 1
                if message["params"].get("version") == version:
                    return n_published, message["params"]["diagnostics"]

    def memory_mb(self) -> float:
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1]) / 1024
        return 0.0

    def stop(self) -> int:
        self.request("shutdown", None)
        self.notify("exit", None)
        return self.process.wait(10)


def percentiles(samples: list[float]) -> dict:
    ordered = sorted(samples)
    at = lambda share: ordered[min(len(ordered) - 1, int(share * len(ordered)))]
    return {"p50": round(at(0.5), 3), "p99": round(at(0.99), 3)}


def milliseconds(action) -> float:
    begin = time.perf_counter()
    action()
    return (time.perf_counter() - begin) * 1000


class Session:
    """One open document with its version, edited inside one body in its middle."""

    def __init__(self, server: Server, path: pathlib.Path, text: str):
        self.server = server
        self.uri = path.as_uri()
        self.version = 1
        lines = text.split("\n")
        middle = len(lines) // 2
        self.line = next(i for i in range(middle, len(lines)) if "total + total" in lines[i])
        self.column = len(lines[self.line])
        server.notify("textDocument/didOpen", {"textDocument": {
            "uri": self.uri, "languageId": "tacet", "version": 1, "text": text}})

    def edit(self, text: str, n_deleted: int = 0):
        self.version += 1
        end = {"line": self.line, "character": self.column + n_deleted}
        start = {"line": self.line, "character": self.column}
        self.server.notify("textDocument/didChange", {
            "textDocument": {"uri": self.uri, "version": self.version},
            "contentChanges": [{"range": {"start": start, "end": end}, "text": text}]})

    def keystroke(self, i: int):
        """Types a digit or takes it back, and waits for the diagnostics."""
        if i % 2 == 0:
            self.edit(" + 1")
        else:
            self.edit("", 4)
        self.server.diagnostics(self.version)

    def hover(self):
        answer = self.server.request("textDocument/hover", {
            "textDocument": {"uri": self.uri},
            "position": {"line": self.line, "character": 14}})
        if "error" in answer:
            raise RuntimeError(answer["error"]["message"])

    def burst(self, n: int) -> tuple[float, int]:
        begin = time.perf_counter()
        for _ in range(n):
            self.edit(" ")
        n_published, _ = self.server.diagnostics(self.version)
        return (time.perf_counter() - begin) * 1000, n_published


def measure(program: str, n_lines: int, n_edits: int) -> dict:
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        n_files = 1 if n_lines <= 20000 else n_lines // FILE_LINES
        text = module(n_lines // n_files)
        for i in range(n_files):
            (root / f"module_{i}.tacet").write_text(text)
        server = Server(program, root)
        session = Session(server, root / "module_0.tacet", text)
        _, found = server.diagnostics(1)
        first = (time.perf_counter() - server.started) * 1000
        if found:
            raise RuntimeError(f"the module has diagnostics: {found[0]}")
        time.sleep(0.2 + n_lines / 500_000)  # the rest of the workspace is read meanwhile
        for i in range(20):
            session.keystroke(i)
        result = {
            "lines": n_lines,
            "files": n_files,
            "start_to_diagnostics_ms": round(first, 2),
            "keystroke_ms": percentiles(
                [milliseconds(lambda: session.keystroke(i)) for i in range(n_edits)]),
            "hover_ms": percentiles([milliseconds(session.hover) for _ in range(n_edits)]),
        }
        burst_ms, n_published = session.burst(500)
        result["burst_500_ms"] = round(burst_ms, 1)
        result["burst_publications"] = n_published
        result["memory_mb"] = round(server.memory_mb(), 1)
        if server.stop() != 0:
            raise RuntimeError("the server did not end in order")
        return result


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--lines", type=int, nargs="+",
                        default=[1000, 2000, 20000, 100_000, 1_000_000])
    parser.add_argument("--edits", type=int, default=300)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    for n_lines in options.lines:
        result = measure(options.program, n_lines, options.edits)
        if options.json:
            print(json.dumps(result), flush=True)
            continue
        print(f"{n_lines:>9} lines in {result['files']} files: "
              f"start to diagnostics {result['start_to_diagnostics_ms']} ms, "
              f"keystroke p50 {result['keystroke_ms']['p50']} p99 {result['keystroke_ms']['p99']} ms, "
              f"hover p50 {result['hover_ms']['p50']} p99 {result['hover_ms']['p99']} ms, "
              f"500 edits {result['burst_500_ms']} ms and {result['burst_publications']} "
              f"publications, {result['memory_mb']} MB", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

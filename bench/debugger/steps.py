#!/usr/bin/env python3
"""Measures the debugger: a run without pauses beside `tacet run`, and steps late in long runs.

usage: steps.py TACET

Prints, for each function of the program below, seconds of the processor of both, the debugger's memory, and the
milliseconds of a step forwards and backwards, and of going back to the start.
"""

import json
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

PROGRAM = """#version 0.1.0

fn(mpc) collatz(seed: secret i64, n: i64) -> secret i64 {
    var total: secret i64 = 0;
    var x: secret i64 = seed;
    for i in 0..n {
        if x % 2 == 0 {
            x = x / 2;
        } else {
            x = 3 * x + 1;
        }
        total = total + x;
        if x < 2 {
            x = seed + i;
        }
    }
    total
}

fn(mpc) step(r: i64, x: i64) -> i64 {
    let y = r * x;
    return y % 1000003;
}

fn(mpc) power(x: i64, n: i64) -> i64 {
    var r: i64 = 1;
    for i in 0..n {
        r = step(r, x);
    }
    r
}

fn(mpc) scatter(n: i64) -> i64 {
    var a = for i: 1000000 { i as i64 };
    var at: i64 = 0;
    for i in 0..n {
        at = (at * 7 + i) % 1000000;
        a[at] = a[at] + 1;
    }
    a[0] + a[999999]
}
"""

# The function, its values, and a statement that each iteration reaches, late in the run.
RUNS = [("collatz", [27, 2_500_000], "total = total", 2_490_000),
        ("power", [3, 3_000_000], "r = step", 2_990_000),
        ("scatter", [3_000_000], "at = (at", 2_990_000)]


class Client:
    def __init__(self, tacet):
        self.process = subprocess.Popen([tacet, "debug"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.seq = 0
        self.events = []

    def read(self):
        length = 0
        while line := self.process.stdout.readline().strip():
            length = int(line.split(b":")[1])
        return json.loads(self.process.stdout.read(length))

    def ask(self, command, **arguments):
        self.seq += 1
        body = json.dumps({"seq": self.seq, "type": "request", "command": command, "arguments": arguments}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()
        while True:
            message = self.read()
            if message["type"] == "event":
                self.events.append(message["event"])
            elif message["request_seq"] == self.seq:
                assert message["success"], message
                return message

    def move(self, command):
        self.ask(command, threadId=1)
        while not {"stopped", "terminated"} & set(self.events):
            self.events.append(self.read()["event"])
        self.events.clear()

    def launch(self, program, function, values, **breakpoint):
        self.ask("initialize")
        self.ask("launch", program=str(program), function=function, values=values, stopOnEntry=True)
        if breakpoint:
            self.ask("setBreakpoints", source={"path": str(program)}, breakpoints=[breakpoint])
        self.events.clear()
        self.move("configurationDone")

    def seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / 100

    def mebibytes(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) // 1024

    def end(self):
        self.ask("disconnect")
        self.process.wait()


def seconds_of_run(tacet, program, function, values):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([tacet, "run", program, "--device", "ref", "--fn", function, *map(str, values)],
                   check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def milliseconds(client, command, n):
    times = []
    for _ in range(n):
        start = time.monotonic()
        client.move(command)
        times.append(1000 * (time.monotonic() - start))
    return f"{command} {statistics.median(times):.1f} ms, at most {max(times):.1f} ms"


def measure(tacet, program, function, values, statement, hits):
    plain = min(seconds_of_run(tacet, program, function, values) for _ in range(3))
    client = Client(tacet)
    client.launch(program, function, values)
    start = client.seconds()
    client.move("continue")
    debugged = client.seconds() - start
    print(f"{function}: {plain:.2f} s, debugged {debugged:.2f} s, {client.mebibytes()} MiB", flush=True)
    client.end()
    line = next(i for i, text in enumerate(PROGRAM.split("\n"), 1) if statement in text)
    client = Client(tacet)
    client.launch(program, function, values, line=line, hitCondition=str(hits))
    client.move("continue")
    print("  " + milliseconds(client, "next", 50))
    print("  " + milliseconds(client, "stepBack", 100))
    client.ask("setBreakpoints", source={"path": str(program)}, breakpoints=[])
    print("  " + milliseconds(client, "reverseContinue", 1) + f", {client.mebibytes()} MiB", flush=True)
    client.end()


def main():
    tacet = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "steps.tacet"
        program.write_text(PROGRAM)
        for run in RUNS:
            measure(tacet, program, *run)


if __name__ == "__main__":
    main()

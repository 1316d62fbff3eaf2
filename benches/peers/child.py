#!/usr/bin/env python3
"""What one child process takes: CPU seconds, wall seconds, and the peak memory of it alone.

    python3 benches/peers/child.py COMMAND...    runs it and prints what it took on the last line

The kernel hands a process that begins the peak of the memory that it began in: fork copies the memory of the parent,
vfork and posix_spawn lend it, and either way exec counts it as the child's. A benchmark that has made its rows with NumPy
would so report its own gigabyte as that of everything it starts. Hence between the two stands an interpreter without
modules, which begins the child and waits for it: what the child inherits are the few megabytes of this interpreter.
Peaks below `FLOOR_MB` are therefore not told apart.
"""

import json
import os
import subprocess
import sys
from typing import NamedTuple

# What the interpreter between takes itself, at most: the least peak that can be reported.
FLOOR_MB = 16

# Begins the command that follows the number of the pipe, and writes what it took to the pipe.
BETWEEN = """
import os, sys, time
pipe = int(sys.argv[1])
os.set_inheritable(pipe, False)
start = time.perf_counter()
try:
    child = os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ)
except OSError as error:
    sys.exit(f"{sys.argv[2]}: {error.strerror}")
_, status, used = os.wait4(child, 0)
wall = time.perf_counter() - start
written = f"[{os.waitstatus_to_exitcode(status)}, {used.ru_utime + used.ru_stime}, {wall}, {used.ru_maxrss}]"
os.write(pipe, written.encode())
"""


class Taken(NamedTuple):
    """Exit code (negative: the signal), CPU and wall seconds, peak MB, and what was printed.

    Of a command that could not begin, the message of why is the output.
    """

    code: int
    cpu: float
    wall: float
    peak: float
    output: str


def run(command: list[str], *, folder: str | os.PathLike | None = None, environment: dict[str, str] | None = None) -> Taken:
    """Runs a command with the streams of output and of errors in one, and waits for it."""
    reads, writes = os.pipe()
    between = [sys.executable, "-I", "-S", "-c", BETWEEN, str(writes), *command]
    with open(reads) as told:
        try:
            done = subprocess.run(
                between,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                pass_fds=[writes],
                cwd=folder,
                env=environment,
                text=True,
                errors="replace",
            )
        finally:
            os.close(writes)
        found = told.read()
    if not found:
        return Taken(done.returncode or 1, 0.0, 0.0, 0.0, done.stdout)
    code, cpu, wall, kilobytes = json.loads(found)
    return Taken(code, cpu, wall, kilobytes / 1024, done.stdout)


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__)
    taken = run(sys.argv[1:])
    print(taken.output, end="")
    print(f"{taken.wall:.2f} s wall, {taken.cpu:.2f} s CPU, peak {taken.peak:.0f} MB")
    sys.exit(taken.code if taken.code >= 0 else 128 - taken.code)

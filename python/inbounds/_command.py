"""The command ``inbounds``."""

from __future__ import annotations

import signal
import sys

from . import _inbounds


def main() -> int:
    """Runs the command with the arguments of this process, and returns its exit code."""
    # Nothing of Python is running: Ctrl-C ends the process, as it ends that of any command.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _inbounds.command(["inbounds", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())

"""Folders of a process."""

from __future__ import annotations

import os
import weakref
from pathlib import Path


class Room:
    """A temporary folder, which goes with the last that holds it, or at the end of a ``with`` block.

    Only the process that made it deletes it. A fork has a copy of every object, and ends with the folder of its parent
    still in use.
    """

    def __init__(self) -> None:
        # What few need is not imported with the package.
        import tempfile

        self.path = Path(tempfile.mkdtemp(prefix="inbounds-"))
        self._end = weakref.finalize(self, _delete, self.path, os.getpid())

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, *raised: object) -> None:
        self._end()


def _delete(folder: Path, process: int) -> None:
    import shutil

    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)

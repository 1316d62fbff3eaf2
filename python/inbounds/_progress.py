"""What is going on, while it goes on."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Union

from ._given import refused

Progress = Union[bool, Callable[[str], object]]
"""Whether there is a line in the notebook or on the terminal, or a function that is called with the words instead."""


class Line:
    """One line in a notebook or on a terminal, which is empty at the end. Elsewhere nothing is shown."""

    def __init__(self) -> None:
        self._display: Any = None
        self._width = 0

    def __call__(self, words: str) -> None:
        if _in_notebook():
            from IPython.display import display  # type: ignore[import-not-found]

            if self._display is None:
                self._display = display({"text/plain": words}, raw=True, display_id=True)
            else:
                self._display.update({"text/plain": words}, raw=True)
        elif sys.stderr is not None and sys.stderr.isatty():
            words = words[:79]
            sys.stderr.write(f"\r{words.ljust(self._width)}")
            sys.stderr.flush()
            self._width = len(words)

    def end(self) -> None:
        """Empties the line."""
        if self._display is not None:
            self._display.update({"text/plain": ""}, raw=True)
        elif self._width:
            sys.stderr.write(f"\r{' ' * self._width}\r")
            sys.stderr.flush()


def shown(progress: Progress) -> tuple[Callable[[str], object] | None, Callable[[], None]]:
    """The function that is told, and the one to call at the end."""
    if isinstance(progress, bool) and progress:
        line = Line()
        return line, line.end
    if not isinstance(progress, bool) and not callable(progress):
        raise refused("progress", "True, False or a function that takes the words", progress)
    return (None if isinstance(progress, bool) else progress), lambda: None


def _in_notebook() -> bool:
    found = sys.modules.get("IPython")
    session = found.get_ipython() if found is not None and hasattr(found, "get_ipython") else None
    return hasattr(session, "kernel")

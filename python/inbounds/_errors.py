"""What can go wrong. No text holds a cell of private rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


class Error(Exception):
    """Any failure of inbounds. Nothing was published, and no epsilon was spent.

    Attributes
    ----------
    place : str or None
        Where the mistake stands: ``plan.toml:12:5`` in a text, ``statistics[1].by`` in objects.
    remedy : str or None
        What to do about it, where there is one thing to do.
    """

    place: str | None = None
    remedy: str | None = None


@dataclass(frozen=True)
class Mistake:
    """One thing wrong with a plan, with constraints or with figures."""

    place: str
    message: str
    remedy: str | None
    span: tuple[int, int]
    """Bytes of the text."""

    def __str__(self) -> str:
        return f"{self.place}: {self.message}" + (f"\n  help: {self.remedy}" if self.remedy else "")


class DocumentError(Error, ValueError):
    """Mistakes in a plan, in constraints or in figures: all of them, each with its place and remedy.

    Attributes
    ----------
    mistakes : tuple of Mistake
        The first twenty.
    more : int
        How many there are besides.
    """

    def __init__(self, mistakes: Sequence[Mistake], more: int = 0) -> None:
        self.mistakes = tuple(mistakes)
        self.more = more
        first = self.mistakes[0] if self.mistakes else None
        self.place = first.place if first else None
        self.remedy = first.remedy if first else None
        rest = f"\n... and {more} more mistake{'s' if more > 1 else ''}" if more else ""
        super().__init__("\n".join(map(str, self.mistakes)) + rest)

    @classmethod
    def of(
        cls,
        name: str,
        mistakes: Sequence[tuple[str, str | None, tuple[int, int], tuple[int, int]]],
        more: int,
    ) -> DocumentError:
        """Mistakes in a text of this name."""
        placed = [
            Mistake(f"{name}:{line}:{column}", message, remedy, span)
            for message, remedy, span, (line, column) in mistakes
        ]
        return cls(placed, more)

    def moved(self, place_of: Callable[[tuple[int, int]], str]) -> DocumentError:
        """The same mistakes at other places."""
        moved = [Mistake(place_of(one.span), one.message, one.remedy, one.span) for one in self.mistakes]
        return type(self)(moved, self.more)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.mistakes, self.more)


class PlanError(DocumentError):
    """Mistakes in a plan. No row was read."""


class ConstraintsError(DocumentError):
    """Mistakes in constraints."""


class FiguresError(DocumentError):
    """Mistakes in figures. Nothing was written."""


class DataError(Error):
    """The data cannot be read, or contradict what is said of them."""


class ParameterError(Error, ValueError, TypeError):
    """An argument is of the wrong type, or outside of what is possible. The message says what it has to be."""


class InfeasibleError(Error, ValueError):
    """No numbers satisfy the constraints.

    Attributes
    ----------
    conflict : list of (str, str)
        A smallest set in conflict: nodes, and what is required of each.
    """

    def __init__(self, message: str, conflict: Sequence[tuple[str, str]] = ()) -> None:
        super().__init__(message)
        self.conflict = list(conflict)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (str(self), self.conflict)


class WriteError(Error, OSError):
    """A bundle or a file cannot be written, or something is in its place already."""

    def __init__(self, message: str) -> None:
        super().__init__(message)


class LedgerError(Error):
    """The ledger of a plan cannot pay, or cannot be used. Where noise had been drawn, the message says what counts as spent."""


class EntropyError(Error, OSError):
    """The operating system gave no randomness."""

    def __init__(self, message: str) -> None:
        super().__init__(message)


class InternalError(Error, RuntimeError):
    """A fault of inbounds itself, by its place in the code and nothing else.

    Where a plan has a ledger, its history says what counts as spent.
    """

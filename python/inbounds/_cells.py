"""Cells of Python objects as texts, so that no cell decides how another is read.

A text is what a CSV file would have there, and the type that a plan declares says what is made of it. No cell can make
this fail.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Any

from ._errors import ParameterError
from ._given import is_numpy, refused

UNREADABLE = "\ufffd"
"""The text for a cell of which nothing can be made: no number, no date, and no value that anybody lists."""

FULL_DIGITS = 400
"""Decimals are written out up to this power of ten; beyond it no double has another value than 0 or infinity."""

LONG = 10**4000
"""Whole numbers beyond it have more digits than Python writes by itself."""

To = Callable[[Any], "str | None"]


def texts(cells: Sequence[Any]) -> list[str | None]:
    """Cells as texts, or None for what is missing."""
    try:
        return _by_type(cells)
    except Exception:
        # A class may fail on its own, even where it is asked what it is.
        return [_alone(cell) for cell in cells]


def _by_type(cells: Sequence[Any]) -> list[str | None]:
    kinds = set(map(type, cells))
    if kinds <= {str, type(None)}:
        return cells if isinstance(cells, list) else list(cells)
    made = {kind: text_of(kind) for kind in kinds}
    if len(made) == 1:
        return list(map(made[kinds.pop()], cells))
    return [made[type(cell)](cell) for cell in cells]


def _alone(cell: Any) -> str | None:
    try:
        return text_of(type(cell))(cell)
    except Exception:
        return UNREADABLE


def spelled(cells: Sequence[str | None]) -> list[str | None]:
    """Texts that all have UTF-8: a lone surrogate is spelled out, so that two texts stay two."""
    return [
        cell if cell is None or cell.isascii() else cell.encode("utf-8", "backslashreplace").decode() for cell in cells
    ]


def doubles(cells: Any, name: str) -> list[float]:
    """Numbers as doubles, NaN for what is missing.

    The types of the values decide whether there are such, and no value does.

    Raises
    ------
    ParameterError
        For another type among them, which it names.
    """
    if hasattr(cells, "__array__") and not hasattr(cells, "tolist"):
        cells = cells.__array__()
    if getattr(getattr(cells, "dtype", None), "kind", "O") in ("M", "m", "c", "V"):
        # Times of NumPy are whole numbers in a list.
        raise refused(name, "numbers", cells, f"its dtype is {cells.dtype.name}")
    if callable(getattr(cells, "tolist", None)) and not isinstance(cells, (list, tuple)):
        # What is masked is None in a list.
        cells = cells.tolist()
    elif callable(getattr(cells, "to_list", None)):
        cells = cells.to_list()
    if isinstance(cells, (str, bytes, bytearray, memoryview)) or not isinstance(cells, Sequence):
        raise refused(name, "a list or an array of numbers", cells)
    kinds = set(map(type, cells))
    if kinds <= {float}:
        return list(cells)
    made = {kind: _double_of(kind) for kind in kinds}
    odd = next((kind for kind, to in made.items() if to is None), None)
    if odd is not None:
        raise ParameterError(
            f"{name} must be numbers, None or NaN, and there is a {odd.__name__} among them:"
            " convert them to numbers first, or release a column with a plan, where a cell may be no number"
        )
    return [made[type(cell)](cell) for cell in cells]  # type: ignore[misc]


def _double_of(kind: type) -> Callable[[Any], float] | None:
    """How values of a type become doubles; None if they are no numbers."""
    if text_of(kind) is _missing:
        return lambda _: math.nan
    if issubclass(kind, Enum):
        return None
    if issubclass(kind, (int, float, Decimal, Fraction)):
        return _double
    return _double if text_of(kind) is _numpy and getattr(kind, "dtype", None) is not None and is_real(kind) else None


def is_real(kind: type) -> bool:
    """Whether a type of NumPy is one of real numbers, or of true and false."""
    import numpy

    return issubclass(kind, (numpy.integer, numpy.floating, numpy.bool_))


def _double(cell: Any) -> float:
    if isinstance(cell, Decimal) and cell.is_nan():
        return math.nan
    try:
        return float(cell)
    except OverflowError:
        return math.inf if cell > 0 else -math.inf


def text_of(kind: type) -> To:
    """How cells of a type become texts. The type alone decides, and only methods of known types are called."""
    for known, function in _KNOWN:
        if issubclass(kind, known):
            return function
    module = kind.__module__.split(".")[0]
    if module == "pandas" and kind.__name__ == "NAType" or module == "numpy" and kind.__name__ == "MaskedConstant":
        return _missing
    if module == "numpy":
        return _numpy
    return _unreadable


def _missing(_: object) -> None:
    return None


def _unreadable(_: object) -> str:
    return UNREADABLE


def _bool(cell: bool) -> str:
    return "true" if cell else "false"


def _int(cell: int) -> str:
    # `Decimal` has no limit on digits, and Python's own text of a number has one.
    return int.__repr__(cell) if -LONG < cell < LONG else format(Decimal(int(cell)), "f")


def _float(cell: float) -> str | None:
    if cell != cell:
        return None
    if math.isfinite(cell) and cell == math.floor(cell):
        return str(int(cell))
    return float.__repr__(cell)


def _decimal(cell: Decimal) -> str | None:
    if cell.is_nan():
        return None
    if not cell.is_finite():
        return "-inf" if cell.is_signed() else "inf"
    if abs(cell.adjusted()) > FULL_DIGITS:
        return Decimal.__str__(cell)
    plain = format(cell, "f")
    return (plain.rstrip("0").rstrip(".") if "." in plain else plain) or "0"


def _fraction(cell: Fraction) -> str | None:
    if cell.denominator == 1:
        return _int(cell.numerator)
    try:
        return _float(cell.numerator / cell.denominator)
    except OverflowError:
        return "inf" if cell > 0 else "-inf"


def _datetime(cell: datetime.datetime) -> str | None:
    # What pandas calls not a time is of a subclass.
    return None if type(cell).__name__ == "NaTType" else datetime.datetime.isoformat(cell)


def _bytes(cell: bytes) -> str:
    try:
        return bytes.decode(cell)
    except UnicodeDecodeError:
        return UNREADABLE


def _enum(cell: Enum) -> str | None:
    value = cell._value_
    return UNREADABLE if isinstance(value, Enum) else text_of(type(value))(value)


def _numpy(cell: Any) -> str | None:
    """The text of a scalar of NumPy: that of the number of Python that it is."""
    if not is_numpy(cell):
        return UNREADABLE
    letter = cell.dtype.kind
    if letter == "f":
        return _float(float(cell))
    if letter in "iub":
        value = cell.item()
        return _bool(value) if letter == "b" else _int(value)
    if letter == "M":
        day = cell.item()
        if isinstance(day, int):
            # Python has no nanoseconds.
            day = cell.astype("datetime64[us]").item()
        return None if day is None else day.isoformat() if isinstance(day, datetime.date) else UNREADABLE
    return UNREADABLE


_KNOWN: tuple[tuple[Any, To], ...] = (
    (type(None), _missing),
    # Members of an enumeration are the values that they stand for, also where these are texts or numbers.
    (Enum, _enum),
    (str, str.__str__),
    (bool, _bool),
    (int, _int),
    (float, _float),
    (Decimal, _decimal),
    (Fraction, _fraction),
    (datetime.datetime, _datetime),
    (datetime.date, datetime.date.isoformat),
    (bytes, _bytes),
)

"""One number or many, in the form in which they were given."""

from __future__ import annotations

import operator
import sys
from array import array
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, SupportsIndex, Union

from ._cells import doubles
from ._errors import ParameterError
from ._given import is_numpy, refused

Whole = SupportsIndex
"""A whole number, of Python or NumPy."""

Given = Union[Sequence[int], Any]
"""What the native part takes: a list of whole numbers, or an array of 64 bits each."""


def is_array(numbers: object) -> bool:
    """Whether this is an array of NumPy with at least one dimension."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(numbers, numpy.ndarray) and numbers.ndim > 0


def whole(numbers: Any, what: str) -> Given:
    """Whole numbers for the native part. The types decide whether there are such, and no value does."""
    remedy = "round them or give smaller units"
    if is_array(numbers):
        unmasked(numbers, what)
        kind = numbers.dtype
        if kind.kind not in "iub":
            raise ParameterError(f"{what} must be whole numbers, not an array of {kind.name}: {remedy}")
        # Numbers of 64 bits without a sign may not fit.
        return numbers.ravel().tolist() if kind == "uint64" else numbers.ravel().astype("int64", order="C", copy=False)
    if is_single(numbers):
        numbers = [numbers]
    elif not isinstance(numbers, Sequence) and callable(getattr(numbers, "tolist", None)):
        numbers = numbers.tolist()
    if isinstance(numbers, (str, bytes, bytearray, memoryview)) or not isinstance(numbers, Sequence):
        raise refused(what, "a whole number, or a list or an array of such", numbers)
    odd = next((kind for kind in set(map(type, numbers)) if not issubclass(kind, SupportsIndex)), None)
    if odd is not None:
        raise ParameterError(f"{what} must be whole numbers, not a {odd.__name__}: round it or give smaller units")
    return [operator.index(number) for number in numbers]


def unmasked(numbers: Any, what: str) -> None:
    """Refuses an array with a mask, whatever it masks: a result cannot be missing."""
    if hasattr(numbers, "mask"):
        raise refused(what, "an array without a mask", numbers, "fill it, or compress() it")


def is_single(numbers: object) -> bool:
    """Whether this is one whole number."""
    return isinstance(numbers, SupportsIndex) and not is_array(numbers) and not isinstance(numbers, Sequence)


def reals(numbers: Any, what: str) -> Any:
    """Real numbers as an array of doubles."""
    if is_array(numbers):
        unmasked(numbers, what)
        if numbers.dtype.kind not in "iufb":
            raise ParameterError(f"{what} must be numbers, not an array of {numbers.dtype.name}")
        return numbers.ravel().astype("float64", order="C", copy=False)
    return array("d", doubles([numbers] if is_one(numbers) else numbers, what))


def is_one(number: object) -> bool:
    """Whether this is one real number."""
    return isinstance(number, (int, float, Decimal, Fraction)) or is_numpy(number)


def like(numbers: Any, found: bytes, single: bool, width: int = 1) -> Any:
    """Doubles in the form of ``numbers``: one, a list, or an array of NumPy. With a ``width`` there are so many for each of them."""
    cells = memoryview(found).cast("d")
    if is_array(numbers):
        import numpy

        made = numpy.frombuffer(found, dtype="float64").copy()
        return made.reshape(numbers.shape if width == 1 else (*numbers.shape, width))
    rows: list[Any] = cells.tolist() if width == 1 else [cells[at : at + width].tolist() for at in range(0, len(cells), width)]
    return rows[0] if single else rows


def each(function: Callable[[Given], bytes], numbers: Any, what: str) -> Any:
    """A function of whole numbers, of one or of many."""
    return like(numbers, function(whole(numbers, what)), is_single(numbers))


def steps(numbers: Any, what: str) -> Any:
    """Whole numbers as an array of 64 bits each."""
    found = whole(numbers, what)
    if not isinstance(found, list):
        return found
    try:
        return array("q", found)
    except OverflowError:
        raise ParameterError(f"{what} must have 64 bits; take release() for larger ones") from None


def back(numbers: Any, found: bytearray) -> Any:
    """Whole numbers of 64 bits in the form of ``numbers``."""
    if is_array(numbers):
        import numpy

        return numpy.frombuffer(found, dtype="int64").reshape(numbers.shape)
    whole_numbers = memoryview(found).cast("q").tolist()
    return whole_numbers[0] if is_single(numbers) else whole_numbers

"""Numbers that privacy rests on, as exact text."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import SupportsIndex, Union

from ._errors import ParameterError

Exact = Union[str, int, float, Decimal, Fraction]
"""An exact number. A ``float`` is taken as its shortest decimal: ``0.1`` is one tenth."""


def exact(value: object, name: str) -> str:
    """The text of a number.

    >>> from fractions import Fraction
    >>> exact(Fraction(1, 3), "epsilon"), exact(0.1, "epsilon"), exact("0.5", "epsilon")
    ('1/3', '0.1', '0.5')
    """
    if isinstance(value, bool):
        raise ParameterError(f"{name} must be a number, got {value}")
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}"
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise ParameterError(f"{name} must be finite, got {value}")
        return str(value)
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            raise ParameterError(f"{name} must be finite, got {value}")
        # NumPy's doubles are floats whose own text is another one.
        return float.__repr__(value)
    if isinstance(value, SupportsIndex):
        return str(value.__index__())
    raise ParameterError(f"{name} must be a str, int, float, Decimal or Fraction, got {type(value).__name__}")

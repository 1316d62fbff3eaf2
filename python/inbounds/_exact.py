"""Numbers that privacy rests on, as exact text."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from typing import SupportsIndex, Union

from ._errors import ParameterError
from ._given import index, is_numpy, refused

Exact = Union[str, int, float, Decimal, Fraction]
"""An exact number. A ``float`` is taken as its shortest decimal: ``0.1`` is one tenth."""

NUMBER = re.compile(r"[-+0-9./eE_\s]+")
"""What a number can consist of; whether it is one, the native part says."""


def exact(value: object, name: str) -> str:
    """The text of a number.

    >>> from fractions import Fraction
    >>> exact(Fraction(1, 3), "epsilon"), exact(0.1, "epsilon"), exact("0.5", "epsilon")
    ('1/3', '0.1', '0.5')
    """
    if isinstance(value, bool):
        raise ParameterError(f"{name} must be a number, got {value}")
    if isinstance(value, str):
        # A text that is no number may be anything, also what nobody may see.
        if not NUMBER.fullmatch(value):
            raise ParameterError(
                f'{name} must be a number, such as 0.5, "0.1" or "1/3", and the text that was given is none'
            )
        return str.__str__(value).strip()
    if isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}"
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise ParameterError(f"{name} must be finite, got {value}")
        return str(value)
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            raise ParameterError(f"{name} must be finite, got {float.__repr__(value)}")
        # NumPy's doubles are floats whose own text is another one.
        return float.__repr__(value)
    if is_numpy(value) and value.dtype.kind == "f":  # type: ignore[attr-defined]
        return exact(value.item(), name)  # type: ignore[attr-defined]
    if isinstance(value, SupportsIndex):
        return str(index(value, name))
    raise refused(name, "a str, int, float, Decimal or Fraction", value)

"""What arguments have to be.

A message names the argument, what it has to be and its type, and never shows the value: whoever mixes up two arguments
may have handed over private rows.
"""

from __future__ import annotations

import datetime
import operator
import os
import sys
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, SupportsIndex

from ._errors import ParameterError


def refused(name: str, requirement: str, value: object, remedy: str = "") -> ParameterError:
    """The error for a value of the wrong type."""
    return ParameterError(f"{name} must be {requirement}, not a {kind(value)}{': ' + remedy if remedy else ''}")


def kind(value: object) -> str:
    """The type of a value, for messages."""
    module = type(value).__module__.split(".")[0]
    name = type(value).__name__
    return name if module in ("builtins", "inbounds") else f"{name} of {module}"


def text(value: object, name: str, remedy: str = "") -> str:
    """A text."""
    if not isinstance(value, str):
        raise refused(name, "a text", value, remedy)
    return str.__str__(value)


def path(value: object, name: str) -> str:
    """A path: a text or a path-like object."""
    if isinstance(value, os.PathLike):
        found = _tried(os.fspath, value)
        if isinstance(found, str):
            return found
    if not isinstance(value, str):
        raise refused(name, "a path", value)
    return str.__str__(value)


def index(value: object, name: str, least: int | None = None, most: int | None = None) -> int:
    """A whole number, of Python or NumPy."""
    found = None
    if isinstance(value, SupportsIndex) and not isinstance(value, bool):
        found = _tried(operator.index, value)
    if found is None:
        raise refused(name, "a whole number", value)
    if (least is not None and found < least) or (most is not None and found > most):
        ends = " and ".join(
            part
            for part in (
                f"at least {least}" if least is not None else "",
                f"at most {most}" if most is not None else "",
            )
            if part
        )
        raise ParameterError(f"{name} must be {ends}")
    return found


def optional_index(value: object, name: str, least: int | None = None, most: int | None = None) -> int | None:
    """A whole number, or None."""
    return None if value is None else index(value, name, least, most)


def seed(value: object, not_private: object) -> int | None:
    """A seed, which comes with the word that it protects nobody, or neither."""
    found = optional_index(value, "seed", 0, 2**64 - 1)
    if (found is not None) != flag(not_private, "not_private"):
        raise ParameterError("a seed protects nobody: give seed=... and not_private=True, or neither")
    return found


def flag(value: object, name: str) -> bool:
    """True or False."""
    if isinstance(value, bool):
        return value
    if is_numpy(value) and type(value).__name__ in ("bool", "bool_") and not hasattr(value, "__len__"):
        return bool(value)
    raise refused(name, "True or False", value)


def fraction(value: object, name: str) -> float:
    """A number between 0 and 1."""
    if isinstance(value, (int, float, Decimal, Fraction)) and not isinstance(value, bool) and 0 < value < 1:
        return float(value)
    if isinstance(value, (int, float, Decimal, Fraction)) and not isinstance(value, bool):
        raise ParameterError(f"{name} must be between 0 and 1, got {float(value):g}")
    raise refused(name, "a number between 0 and 1", value)


def texts(value: object, name: str) -> list[str]:
    """One text, or a list of them."""
    if isinstance(value, str):
        return [str.__str__(value)]
    return [text(one, f"{name}[{place}]") for place, one in enumerate(listed(value, name))]


def listed(value: object, name: str) -> Sequence[Any]:
    """A list or a tuple."""
    if isinstance(value, (list, tuple, range)):
        return value
    remedy = "write .tolist() if it is public" if hasattr(value, "tolist") else ""
    raise refused(name, "a list", value, remedy)


def table(value: object, name: str) -> dict[str, Any]:
    """A mapping whose keys are texts or whole numbers."""
    if not isinstance(value, Mapping):
        raise refused(name, "a mapping", value)
    return {key_of(key, name): item for key, item in value.items()}


def key_of(key: object, name: str) -> str:
    """The key of a mapping."""
    if isinstance(key, bool):
        return "true" if key else "false"
    if isinstance(key, int):
        return int.__repr__(key)
    return text(key, f"each key of {name}")


def plan_value(value: object, name: str) -> None:
    """Something that a plan can say: a text, a number, a date, True or False, a list of such, or a mapping."""
    if isinstance(value, Mapping):
        for key, item in table(value, name).items():
            plan_value(item, f"{name}[{key!r}]")
    elif isinstance(value, (list, tuple)):
        for place, item in enumerate(value):
            plan_value(item, f"{name}[{place}]")
    elif not is_scalar(value):
        remedy = "write .tolist() if it is public" if hasattr(value, "tolist") else ""
        raise refused(name, "a text, a number, a date, True or False, a list or a mapping", value, remedy)


def is_scalar(value: object) -> bool:
    """Whether this is a text, a number, a date, True or False."""
    if isinstance(value, (str, bool, int, float, Decimal, Fraction, datetime.date)):
        return True
    if is_numpy(value):
        letter = value.dtype.kind  # type: ignore[attr-defined]
        plain = value.item()  # type: ignore[attr-defined]
        return letter in "iufbU" or letter == "M" and isinstance(plain, datetime.date)
    # Whole numbers of other libraries; an array of NumPy has the method too.
    return (
        isinstance(value, SupportsIndex) and not hasattr(value, "__len__") and _tried(operator.index, value) is not None
    )


def is_numpy(value: object) -> bool:
    """Whether this is a scalar of NumPy."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.generic)


def _tried(function: Any, value: object) -> Any:
    """What a method of a foreign object gives; None where it raises."""
    try:
        return function(value)
    except Exception:
        return None

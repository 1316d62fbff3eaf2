"""What the keys of plans can be given as, in Python.

Values are for the plan to judge; here a wrong type is refused, and not shown.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from ._errors import ParameterError
from ._exact import exact
from ._given import flag, index, listed, path, plan_value, refused, table, text, texts

Check = Callable[[Any, str], object]


def numbers(value: object, name: str) -> None:
    """A list of exact numbers."""
    for place, one in enumerate(listed(value, name)):
        exact(one, f"{name}[{place}]")


def numbered(value: object, name: str) -> None:
    """A mapping of names to exact numbers."""
    for key, one in table(value, name).items():
        exact(one, f"{name}[{key!r}]")


def classes(value: object, name: str) -> None:
    """A mapping of names to exact numbers, or to the word for what is beyond them."""
    for one in table(value, name).values():
        if isinstance(one, str) and one == "beyond":
            continue
        try:
            exact(one, name)
        except ParameterError:
            raise refused(name, 'a mapping of names to numbers, or to "beyond"', value) from None


def ends(value: object, name: str) -> None:
    """A mapping with ends of a range, and perhaps a number of bins."""
    known = ("lower", "upper", "bins")
    keys_of(table(value, name), known, name)
    numbered(value, name)


def areas(value: object, name: str) -> None:
    """A mapping with a file of areas, and the property that is the value."""
    keys_of(table(value, name), ("file", "key"), name)
    for key, one in table(value, name).items():
        text(one, f"{name}[{key!r}]")


def keys_of(keys: Mapping[str, Any], known: Iterable[str], name: str) -> None:
    """Refuses a key that is none of the known ones, nor nearly one: the plan says what is wrong with a slip."""
    for key in keys:
        if not get_close_matches(key, list(known)):
            raise ParameterError(
                f"{name} has a key that is none of {', '.join(known)}: it must be a mapping with these keys"
            )


def edges(value: object, name: str) -> None:
    """Edges of bins."""
    if isinstance(value, Mapping):
        ends(value, name)
    else:
        numbers(value, name)


def word_or(other: Check) -> Check:
    """A word, or something else."""
    return lambda value, name: text(value, name) if isinstance(value, str) else other(value, name)


def wants(value: object, name: str) -> None:
    """How accurate a statistic is to be, in one way or several."""
    for place, one in enumerate([value] if isinstance(value, Mapping) else listed(value, name)):
        table(one, f"{name}[{place}]")
        plan_value(one, f"{name}[{place}]")


def rule_file(value: object, name: str) -> None:
    """A rule of one's own, with its file."""
    table(value, name)
    plan_value(value, name)


def columns_each(value: object, name: str) -> None:
    """A list of lists of names."""
    for place, one in enumerate(listed(value, name)):
        texts(one, f"{name}[{place}]")


def tables(value: object, name: str) -> None:
    """A list of mappings."""
    for place, one in enumerate(listed(value, name)):
        table(one, f"{name}[{place}]")
        plan_value(one, f"{name}[{place}]")


def number(value: object, name: str) -> None:
    """An exact number."""
    exact(value, name)


def file(value: object, name: str) -> None:
    """A path."""
    path(value, name)


STATISTIC: dict[str, Check] = {
    **dict.fromkeys(("name", "label", "where", "fit", "measure", "rule", "total", "of"), text),
    **dict.fromkeys(("by", "columns", "levels", "within", "possible"), texts),
    **dict.fromkeys(("share", "spurious", "interval_share", "interval"), number),
    "mechanism": word_or(rule_file),
    "learn_keys": word_or(flag),
    **dict.fromkeys(("population", "spend_delta", "joint", "every_margin"), flag),
    **dict.fromkeys(("level_shares", "margin_shares"), word_or(numbers)),
    "calculated": plan_value,
    "releases": index,
    "keys": file,
    "range": word_or(ends),
    "want": wants,
    "margins": columns_each,
    "edges": edges,
    "probabilities": numbers,
    "weights": numbered,
    "classes": tables,
    "public": tables,
}
"""The keys of statistics."""

PLAN: dict[str, Check] = {
    **dict.fromkeys(("title", "unit_of_rows", "period", "source", "contact", "language"), text),
    "interval": number,
    "joint": flag,
    **dict.fromkeys(("quality_of", "suppress"), text),
    "quality": classes,
    "round": index,
}
"""The keys of the plan itself that are no tables."""

PRIVACY: dict[str, Check] = {
    **dict.fromkeys(("neighbours", "mechanism"), text),
    **dict.fromkeys(("delta", "diagnostics"), number),
    "unit": word_or(plan_value),
    "epsilon": lambda value, name: (
        value == "least" if isinstance(value, str) and value == "least" else exact(value, name)
    ),
    "rows": index,
    "together": word_or(plan_value),
    "ledger": file,
}
"""The keys of the table of privacy."""

COLUMN: dict[str, Check] = {
    **dict.fromkeys(("type", "from", "take", "lookup", "is", "thousands", "negative", "separator", "label", "unit"), text),
    **dict.fromkeys(("lower", "upper"), number),
    "trim": flag,
    "groups": numbers,
    "max_options": index,
    "marks": texts,
    **dict.fromkeys(("labels", "numbers"), table),
    "map": areas,
}
"""The keys of the table of a column; others are whatever a plan can say."""


def checked(keys: Mapping[str, Any], known: Mapping[str, Check], place: str) -> None:
    """Refuses values of a wrong type. Keys that are not known are for the plan to refuse."""
    for key, value in keys.items():
        name = f"{place}{text(key, 'each key')}"
        check = known.get(key)
        if check is not None:
            check(value, name)
        if check is not file:
            plan_value(value, name)


def column_name(value: object, what: str) -> str:
    """The name of a column, where somebody may think of its values."""
    if isinstance(value, (str, os.PathLike)):
        return text(value, "column")
    raise refused("column", f"the name of a column: a {what} is released by a plan, with the rows as its data,", value)


def only_columns(value: object, what: str) -> list[str]:
    """Names of columns, where somebody may think of their values."""
    if not isinstance(value, (list, tuple)) or not all(isinstance(one, str) for one in value):
        raise ParameterError(
            f"columns must be a list with the names of columns: a {what} is released by a plan,"
            " with the rows as its data"
        )
    return list(value)

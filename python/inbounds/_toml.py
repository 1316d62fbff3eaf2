"""Objects as TOML, with the place of each in the text."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import SupportsIndex

from ._exact import exact
from ._given import index, is_numpy, key_of, plan_value, refused


class Writer:
    """A TOML document, written key by key. Each piece remembers which object it comes from."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._bytes = 0
        self._places: list[tuple[int, int, str]] = []

    @property
    def text(self) -> str:
        return "".join(self._text)

    def _write(self, text: str) -> None:
        self._text.append(text)
        self._bytes += len(text.encode())

    def header(self, name: str, place: str) -> None:
        """The line ``[name]`` or ``[[name]]``."""
        if self._text:
            self._write("\n")
        start = self._bytes
        self._write(name)
        self._places.append((start, self._bytes, place))
        self._write("\n")

    def entry(self, key: str, value: object, place: str) -> None:
        """The line ``key = value``."""
        start = self._bytes
        self._write(f"{quoted_key(key)} = ")
        self._value(value, place)
        self._places.append((start, self._bytes, place))
        self._write("\n")

    def _value(self, value: object, place: str) -> None:
        start = self._bytes
        if isinstance(value, Mapping):
            self._write("{")
            for number, (key, item) in enumerate(value.items()):
                self._write(", " if number else " ")
                spelled = key_of(key, place)
                inside = f"{place}[{spelled!r}]"
                begin = self._bytes
                self._write(f"{quoted_key(spelled)} = ")
                self._value(item, inside)
                self._places.append((begin, self._bytes, inside))
            self._write(" }" if value else "}")
        elif isinstance(value, (list, tuple)):
            self._write("[")
            for number, item in enumerate(value):
                self._write(", " if number else "")
                self._value(item, f"{place}[{number}]")
            self._write("]")
        else:
            self._write(scalar(value, place))
        self._places.append((start, self._bytes, place))

    def place_of(self, span: tuple[int, int]) -> str:
        """The innermost object in whose text a span begins."""
        around = [place for place in self._places if place[0] <= span[0] < place[1]]
        return min(around, key=lambda place: place[1] - place[0])[2] if around else "plan"


def scalar(value: object, place: str) -> str:
    """A value without parts."""
    plan_value(value, place)
    value = plain(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, Fraction) and value.denominator != 1:
        return quoted(exact(value, place))
    if isinstance(value, Fraction):
        return str(value.numerator)
    if isinstance(value, (int, float, Decimal)):
        text = exact(value, place)
        # TOML has no number that begins or ends with a point, and quotes hold any.
        return text if text.lstrip("-").isdigit() or "." in text and text[0] != "." and "E" not in text else quoted(text)
    if isinstance(value, (datetime.date, datetime.datetime)):
        return quoted(value.isoformat())
    raise refused(place, "a text, a number, a date, True or False", value)


def plain(value: object) -> object:
    """A scalar of NumPy as one of Python."""
    if is_numpy(value):
        return value.item()  # type: ignore[attr-defined]
    if isinstance(value, (bool, int, float, str, Fraction, Decimal)):
        return value
    return index(value, "a number") if isinstance(value, SupportsIndex) else value


def quoted(text: str) -> str:
    """A basic string of TOML."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    escaped = "".join(
        f"\\u{ord(letter):04x}" if ord(letter) < 0x20 or ord(letter) == 0x7F else letter for letter in escaped
    )
    return f'"{escaped}"'


def quoted_key(key: str) -> str:
    """A key, in quotes where TOML wants them."""
    bare = key and all(letter.isascii() and (letter.isalnum() or letter in "_-") for letter in key)
    return key if bare else quoted(key)

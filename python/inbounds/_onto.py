"""Projections of numbers that are public: the nearest that satisfy a constraint. No privacy is involved."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, SupportsFloat

from . import _given as given
from . import _inbounds
from ._errors import ParameterError
from ._guard import public
from ._many import is_array, like, reals

Number = SupportsFloat


def _number(value: object, name: str) -> float:
    found = reals(value, name)
    if len(found) != 1:
        raise given.refused(name, "one number", value)
    return float(found[0])


def _bound(value: Number | None, name: str, open_end: float) -> float:
    return open_end if value is None else _number(value, name)


def _variances(variances: Any) -> Any:
    return None if variances is None else reals(variances, "variances")


@public
def onto_total(values: Any, *, total: Number, variances: Any = None) -> Any:
    """The nearest numbers that add up to ``total``, each square over its variance.

    A list gives a list, and an array of NumPy an array. Unbiased where the values are.

    Examples
    --------
    >>> import inbounds as ib
    >>> ib.onto_total([1, 2, 6], total=12)
    [2.0, 3.0, 7.0]
    """
    ends = (-math.inf, math.inf)
    found = _inbounds.onto_total(reals(values, "values"), _variances(variances), _number(total, "total"), ends)
    return like(values, found, False)


@public
def onto_simplex(
    values: Any, *, total: Number = 1, variances: Any = None, lower: Number = 0, upper: Number | None = None
) -> Any:
    """The nearest numbers of at least ``lower`` that add up to ``total``: shares, if nothing else is said.

    Examples
    --------
    >>> import inbounds as ib
    >>> ib.onto_simplex([0.75, -0.25, 0.25])
    [0.75, 0.0, 0.25]
    """
    ends = (_number(lower, "lower"), _bound(upper, "upper", math.inf))
    found = _inbounds.onto_total(reals(values, "values"), _variances(variances), _number(total, "total"), ends)
    return like(values, found, False)


@public
def onto_order(
    values: Any,
    *,
    increasing: bool = True,
    variances: Any = None,
    lower: Number | None = None,
    upper: Number | None = None,
) -> Any:
    """The nearest numbers of which none is below the one before it (isotonic regression), or none above.

    Examples
    --------
    >>> import inbounds as ib
    >>> ib.onto_order([1, 3, 2, 5])
    [1.0, 2.5, 2.5, 5.0]
    """
    ends = (_bound(lower, "lower", -math.inf), _bound(upper, "upper", math.inf))
    increasing = given.flag(increasing, "increasing")
    return like(values, _inbounds.onto_order(reals(values, "values"), _variances(variances), increasing, ends), False)


@public
def onto_semidefinite(matrix: Any, *, floor: Number = 0, diagonal: Any = None) -> Any:
    """The nearest symmetric matrix without an eigenvalue below ``floor``; with a ``diagonal`` of ones the nearest correlation matrix.

    Examples
    --------
    >>> import inbounds as ib
    >>> broken = [[1, 1, 0], [1, 1, 1], [0, 1, 1]]
    >>> round(ib.onto_semidefinite(broken, diagonal=[1, 1, 1])[0][1], 4)
    0.7607
    """
    if is_array(matrix):
        size = len(matrix)
        flat = reals(matrix, "matrix")
    else:
        rows = [reals(row, "matrix") for row in given.listed(matrix, "matrix")]
        size = len(rows)
        flat = reals([number for row in rows for number in row], "matrix")
    if len(flat) != size * size or (is_array(matrix) and matrix.shape != (size, size)):
        raise given.refused("matrix", "as many rows as columns", matrix)
    found = _inbounds.onto_semidefinite(
        size, flat, _number(floor, "floor"), None if diagonal is None else reals(diagonal, "diagonal")
    )
    if is_array(matrix):
        return like(matrix, found, False)
    cells = memoryview(found).cast("d")
    return [cells[at : at + size].tolist() for at in range(0, size * size, size)] if size else []


@public
def onto_tree(
    values: Any,
    *,
    parents: Sequence[int | None],
    variances: Any = None,
    nonnegative: bool = True,
    whole: bool = False,
) -> Any:
    """The nearest numbers of the nodes of a tree that are each the sum of their children.

    ``parents`` has the place of the parent of each node, and ``None`` for a root. A variance of 0 is of a number that everyone knows, an infinite
    one of a number that was not measured. ``whole`` asks for the nearest whole numbers, not for rounded ones.

    Examples
    --------
    >>> import inbounds as ib
    >>> ib.onto_tree([6, 1, 2], parents=[None, 0, 0])
    [5.0, 2.0, 3.0]
    """
    places = [given.optional_index(parent, "parents", 0, 2**32 - 2) for parent in given.listed(parents, "parents")]
    flags = given.flag(nonnegative, "nonnegative"), given.flag(whole, "whole")
    return like(values, _inbounds.onto_tree(reals(values, "values"), _variances(variances), places, *flags), False)


@public
def onto_table(
    margins: Mapping[Sequence[int], Any],
    *,
    sizes: Sequence[int],
    variances: Mapping[Sequence[int], Number] | None = None,
    nonnegative: bool = True,
    whole: bool = False,
) -> dict[tuple[int, ...], list[float]]:
    """Margins of a table that add up, and are nonnegative: the measured ones, and all of theirs down to the total, ``()``.

    A margin is known by its attributes, and has its cells in a list, the last attribute moving fastest. ``sizes`` says how many values each attribute
    has. The linear fit comes first, then the total, then each margin as near to its fit as its own margins allow.

    Examples
    --------
    >>> import inbounds as ib
    >>> [round(x, 9) for x in ib.onto_table({(): [10], (0,): [9, 3]}, sizes=[2], nonnegative=False)[(0,)]]
    [8.333333333, 2.333333333]
    """
    if not isinstance(margins, Mapping):
        raise given.refused("margins", "a dict of margins", margins)
    many = given.listed(sizes, "sizes")
    counts = [given.index(size, "sizes", 1, 2**28) for size in many]
    spread = {} if variances is None else variances
    if not isinstance(spread, Mapping):
        raise given.refused("variances", "a dict of margins", variances)
    measured = []
    for attributes, cells in margins.items():
        if not isinstance(attributes, tuple):
            raise given.refused("margins", "a dict whose keys are tuples of attributes", attributes)
        own = [given.index(one, "margins", 0, len(counts) - 1) for one in attributes]
        if own != sorted(set(own)):
            raise ParameterError("the attributes of a margin must be in order, each once")
        measured.append((own, reals(cells, "margins"), _number(spread.get(attributes, 1), "variances")))
    flags = given.flag(nonnegative, "nonnegative"), given.flag(whole, "whole")
    found = _inbounds.onto_table(counts, measured, *flags)
    return {tuple(axes): memoryview(cells).cast("d").tolist() for axes, cells in found}

"""Rows that are elsewhere: what is asked of them, and the shares that they come to."""

from __future__ import annotations

import os
from typing import Any

from . import _given as given
from . import _inbounds
from ._errors import ParameterError
from ._guard import public
from ._rows import part_of

MOST = 2**63 - 1
"""The largest number of a part, and of bytes."""


class Question:
    """What a plan asks of rows that are elsewhere, for one release.

    It is **secret**: it holds the key that its shares are sealed with. It can be pickled, so that an engine takes it to
    whoever has the rows, and is not printed. It holds nothing of any row.

    Made by :meth:`inbounds.Plan.question`.

    Examples
    --------
    Two parts of a table, each read by somebody else. The plan has no rows, only their columns; with pyarrow its schema
    says as much.

    >>> import inbounds as ib
    >>> plan = ib.Plan(
    ...     data={"district": []},
    ...     privacy=ib.Privacy(unit="row", neighbours="add-remove", epsilon="1"),
    ...     columns={"district": ib.Column(type="text", values=["north", "south"])},
    ...     statistics=[ib.count(by="district")],
    ... )
    >>> question = plan.question()
    >>> parts = [{"district": ["north", "south"]}, {"district": ["south"]}]
    >>> shares = [question.share(rows, part=part) for part, rows in enumerate(parts)]
    >>> len(plan.release(shares=shares).estimates)
    2
    """

    def __init__(self, native: _inbounds.Question) -> None:
        self._native = native

    @property
    def columns(self) -> list[str]:
        """Names of the columns that are read."""
        return self._native.columns()

    @property
    def unit(self) -> str | None:
        """The column that names the units of which all rows must be in one share; None if rows may be anywhere."""
        return self._native.unit()

    @public
    def share(
        self,
        rows: Any,
        *,
        part: int | None = None,
        unit_memory: int | None = None,
        spill: str | os.PathLike[str] | None = None,
    ) -> bytes:
        """What rows come to, sealed: bytes for ``release(shares=...)``, of no use to whoever lacks the question.

        Parameters
        ----------
        rows
            A part of the rows: what :class:`inbounds.Data` takes, or an iterator of record batches of pyarrow, which is
            read once and in constant memory, unless the plan learns keys.
        part
            Its number, the same whenever it is read again. Shares of one number count once. Without it only the very
            same share is recognised, and a part that is read twice counts twice, unless units show it.
        unit_memory, spill
            As of :meth:`inbounds.Plan.release`, where this share is made.

        Raises
        ------
        DataError
            If the rows have not the columns of the plan.
        """
        number = given.optional_index(part, "part", 0, MOST)
        if spill is not None and unit_memory is None:
            raise ParameterError("spill=... is for what does not fit into unit_memory=...: give both")
        most = given.optional_index(unit_memory, "unit_memory", 1, MOST)
        memory = (most, None if spill is None else given.path(spill, "spill"))
        return self._native.share(part_of(rows).read(self._native.columns()), number, memory)

    @public
    def groups(self, rows: Any) -> _inbounds.Table:
        """The group of each row's unit, in a table of one column ``group``: whole numbers below 65,536, and None for a
        row without a unit.

        All rows of a group must be in one share, and then all rows of each unit are, however its name is spelled. A
        group is a hash of the unit as it is read, under a key of this question: it does not tell whose it is to whoever
        lacks the question.
        """
        return self._native.groups(part_of(rows).read(self._native.columns_of_unit()))

    def size(self) -> int:
        """Bytes of it when it travels."""
        return len(self._native.packed())

    def __repr__(self) -> str:
        return "<inbounds.Question>"

    def __reduce__(self) -> tuple[Any, ...]:
        return (_question, (self._native.packed(),))


@public
def _question(native: bytes) -> Question:
    return Question(_inbounds.Question.of(native))

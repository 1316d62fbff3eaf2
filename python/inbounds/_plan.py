"""Plans: read from a file or a text, or made of objects that say the same with the same words."""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date
from typing import Any, Literal, Union

from . import _given as given
from . import _inbounds
from ._bundle import Bundle
from ._check import Check
from ._errors import ParameterError, PlanError, WriteError
from ._exact import Exact, exact
from ._exploration import Exploration
from ._figures import Figure, write
from ._guard import calling, public
from ._progress import Progress, shown
from ._room import Room
from ._rows import ArrowStream, Held, held
from ._shares import Question
from ._spark import Spark
from ._statistics import Statistic
from ._toml import Writer, quoted_key
from ._words import COLUMN, PLAN, PRIVACY, checked, keys_of

Rows = Union[ArrowStream, Mapping[str, Any]]
"""Rows in memory: anything with ``__arrow_c_stream__``, or a dictionary of NumPy arrays and lists; a frame of PySpark; or a schema of pyarrow,
for rows that are elsewhere."""

MEMORY = "rows in memory"
"""What stands at ``path`` in the plan of rows in memory."""

MOST = 2**63 - 1
"""The largest number of rows or bytes."""


@dataclass(frozen=True, kw_only=True)
class Privacy:
    """Who is protected, and how well: the table ``[privacy]`` of a plan.

    Parameters
    ----------
    unit
        ``"row"``, or ``{"column": "patient", "max_rows": 3}``; also with ``max_groups`` and ``max_rows_per_group``.
    neighbours
        ``"add-remove"`` or ``"substitute"``.
    epsilon
        Of the whole release; ``"least"`` for the least that meets what all statistics ``want``.
    together
        Names of statistics that share one vector of noise, or several such lists; ``"none"`` for noise of their own. By itself, all
        share that err less by it (``"best"``).
    mechanism
        ``"best"`` for Laplace or Gaussian noise, whichever errs less, in all statistics that name no mechanism.
    delta, rows, diagnostics, ledger
        As in a plan.
    """

    unit: str | Mapping[str, Any]
    neighbours: str
    epsilon: Exact
    delta: Exact | None = None
    rows: int | None = None
    diagnostics: Exact | None = None
    together: Literal["best", "none"] | Sequence[str] | Sequence[Sequence[str]] | None = None
    mechanism: Literal["best", "clamped"] | None = None
    ledger: str | None = None

    def __post_init__(self) -> None:
        checked(_fields(self), PRIVACY, "privacy.")


@dataclass(frozen=True, kw_only=True)
class Column:
    """What is known about a column: a table ``[columns.NAME]`` of a plan. ``from_`` and ``is_`` are the keys ``from`` and ``is``."""

    type: str | None = None
    lower: Exact | None = None
    upper: Exact | None = None
    missing: str | bool | Exact | None = None
    values: Sequence[str | int | bool] | None = None
    missing_values: Sequence[str | Exact] | None = None
    format: str | None = None
    from_: str | None = None
    take: str | None = None
    cut: Sequence[str | Exact | date] | None = None
    classes: Sequence[str | int | bool] | None = None
    recode: Mapping[str, str | int | bool] | None = None
    lookup: str | None = None
    others: str | int | bool | None = None
    is_: str | None = None
    trim: bool | None = None
    thousands: str | None = None
    decimal: str | Sequence[str] | None = None
    marks: Sequence[str] | None = None
    numbers: Mapping[str, Exact] | None = None
    negative: str | None = None
    groups: Sequence[int] | None = None
    separator: str | None = None
    max_options: int | None = None
    label: str | None = None
    unit: str | None = None
    labels: Mapping[str, str] | None = None
    map: Mapping[str, str] | None = None

    def __post_init__(self) -> None:
        checked(_fields(self), COLUMN, "")


# A dataclass makes its own constructor.
Privacy.__init__ = public(Privacy.__init__)  # type: ignore[method-assign]
Column.__init__ = public(Column.__init__)  # type: ignore[method-assign]


class Data:
    """Where the rows are, with what the table ``[data]`` of a plan says besides, such as ``separator`` or ``missing_values``."""

    @public
    def __init__(self, source: str | os.PathLike[str] | Rows, /, **keys: Any) -> None:
        own = {key: value for key, value in keys.items() if value is not None}
        checked(own, {}, "data.")
        self.rows: Held | None = None
        if isinstance(source, (str, os.PathLike)):
            self.keys = {"path": given.path(source, "data"), **own}
        else:
            self.rows = held(source)
            self.keys = {"path": MEMORY, "format": "memory", **own}

    def __repr__(self) -> str:
        return f"inbounds.Data({', '.join(f'{key}={value!r}' for key, value in self.keys.items())})"

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("what holds private rows cannot be pickled")


class Plan:
    """What to release, of which rows, under which protection.

    Parameters
    ----------
    data
        A path, rows in memory, a frame of Spark, the schema of rows that are elsewhere, or :class:`Data`.
    privacy
        A :class:`Privacy`, or a mapping with its keys.
    statistics
        Such as ``[inbounds.count(by="district")]``.
    columns
        What is known about columns: of each a :class:`Column`, or a mapping with its keys.
    per_unit
        The cells that all rows of a unit are made into, of each a mapping with its keys, such as
        ``{"stays": {"take": "rows"}}``.
    title
        For people.
    interval
        The probability with which intervals hold, such as ``"0.9"``, where a statistic says nothing else; 0.95 if left out.
    joint
        Whether the intervals of all numbers of a statistic hold at once, where a statistic says nothing else.
    unit_of_rows, period, source, contact
        What rows are, in the plural, when what is counted was so, where the rows come from, and whom to ask: for the page.
    language
        Of the methods on the page: ``"en"``, ``"de"`` or ``"fr"``.
    figures
        What each release makes of its numbers, as :class:`Figure`: see :attr:`Bundle.planned_figures`.
    quality, quality_of, suppress
        Classes of the numbers by their relative error, such as ``{"high": 0.1, "low": 0.3}``, of the ``"interval"`` or the
        ``"rmse"``, and the class from which on page and workbook show none.
    round
        Page and workbook show counts as multiples of this number, with totals that add up.
    folder
        Folder to which the paths of the plan are relative; the current one if left out.

    Raises
    ------
    PlanError
        With all mistakes, each with its place in the objects and its remedy. No row is read.

    Examples
    --------
    >>> import inbounds as ib
    >>> plan = ib.Plan(
    ...     data={"district": ["north", "south", "north"]},
    ...     privacy=ib.Privacy(unit="row", neighbours="add-remove", epsilon="1"),
    ...     columns={"district": ib.Column(type="text", values=["north", "south"])},
    ...     statistics=[ib.count(by="district")],
    ... )
    >>> plan.check().epsilon
    '1'
    """

    _plan: _inbounds.Plan
    # Of rows that are elsewhere: what their shares are asked, and who has them if it is Spark.
    _question: Question | None = None
    _spark: Spark | None = None
    # Of a plan of objects: which object a piece of its text comes from.
    _place_of: Callable[[tuple[int, int]], str] | None = None

    @public
    def __init__(
        self,
        *,
        data: str | os.PathLike[str] | Rows | Data,
        privacy: Privacy | Mapping[str, Any],
        statistics: Sequence[Statistic],
        columns: Mapping[str, Column | Mapping[str, Any]] | None = None,
        per_unit: Mapping[str, Mapping[str, Any]] | None = None,
        title: str | None = None,
        interval: Exact | None = None,
        joint: bool | None = None,
        unit_of_rows: str | None = None,
        period: str | None = None,
        source: str | None = None,
        contact: str | None = None,
        language: str | None = None,
        figures: Figure | Sequence[Figure] = (),
        quality: Mapping[str, Exact] | None = None,
        quality_of: str | None = None,
        suppress: str | None = None,
        round: int | None = None,
        folder: str | os.PathLike[str] | None = None,
    ) -> None:
        found = data if isinstance(data, Data) else Data(data)
        known, of_units = {} if columns is None else columns, {} if per_unit is None else per_unit
        own = {
            "title": title,
            "interval": interval,
            "joint": joint,
            "unit_of_rows": unit_of_rows,
            "period": period,
            "source": source,
            "contact": contact,
            "language": language,
            "quality": quality,
            "quality_of": quality_of,
            "suppress": suppress,
            "round": round,
        }
        writer = _written(found, privacy, statistics, known, of_units, own)
        write(figures, writer)
        self._place_of = writer.place_of
        with self._placed():
            draft = _inbounds.PlanDraft.parse(
                writer.text, "plan", "." if folder is None else given.path(folder, "folder")
            )
            self._plan = _finished(draft, found.rows)
        self._spark = _in_spark(found.rows)

    @classmethod
    @public
    def read(cls, path: str | os.PathLike[str], *, rows: Rows | None = None) -> Plan:
        """Reads a plan file. ``rows`` in memory take the place of those at its path."""
        found = _given(rows)
        return cls._of(_finished(_inbounds.PlanDraft.read(given.path(path, "path")), found), found)

    @classmethod
    @public
    def parse(cls, toml: str, *, folder: str | os.PathLike[str] = ".", rows: Rows | None = None) -> Plan:
        """Reads a plan from its text, with paths relative to ``folder``."""
        draft = _inbounds.PlanDraft.parse(given.text(toml, "toml"), "plan.toml", given.path(folder, "folder"))
        found = _given(rows)
        return cls._of(_finished(draft, found), found)

    @classmethod
    def _of(cls, native: _inbounds.Plan, rows: Held | None) -> Plan:
        plan = cls.__new__(cls)
        plan._plan = native
        plan._spark = _in_spark(rows)
        return plan

    def to_toml(self) -> str:
        """The plan as the file that the command reads."""
        return self._plan.text()

    @public
    def check(self, *, rows: int | None = None, group_sizes: Sequence[int] | None = None) -> Check:
        """What the plan costs and how accurate its numbers will be. Reads no row.

        ``rows`` in all, or in groups of ``group_sizes``, are supposed for it.
        """
        import json

        supposed = given.optional_index(rows, "rows", 0, MOST)
        sizes = None
        if group_sizes is not None:
            each = given.listed(group_sizes, "group_sizes")
            sizes = [given.index(size, f"group_sizes[{place}]", 0, MOST) for place, size in enumerate(each)]
        with self._placed():
            found, text = self._plan.check(supposed, sizes)
        return Check(json.loads(found), text)

    @public
    def explore(self) -> Exploration:
        """What the plan would publish at several epsilons, to move in a notebook: the page of ``inbounds explore``, without a
        server. Reads no row.
        """
        with self._placed():
            return Exploration(self._plan.explore())

    @public
    def for_approval(self, out: str | os.PathLike[str], *, epsilons: Sequence[Exact] = ()) -> str:
        """Writes the page on which a person approves the plan: what it publishes, what one person can lose, and the errors to
        expect at its own epsilon and at each of ``epsilons``. Returns the digest that is approved. Reads no row.
        """
        path = given.path(out, "out")
        each = [exact(epsilon, f"epsilons[{place}]") for place, epsilon in enumerate(given.listed(epsilons, "epsilons"))]
        with self._placed():
            digest, page = self._plan.approvable(each)
        try:
            with open(path, "x", encoding="utf-8") as file:
                file.write(page)
        except OSError as error:
            raise WriteError(f"cannot write `{path}`: {error.strerror or 'the system gave no reason'}") from None
        return str(digest)

    @public
    def question(self) -> Question:
        """What the plan asks of rows that are elsewhere, for its next release: see :class:`inbounds.Question`. Reads no row.

        It is the same until that release, and then another one: shares are of use to one release alone.
        """
        if self._question is None:
            with self._placed():
                self._question = Question(self._plan.question())
        return self._question

    @public
    def share(self, rows: Any, *, part: int | None = None) -> bytes:
        """What a part of the rows comes to, sealed: ``question().share(rows, part=part)``."""
        return self.question().share(rows, part=part)

    @calling
    def release(
        self,
        out: str | os.PathLike[str] | None = None,
        *,
        shares: Sequence[bytes] | None = None,
        seed: int | None = None,
        not_private: bool = False,
        unit_memory: int | None = None,
        spill: str | os.PathLike[str] | None = None,
        approved: str | None = None,
        approver: str | None = None,
        reason: str | None = None,
        progress: Progress = True,
    ) -> Bundle:
        """Releases the statistics into a new folder, or without one in memory. Each release spends its epsilon.

        Ctrl-C ends it: then nothing is published, and nothing is spent.

        Parameters
        ----------
        out
            Folder to create; must not exist.
        shares
            Of all parts of rows that are elsewhere, in any order: what :meth:`question` was answered. Each counts once.
        seed, not_private
            Noise from a seed protects nobody, so that both or none are given.
        unit_memory
            Most bytes that are held of units where a unit has several rows. Beyond them the release fails, or
        spill
            is the folder in which the rows of units then wait, encrypted; nothing of them is left there. Of rows in Spark both are of each
            executor.
        approved, approver, reason
            The digest that :meth:`for_approval` returned, who approved the plan, and why. Any other plan is refused; approver
            and reason stand in the manifest and in the ledger. All three or none are given.
        progress
            Whether a line in the notebook or on the terminal says what is going on; or a function that is called with the
            words instead.

        Raises
        ------
        PlanError, DataError, WriteError, EntropyError, LedgerError
            Nothing was published then.
        """
        seed = given.seed(seed, not_private)
        if spill is not None and unit_memory is None:
            raise ParameterError("spill=... is for what does not fit into unit_memory=...: give both")
        most = given.optional_index(unit_memory, "unit_memory", 1, MOST)
        memory = (most, None if spill is None else given.path(spill, "spill"))
        counted = None if shares is None else _shares(shares)
        approval = _approval(approved, approver, reason)
        if out is not None:
            return Bundle(self._released(given.path(out, "out"), seed, memory, counted, approval, progress))
        room = Room()
        folder = os.fspath(room.path / "bundle")
        return Bundle(self._released(folder, seed, memory, counted, approval, progress), _kept=room)

    def _released(
        self,
        out: str,
        seed: int | None,
        memory: tuple[int | None, str | None],
        shares: list[bytes] | None,
        approval: tuple[str, str, str] | None,
        progress: Progress,
    ) -> str:
        told, end = shown(progress)
        try:
            with self._placed():
                if self._spark is not None and shares is None:
                    shares = self._spark.shares(self.question(), memory, told)
                counted = None if shares is None else (self.question()._native, shares)
                of_ledger = self._plan.release(out, seed, memory, told, counted, approval)
        finally:
            end()
        # Its shares are spent.
        self._question = None
        if of_ledger is not None:
            warnings.warn(of_ledger, stacklevel=4)
        return out

    @contextlib.contextmanager
    def _placed(self) -> Iterator[None]:
        """Mistakes have the places of objects, if the plan is of such."""
        try:
            yield
        except PlanError as error:
            raise (error if self._place_of is None else error.moved(self._place_of)) from None

    def __repr__(self) -> str:
        return "<inbounds.Plan>"

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a plan may hold private rows and cannot be pickled: pickle plan.to_toml()")


def _in_spark(rows: Held | None) -> Spark | None:
    return rows if isinstance(rows, Spark) else None


def _approval(approved: object, approver: object, reason: object) -> tuple[str, str, str] | None:
    named = {"approved": approved, "approver": approver, "reason": reason}
    missing = [name for name, value in named.items() if value is None]
    if len(missing) == len(named):
        return None
    if missing:
        raise ParameterError(f"an approval has a digest, an approver and a reason: give {missing[0]}=... too")
    return (given.text(approved, "approved"), given.text(approver, "approver"), given.text(reason, "reason"))


def _shares(shares: object) -> list[bytes]:
    for place, share in enumerate(given.listed(shares, "shares")):
        if not isinstance(share, (bytes, bytearray)):
            raise given.refused(f"shares[{place}]", "what share() returned", share)
    return [bytes(share) for share in shares]  # type: ignore[attr-defined]


def _given(rows: Rows | Data | None) -> Held | None:
    if isinstance(rows, (str, os.PathLike)):
        raise given.refused("rows", "rows in memory", rows, "write the path into the plan")
    return None if rows is None else rows.rows if isinstance(rows, Data) else Data(rows).rows


def _finished(draft: _inbounds.PlanDraft, rows: Held | None) -> _inbounds.Plan:
    """The plan of a draft, with those columns of rows in memory that it reads."""
    return draft.finish(None if rows is None else rows.read(draft.columns_read()))


def _written(
    data: Data,
    privacy: Privacy | Mapping[str, Any],
    statistics: Sequence[Statistic],
    columns: Mapping[str, Column | Mapping[str, Any]],
    per_unit: Mapping[str, Mapping[str, Any]],
    own: Mapping[str, Any],
) -> Writer:
    writer = Writer()
    said = {key: value for key, value in own.items() if value is not None}
    checked(said, PLAN, "")
    for key, value in said.items():
        writer.entry(key, value, key)
    tables: list[tuple[str, str, Mapping[str, Any]]] = [
        ("[data]", "data", data.keys),
        ("[privacy]", "privacy", _keys(privacy, "privacy", Privacy, PRIVACY)),
    ]
    for name, column in given.table(columns, "columns").items():
        header, place = f"[columns.{quoted_key(name)}]", f"columns[{name!r}]"
        tables.append((header, place, _keys(column, place, Column, COLUMN)))
    for name, cell in given.table(per_unit, "per_unit").items():
        place = f"per_unit[{name!r}]"
        tables.append((f"[per_unit.{quoted_key(name)}]", place, _keys(cell, place, None, {})))
    for index, (statistic, name) in enumerate(zip(statistics, _names(statistics))):
        own = {"name": name, "kind": statistic.kind, **statistic.keys}
        tables.append(("[[statistic]]", f"statistics[{index}]", own))
    for header, place, keys in tables:
        writer.header(header, place)
        for key, value in keys.items():
            writer.entry(key, os.fspath(value) if isinstance(value, os.PathLike) else value, f"{place}.{key}")
    return writer


def _keys(table: object, place: str, of_kind: type | None, known: Mapping[str, Any]) -> Mapping[str, Any]:
    """The keys that are given of a table."""
    if isinstance(table, (Privacy, Column)) and type(table) is of_kind:
        return _fields(table)
    keys = given.table(table, place)
    if of_kind is not None:
        keys_of(keys, [field.name.rstrip("_") for field in fields(of_kind)], place)
    checked(keys, known, f"{place}.")
    return keys


def _fields(table: Privacy | Column) -> dict[str, Any]:
    named = {field.name.rstrip("_"): getattr(table, field.name) for field in fields(table)}
    return {key: value for key, value in named.items() if value is not None}


def _names(statistics: Sequence[Statistic]) -> list[str]:
    """A name for each statistic; those that are made are numbered where they would be equal."""
    for index, statistic in enumerate(given.listed(statistics, "statistics")):
        if not isinstance(statistic, Statistic):
            raise given.refused(f"statistics[{index}]", "a statistic, such as inbounds.count(),", statistic)
    names: list[str] = []
    chosen = {str(statistic.keys["name"]) for statistic in statistics if "name" in statistic.keys}
    for statistic in statistics:
        name = made = statistic.called()
        number = 2
        while "name" not in statistic.keys and (name in chosen or name in names):
            name, number = f"{made}-{number}", number + 1
        names.append(name)
    return names

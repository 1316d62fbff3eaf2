"""Ledgers: the privacy budget of a data set over all that is released of it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from . import _given as given
from . import _inbounds
from ._errors import ParameterError
from ._exact import Exact, exact
from ._guard import public
from ._html import table

if TYPE_CHECKING:
    from ._plan import Plan


class Ledger:
    """The ledger at a path. Plans name it as ``privacy.ledger``; numbers without a plan are paid with :meth:`spend`.

    Every method reads the file anew, so that it says what stands there now, whoever wrote it.

    Raises
    ------
    LedgerError
        There is no ledger, or its history was changed.

    Examples
    --------
    >>> import tempfile
    >>> import inbounds as ib
    >>> room = tempfile.TemporaryDirectory()
    >>> terms = dict(data="stays", unit={"column": "patient"}, neighbours="add-remove")
    >>> ledger = ib.Ledger.create(room.name + "/stays.ledger", **terms, epsilon=2)
    >>> with ledger.spend(epsilon="0.5", what="stays of 2024, for the press"):
    ...     published = ib.count(3212, epsilon="0.5", neighbours="add-remove", max_rows=1)
    >>> ledger.left
    {'epsilon': '1.5'}
    """

    @public
    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._native = _inbounds.Ledger.open(given.path(path, "path"))

    @classmethod
    @public
    def create(
        cls,
        path: str | os.PathLike[str],
        *,
        data: str | os.PathLike[str],
        unit: str | Mapping[str, str | int],
        neighbours: str,
        epsilon: Exact | None = None,
        delta: Exact | None = None,
        rho: Exact | None = None,
        fixed_rows: bool = False,
        by: str | None = None,
    ) -> Ledger:
        """Makes the ledger of a data set; do this once.

        Parameters
        ----------
        data
            The rows: a file, folder or glob, or a name, which plans then state as ``name`` in their data.
        unit
            ``"row"``, ``{"column": "patient"}`` for all rows with one value of a column, or ``{"max_rows": 3}`` for any 3 rows,
            where no column says whose they are.
        neighbours
            ``"add-remove"`` or ``"substitute"``.
        epsilon, delta, rho
            The whole budget: ``epsilon``, ``epsilon`` and ``delta``, or ``rho``.
        fixed_rows
            A promise that the rows never change.
        by
            Who says so, if not the user that is logged in.
        """
        column, rows = None, None
        if not (isinstance(unit, str) and unit == "row"):
            if isinstance(unit, Mapping) and list(unit) == ["column"]:
                column = given.text(unit["column"], "unit['column']")
            elif isinstance(unit, Mapping) and list(unit) == ["max_rows"]:
                rows = given.index(unit["max_rows"], "unit['max_rows']", least=1)
            else:
                raise ParameterError('a unit is "row", {"column": NAME} with the column that names it, or {"max_rows": ROWS}')
        subject = {
            "data": given.path(data, "data"),
            "unit": column,
            "unit_rows": rows,
            "neighbours": given.text(neighbours, "neighbours"),
            "fixed_rows": given.flag(fixed_rows, "fixed_rows"),
        }
        made = cls.__new__(cls)
        made._native = _inbounds.Ledger.create(given.path(path, "path"), subject, _amount(epsilon, delta, rho), _by(by))
        return made

    @property
    def path(self) -> Path:
        """Its file."""
        return Path(self._native.path)

    @property
    def granted(self) -> dict[str, str]:
        """The whole budget, exact: ``epsilon``, ``epsilon`` and ``delta``, or ``rho``."""
        return self.to_dict()["granted"]

    @property
    def spent(self) -> dict[str, str]:
        """What counts as spent, exact."""
        return self.to_dict()["spent"]

    @property
    def left(self) -> dict[str, str]:
        """What is left, exact."""
        return self.to_dict()["left"]

    @property
    def entries(self) -> list[dict[str, Any]]:
        """All entries, oldest first: what was done, when and by whom, its price, and what was left."""
        return self.to_dict()["entries"]

    def to_dict(self) -> dict[str, Any]:
        """All of it, as ``inbounds ledger show --json`` prints it."""
        import json

        return json.loads(self._native.account(100)[0])

    @public
    def spend(
        self,
        *,
        what: str,
        epsilon: Exact | None = None,
        delta: Exact | None = None,
        rho: Exact | None = None,
        by: str | None = None,
    ) -> Reservation:
        """Reserves an amount for the block of a ``with`` statement, and enters at its end that the work is done.

        The amount counts as spent **from the beginning of the block**, also if an exception leaves it, or the process dies: noisy
        numbers may have been seen. Only :meth:`void` gives it back. What the block publishes has to cost no more, and be of the
        data set and the unit of the ledger; the ledger cannot know that.

        Parameters
        ----------
        what
            What is released, for those who read the history.
        epsilon, delta, rho
            The amount.
        by
            Who says so, if not the user that is logged in.

        Raises
        ------
        LedgerError
            At the beginning of the block, if the ledger cannot pay. Nothing was spent.
        """
        if not given.text(what, "what").strip():
            raise ParameterError("`what` must say something: others will rely on it")
        return Reservation(self, what.strip(), _amount(epsilon, delta, rho), _by(by))

    @public
    def check(self, *bundles: str | os.PathLike[str], by: str | None = None) -> dict[str, Any]:
        """Verifies the whole history, also against bundles; enters bundles that stand, and removes what dead runs left.

        Returns
        -------
        dict
            The bundles that were looked at (``bundles``), by whether they are ``paid``, ``changed``, ``not_charged``, or
            ``seeded``; entries whose work runs (``running``), whose bundle was found and entered (``settled``), and whose run died
            (``dead``), which count as spent; files that were removed; and the account.
        """
        import json

        paths = [given.path(bundle, f"bundles[{place}]") for place, bundle in enumerate(bundles)]
        return json.loads(self._native.check(paths, 100, _by(by))[0])

    @public
    def void(self, entry: int, *, reason: str, by: str | None = None) -> int:
        """Takes back the price of a reservation of which nobody saw a number, and returns the number of the new entry.

        ``reason`` says how you know. It stays in the history.
        """
        return self._native.void(given.index(entry, "entry", 0, 2**63 - 1), _reason(reason), _by(by))

    @public
    def record(
        self,
        *,
        reason: str,
        epsilon: Exact | None = None,
        delta: Exact | None = None,
        rho: Exact | None = None,
        by: str | None = None,
    ) -> int:
        """Enters what was spent elsewhere, also if it exceeds what is left, and returns the number of the entry."""
        return self._native.record(_amount(epsilon, delta, rho), _reason(reason), _by(by))

    @public
    def name(self, name: str, *, reason: str, by: str | None = None) -> int:
        """Gives the data set a name, and returns the number of the entry. Plans over other files with rows of the same people then
        state it as ``name`` in their data, and are paid from this ledger.

        ``reason`` says why these are the same people. It stays in the history.
        """
        stated = given.text(name, "name").strip()
        if not stated:
            raise ParameterError("`name` must say something: plans state it")
        return self._native.name(stated, _reason(reason), _by(by))

    @public
    def same_unit(self, plan: Plan, *, reason: str, by: str | None = None) -> int:
        """Enters that a plan, which makes or reads the unit in another way than those before, names the same units, and returns the
        number of the entry. If that is false, what the ledger says is spent is false too.

        Parameters
        ----------
        plan
            The plan.
        reason
            How you know. It stays in the history.
        by
            Who says so, if not the user that is logged in.

        Raises
        ------
        LedgerError
            The plan is about other rows, a unit of another name, or another relation.
        """
        from ._plan import Plan

        if not isinstance(plan, Plan):
            raise given.refused("plan", "a plan", plan, "Plan.read reads that of a file")
        return self._native.same_unit(plan._plan, _reason(reason), _by(by))

    def __str__(self) -> str:
        return self._native.account(100)[1]

    def __repr__(self) -> str:
        return f"inbounds.Ledger({self._native.path!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._native.path,)

    def _repr_html_(self) -> str:
        account = self.to_dict()
        rows = [
            {
                "entry": entry["entry"],
                "what was done": entry["what"],
                "when": entry["at"],
                "by": entry["by"],
                "price": _words(entry["price"]),
                "left": _words(entry["left"]),
            }
            for entry in account["entries"]
        ]
        title = f"Ledger of {account['data']}: {_words(account['left'])} left of {_words(account['granted'])}"
        return table(title, rows, [account["composition"]])


class Reservation:
    """An amount of a ledger, for the block of a ``with`` statement: made by :meth:`Ledger.spend`.

    Attributes
    ----------
    entry : int or None
        Its number in the ledger, from the beginning of the block.
    left : str or None
        What the ledger has left with it spent.
    """

    @public
    def __init__(self, ledger: Ledger, what: str, amount: dict[str, str | None], by: str | None) -> None:
        if not isinstance(ledger, Ledger):
            raise given.refused("ledger", "a Ledger, whose spend() makes reservations,", ledger)
        self._ledger = ledger
        self._asked = (what, amount, by)
        self._native: _inbounds.Reservation | None = None
        self.entry: int | None = None
        self.left: str | None = None

    @public
    def __enter__(self) -> Reservation:
        if self.entry is not None:
            raise ParameterError("a reservation is for one block: call spend() again for another")
        self._native = self._ledger._native.reserve(*self._asked)
        self._process = os.getpid()
        self.entry, self.left = self._native.entry, self._native.left
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, traceback: TracebackType | None
    ) -> None:
        native, self._native = self._native, None
        assert native is not None
        if raised is not None and os.getpid() != self._process:
            # A fork that ends inside the block ends on its own: the reservation is that of its parent.
            return
        native.end(kind is None)
        if raised is not None:
            raised.add_note(
                f"Entry {self.entry} of {self._ledger.path} counts as spent. If nobody saw a number of it,"
                f" Ledger.void({self.entry}, reason=...) takes it back."
            )

    def __repr__(self) -> str:
        what, amount, _ = self._asked
        state = "not begun" if self.entry is None else f"entry {self.entry}"
        return f"<inbounds.Reservation of {_words(amount)} for {what!r}, {state}>"

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a reservation belongs to its process and cannot be pickled")


def _amount(epsilon: Exact | None, delta: Exact | None, rho: Exact | None) -> dict[str, str | None]:
    named = {"epsilon": epsilon, "delta": delta, "rho": rho}
    return {name: None if value is None else exact(value, name) for name, value in named.items()}


def _reason(reason: str) -> str:
    if not given.text(reason, "reason").strip():
        raise ParameterError("a reason must say something: others will rely on it")
    return reason.strip()


def _by(by: str | None) -> str | None:
    return None if by is None else given.text(by, "by")


def _words(amount: Mapping[str, str | None] | None) -> str:
    return ", ".join(f"{name} = {value}" for name, value in (amount or {}).items() if value is not None)

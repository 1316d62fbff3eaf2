"""A released naive Bayes model, for numbers in memory."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable
from typing import Any

from . import _given as given
from . import _inbounds
from ._cells import doubles
from ._errors import ParameterError
from ._guard import public
from ._many import is_array, unmasked


class Classifier:
    """A Gaussian naive Bayes model from a bundle: public numbers only. :meth:`Bundle.classifier` makes it.

    Rows are a two-dimensional array of NumPy, anything that becomes one, or a list of lists; the results have the same form.

    Attributes
    ----------
    classes_ : list of str
        Names of the classes.
    features : list of str
        Names of the features, in the order of the columns of a row.
    class_prior_, theta_, var_ : list
        The part of each class, and the means and variances of its features.

    Examples
    --------
    >>> import inbounds as ib
    >>> rows = {"sex": ["f", "m"] * 500, "height": [165.0 + n % 7 + 14 * (n % 2) for n in range(1000)]}
    >>> plan = ib.Plan(
    ...     data=rows,
    ...     privacy=ib.Privacy(unit="row", neighbours="add-remove", epsilon=20),
    ...     columns={
    ...         "sex": {"type": "text", "values": ["f", "m"]},
    ...         "height": {"type": "number", "lower": 140, "upper": 210, "missing": "drop"},
    ...     },
    ...     statistics=[ib.naive_bayes(["height"], by="sex")],
    ... )
    >>> model = plan.release(seed=1, not_private=True).classifier()
    >>> model.predict([[150.0], [190.0]])
    ['f', 'm']
    """

    @public
    def __init__(self, native: _inbounds.Classifier) -> None:
        if not isinstance(native, _inbounds.Classifier):
            raise given.refused("native", "the model of a bundle: Bundle.classifier() makes a Classifier,", native)
        self._native = native
        self.features: list[str] = native.features
        found = native.classes
        self.classes_: list[str] = [name for name, _, _, _ in found]
        self.class_prior_: list[float] = [math.exp(prior) for _, prior, _, _ in found]
        self.theta_: list[list[float]] = [means for _, _, means, _ in found]
        self.var_: list[list[float]] = [variances for _, _, _, variances in found]

    @public
    def predict(self, rows: Any) -> Any:
        """The most probable class of each row; of equals the first."""
        return self._of_rows(rows, self._chosen, self.classes_)

    @public
    def predict_proba(self, rows: Any) -> Any:
        """The probability of each class, row by row, in the order of ``classes_``."""
        return self._of_rows(rows, lambda logs: [math.exp(one) for one in logs], None)

    @public
    def predict_log_proba(self, rows: Any) -> Any:
        """The logarithms of :meth:`predict_proba`."""
        return self._of_rows(rows, list, None)

    def _chosen(self, logs: list[float]) -> int:
        return max(range(len(logs)), key=logs.__getitem__)

    def _of_rows(self, rows: Any, of_row: Callable[[list[float]], Any], names: list[str] | None) -> Any:
        if hasattr(rows, "__array__") and not is_array(rows):
            rows = rows.__array__()
        width = len(self.features)
        shape = f"rows must have {width} columns: {', '.join(self.features)}"
        if is_array(rows):
            import numpy

            if rows.ndim != 2 or rows.shape[1] != width:
                raise ParameterError(shape)
            unmasked(rows, "rows")
            if rows.dtype.kind not in "iufb":
                rows = numpy.array(doubles(rows.ravel(), "rows")).reshape(rows.shape)
            cells = numpy.ascontiguousarray(rows, dtype="float64").ravel()
            logs = numpy.frombuffer(self._native.log_posteriors(cells), dtype="float64").reshape(-1, len(self.classes_))
            if names is not None:
                return numpy.asarray(names)[logs.argmax(axis=1)]
            return logs.copy() if of_row is list else numpy.exp(logs)
        if any(len(given.listed(row, "each row")) != width for row in given.listed(rows, "rows")):
            raise ParameterError(shape)
        numbers = array("d", doubles([cell for row in rows for cell in row], "rows"))
        found = memoryview(self._native.log_posteriors(numbers)).cast("d")
        size = len(self.classes_)
        of_rows = [of_row(found[at : at + size].tolist()) for at in range(0, len(found), size)]
        return of_rows if names is None else [names[chosen] for chosen in of_rows]

    def __repr__(self) -> str:
        return f"<inbounds.Classifier of {', '.join(self.classes_)} by {', '.join(self.features)}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _of_numbers, (self.features, self._native.classes)


def _of_numbers(features: list[str], classes: list[Any]) -> Classifier:
    return Classifier(_inbounds.Classifier.of_numbers(features, classes))

"""A naive Bayes model with the habits of scikit-learn. Needs scikit-learn 1.6 or later, which the package does not install."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Union

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from ._bundle import Bundle
from ._errors import ParameterError
from ._exact import Exact
from ._guard import calling
from ._plan import Column, Plan, Privacy
from ._statistics import naive_bayes

Bound = Union[Exact, Sequence[Exact]]
"""A number for all features, or one a feature."""


class NaiveBayes(ClassifierMixin, BaseEstimator):
    """Gaussian naive Bayes under differential privacy. Each ``fit`` spends its epsilon and protects each row.

    Nothing is learned from the rows but by noisy numbers, so the bounds of features and the classes are parameters. Values beyond
    the bounds are clipped to them, values that are NaN are dropped, and rows of other classes do not count. Whether a fit
    succeeds depends on no value.

    Parameters
    ----------
    epsilon
        Of one fit.
    lower, upper
        Bounds of all features, or of each.
    classes
        All possible classes; or ``"present"``, which says that it is public which classes occur in ``y``.
    neighbours
        ``"add-remove"``.
    seed, not_private
        Noise from a seed protects nobody, so that both or none are given.

    Attributes
    ----------
    classes_ : array
        The classes.
    class_prior_, theta_, var_ : array
        The part of each class, and the means and variances of its features.
    bundle_ : Bundle
        The release, with the errors of these numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from inbounds.sklearn import NaiveBayes
    >>> random = np.random.default_rng(1)
    >>> y = random.integers(0, 2, 2000)
    >>> X = random.normal(size=(2000, 2)) + 3 * y[:, None]
    >>> model = NaiveBayes(epsilon=2, lower=-5, upper=8, classes=[0, 1]).fit(X, y)
    >>> bool(model.score(X, y) > 0.9)
    True
    """

    def __init__(
        self,
        *,
        epsilon: Exact = 1,
        lower: Bound | None = None,
        upper: Bound | None = None,
        classes: Sequence[Any] | str | None = None,
        neighbours: str = "add-remove",
        seed: int | None = None,
        not_private: bool = False,
    ) -> None:
        self.epsilon = epsilon
        self.lower = lower
        self.upper = upper
        self.classes = classes
        self.neighbours = neighbours
        self.seed = seed
        self.not_private = not_private

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.non_deterministic = self.seed is None
        return tags

    @calling
    def fit(self, X: Any, y: Any) -> NaiveBayes:
        """Releases the model of the rows ``X`` with the classes ``y``."""
        X, y = validate_data(self, _numbers(X), y, dtype="float64", ensure_all_finite=False, ensure_min_samples=0)
        self.classes_ = self._classes(y)
        names = [str(name) for name in getattr(self, "feature_names_in_", [f"x{j}" for j in range(X.shape[1])])]
        target = "y"
        while target in names:
            target += "_"
        ends = zip(names, self._bounds("lower", X.shape[1]), self._bounds("upper", X.shape[1]))
        columns = {name: Column(type="number", lower=lower, upper=upper, missing="drop") for name, lower, upper in ends}
        columns[target] = Column(type="integer", values=list(range(len(self.classes_))))
        # A class that is not listed is no value of the column, and its rows do not count.
        place = {value: at for at, value in enumerate(self.classes_.tolist())}
        known = np.fromiter((place.get(value, -1) for value in y.tolist()), dtype="int64", count=len(y))
        plan = Plan(
            data={**{name: X[:, j] for j, name in enumerate(names)}, target: known},
            privacy=Privacy(unit="row", neighbours=self.neighbours, epsilon=self.epsilon),
            columns=columns,
            statistics=[naive_bayes(names, by=target)],
        )
        self.bundle_: Bundle = plan.release(seed=self.seed, not_private=self.not_private)
        self._model = self.bundle_.classifier()
        self.class_prior_ = np.array(self._model.class_prior_)
        self.theta_, self.var_ = np.array(self._model.theta_), np.array(self._model.var_)
        return self

    @calling
    def predict(self, X: Any) -> Any:
        """The most probable class of each row."""
        chosen = self.predict_log_proba(X).argmax(axis=1)
        return self.classes_[chosen]

    @calling
    def predict_proba(self, X: Any) -> Any:
        """The probability of each class, row by row, in the order of ``classes_``."""
        return np.exp(self.predict_log_proba(X))

    @calling
    def predict_log_proba(self, X: Any) -> Any:
        """The logarithms of :meth:`predict_proba`."""
        check_is_fitted(self)
        return self._model.predict_log_proba(validate_data(self, _numbers(X), dtype="float64", reset=False))

    def _classes(self, y: Any) -> Any:
        if isinstance(self.classes, str) and self.classes == "present":
            check_classification_targets(y)
            return self._several(np.unique(y), "y")
        if self.classes is None or isinstance(self.classes, str):
            raise ValueError('classes must list all possible classes, or be "present" if it is public which of them occur')
        return self._several(np.asarray(list(self.classes)), "classes")

    def _several(self, found: Any, where: str) -> Any:
        if len(found) < 2:
            raise ValueError(f"a classifier needs at least two classes, and {where} has {len(found)} class")
        return found

    def _bounds(self, which: str, features: int) -> list[Exact]:
        given = getattr(self, which)
        if given is None:
            raise ValueError(f"{which} must bound the features; it is public, and never learned from the rows")
        found = [given] * features if isinstance(given, str) or np.ndim(given) == 0 else list(given)
        if len(found) != features:
            raise ValueError(f"{which} has {len(found)} numbers for {features} features")
        return found


def _numbers(X: Any) -> Any:
    """The same rows, if they are numbers in two dimensions: what scikit-learn says of others quotes cells."""
    if issparse(X):
        return X
    failed = False
    try:
        cells = np.asarray(X)
        if cells.dtype.kind not in "iufbc":
            cells.astype("float64")
    except Exception:
        failed = True
    if failed:
        raise ParameterError(
            "an argument must be a number, or a string that is a number, in every cell of X, and there is another one"
        )
    if cells.ndim != 2:
        raise ParameterError(
            f"X must have two dimensions, and has {cells.ndim}. Reshape your data either using array.reshape(-1, 1)"
            " if your data has a single feature or array.reshape(1, -1) if it contains a single sample."
        )
    return X

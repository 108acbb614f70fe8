"""A scikit-learn transformer that encodes tables of mixed columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from lapoleaf._documentation import DocumentedMixin
from lapoleaf._encoding.extras import imported
from lapoleaf._encoding.frames import library_of, read_frame
from lapoleaf._encoding.guessing import KINDS
from lapoleaf._encoding.learning import TEXT_ENCODERS, learn_column
from lapoleaf._encoding.table_plan import TablePlan, refuse_nothing_left
from lapoleaf._messages import shown
from lapoleaf._progress import Progress
from lapoleaf._typing import AnyArray, FloatArray


class TableEncoder(DocumentedMixin, TransformerMixin, BaseEstimator):
    """Encode a table of mixed columns as numbers.

    The kind of a column is guessed from its type, its values and its name:

    - *numbers*, also as strings, and durations: standardised; holes are filled with the median,
      and marked in a column of their own if at least 5 % of the rows have one.
    - *booleans* and *categories*: one column a value, a further one for holes if there are some. A
      category that was not there at the fit becomes zeros.
    - *dates and times*, also as strings, whose format is found: how late, and where in the year,
      the week and the day, as far as that varies.
    - *strings* of many different values: character n-grams, tf-idf and a truncated SVD.
    - *texts*: vectors of unit length, so that Euclidean distances order texts as the cosine does.
    - Constant columns and ids are left out. An id is all different, and its name ends with "id" or
      the like or it counts up. Decimal numbers are no ids.

    The encoded columns of a date, a category, a string or a text have a total variance of 1, like a
    number.

    Parameters
    ----------
    kinds : mapping of str to str, default=None
        Kinds of columns for which the guess is wrong: "number", "boolean", "category", "date",
        "string", "text" or "ignore", by their names.
    text_encoder : {"auto", "wordllama", "tfidf"} or callable, default="auto"
        Encoder of texts. "wordllama": the mean of the static word vectors in that package, without
        downloads. "tfidf": character n-grams, as for strings. "auto": the first if it is installed,
        else the second. A callable takes a list of strings and returns an array with a row for
        each; it is not saved in files and must be passed to ``load``.
    verbose : int, default=0
        1 or more shows progress.

    Attributes
    ----------
    plan_ : TablePlan
        The fitted encoding; ``plan_.columns`` has one plan per column.
    n_features_in_ : int
        Number of columns at the fit.
    feature_names_in_ : ndarray of str
        Names of the columns, if all of them are strings.

    Examples
    --------
    >>> import pandas as pd
    >>> from lapoleaf import TableEncoder
    >>> frame = pd.DataFrame({
    ...     "id": ["a1", "b7", "c3", "d9"],
    ...     "size": [1.5, 2.5, None, 3.5],
    ...     "colour": ["red", "blue", "red", "red"],
    ...     "sold": [True, False, False, True],
    ... })
    >>> encoder = TableEncoder().fit(frame)
    >>> print(encoder.summary())
    id      0 holes  left out: an id, different in every row
    size     1 hole  number, holes filled with 2.5
    colour  0 holes  category of 2 values
    sold    0 holes  boolean
    >>> encoder.transform(frame).round(2)
    array([[-1.22,  0.  ,  1.63,  1.  ],
           [ 0.  ,  1.63,  0.  , -1.  ],
           [ 0.  ,  0.  ,  1.63, -1.  ],
           [ 1.22,  0.  ,  1.63,  1.  ]])
    """

    plan_: TablePlan

    def __init__(
        self,
        *,
        kinds: Mapping[str, str] | None = None,
        text_encoder: str | Callable[[list[str]], Any] = "auto",
        verbose: int = 0,
    ) -> None:
        self.kinds = kinds
        self.text_encoder = text_encoder
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> Self:
        """Determine the kinds of the columns, and fit their encodings.

        Parameters
        ----------
        X : frame of pandas or polars, or array-like of shape (n_rows, n_columns)
            The table.
        y : ignored
            Not used, present for API consistency by convention.

        Returns
        -------
        self : TableEncoder
            The fitted encoder.
        """
        self._fit(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> FloatArray:
        """Fit to a table and return its numbers.

        Parameters
        ----------
        X : frame of pandas or polars, or array-like of shape (n_rows, n_columns)
            The table.
        y : ignored
            Not used, present for API consistency by convention.

        Returns
        -------
        ndarray of float64 of shape (n_rows, n_features)
            The numbers.
        """
        frame = self._fit(X)
        return self.plan_.encode(frame, self.verbose)

    def transform(self, X: Any) -> FloatArray:
        """Return the numbers of a table with the columns of the fit.

        Parameters
        ----------
        X : frame of pandas or polars, or array-like of shape (n_rows, n_columns)
            The table.

        Returns
        -------
        ndarray of float64 of shape (n_rows, n_features)
            The numbers.
        """
        check_is_fitted(self)
        frame = _checked_frame(X)
        validate_data(self, frame, reset=False, skip_check_array=True)
        return self.plan_.encode(frame, self.verbose)

    def get_feature_names_out(self, input_features: Any = None) -> AnyArray:
        """Return the names of the columns of the result.

        Parameters
        ----------
        input_features : array-like of str, default=None
            Ignored, but checked to be the names of the fit.

        Returns
        -------
        ndarray of str objects
            The names.
        """
        check_is_fitted(self)
        known = vars(self).get("feature_names_in_")
        if input_features is not None and known is not None and list(input_features) != list(known):
            raise ValueError("input_features is not equal to feature_names_in_")
        return np.asarray(self.plan_.feature_names, dtype=object)

    def summary(self) -> str:
        """Return one line per column: its name, number of missing values, kind and encoding.

        Returns
        -------
        str
            The lines.
        """
        check_is_fitted(self)
        return self.plan_.summary()

    def __sklearn_is_fitted__(self) -> bool:
        return "plan_" in vars(self)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    def _fit(self, X: Any) -> Any:
        """Fit to a table, and return it as a pandas frame."""
        frame = _checked_frame(X)
        twin = type(self)(**self.get_params(deep=False))
        validate_data(twin, frame, reset=True, skip_check_array=True)
        plan = self._learnt(frame)
        refuse_nothing_left(plan, len(frame))
        self.__dict__.pop("feature_names_in_", None)
        described = ("n_features_in_", "feature_names_in_")
        learnt = {name: vars(twin)[name] for name in described if name in vars(twin)}
        self.__dict__.update({**learnt, "plan_": plan})
        return frame

    def _learnt(self, frame: Any) -> TablePlan:
        kinds = self._checked_kinds(frame)
        if not callable(self.text_encoder) and self.text_encoder not in TEXT_ENCODERS:
            raise ValueError(
                f"text_encoder must be one of {shown(TEXT_ENCODERS)} or a callable, but it is "
                f"{shown(self.text_encoder)}."
            )
        progress = Progress("Columns read", frame.shape[1], self.verbose)
        plans = []
        for place, name in enumerate(frame.columns):
            column = frame.iloc[:, place]
            plans.append(learn_column(column, str(name), kinds.get(name), self.text_encoder))
            progress.advance()
        return TablePlan(tuple(plans))

    def _checked_kinds(self, frame: Any) -> dict[Any, str]:
        if self.kinds is None:
            return {}
        if not isinstance(self.kinds, Mapping):
            raise TypeError(f"kinds must be a mapping of columns, but it is {shown(self.kinds)}.")
        for name, kind in self.kinds.items():
            if name not in frame.columns:
                raise ValueError(f"kinds names the column {shown(name)}, which X does not have.")
            if not isinstance(kind, str) or kind not in KINDS:
                raise ValueError(
                    f"kinds[{shown(name)}] must be one of {shown(KINDS)}, but it is {shown(kind)}."
                )
        return dict(self.kinds)


def _checked_frame(X: Any) -> Any:
    """Return a table as a pandas frame with at least one row and one column."""
    imported("pandas")
    if library_of(X) is None and type(X).__name__ != "LazyFrame":
        X = check_array(
            X,
            dtype=None if hasattr(X, "dtype") else object,
            ensure_all_finite=False,
            input_name="X",
        )
    frame = read_frame(X)
    if not len(frame):
        raise ValueError(
            f"Found array with 0 sample(s) (shape={frame.shape}) while a minimum of 1 is required."
        )
    if not frame.shape[1]:
        raise ValueError(
            f"Found array with 0 feature(s) (shape={frame.shape}) while a minimum of 1 is required."
        )
    names = list(frame.columns)
    for place, name in enumerate(names):
        if name in names[:place]:
            raise ValueError(f"X has two columns {shown(name)}: rename one of them.")
    return frame

"""Base class of estimators: rows are checked once, and attributes are assigned as the last step."""

from __future__ import annotations

import functools
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import validate_data

from lapoleaf._callbacks import CallbacksMixin
from lapoleaf._documentation import DocumentedMixin
from lapoleaf._encoding import TableEncoder, library_of, needs_encoding, read_frame
from lapoleaf._messages import shown
from lapoleaf._parallel import check_n_jobs
from lapoleaf._points.checks import refuse_non_finite
from lapoleaf._points.metrics import allows_nan
from lapoleaf._points.tables import refuse_no_numbers
from lapoleaf._typing import FloatArray, Metric
from lapoleaf.estimators.cells import Cells
from lapoleaf.estimators.rows import TreeSettings
from lapoleaf.estimators.scaling import Scaling
from lapoleaf.estimators.scaling_choice import check_scaling, scaling_to_fit
from lapoleaf.estimators.state import Given


@functools.cache
def _parameter_names(estimator: Any) -> tuple[str, ...]:
    return tuple(estimator._get_param_names())


class ScaledRows(NamedTuple):
    """Rows with scaled columns, and the attributes that describe the columns."""

    rows: Any
    columns: dict[str, Any]


class RowsEstimator(DocumentedMixin, CallbacksMixin, BaseEstimator):
    """An estimator of rows under a metric."""

    bandwidth: float | None
    metric: Metric
    metric_params: dict[str, Any] | None
    build: str
    n_jobs: int | None
    verbose: int
    # How frames are encoded, for estimators with this parameter.
    encoder: Any = None
    encoder_: TableEncoder | None
    # How columns are scaled, for estimators with this parameter.
    scaling: Any = None
    scaling_: Scaling | None

    def __dir__(self) -> list[str]:
        """Return the names of all attributes, without computing any."""
        names = list(object.__dir__(self))
        if self.__sklearn_is_fitted__():
            return names
        return [name for name in names if name[0] == "_" or name[-1] != "_"]

    @abstractmethod
    def __sklearn_is_fitted__(self) -> bool:
        """Whether the estimator is fitted."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.metric == "precomputed"
        tags.input_tags.allow_nan = allows_nan(self.metric)
        return tags

    def _parameters(self) -> dict[str, Any]:
        """Return the present values of all parameters; faster than ``get_params``."""
        kind: Any = type(self)
        return {name: getattr(self, name) for name in _parameter_names(kind)}

    def _tree_settings(self) -> TreeSettings:
        check_n_jobs(self.n_jobs)
        return TreeSettings(
            self.metric,
            self.metric_params,
            self.build,
            self.bandwidth,
            self.n_jobs,
            self.verbose,
        )

    def _checked_rows(self, X: Any) -> Any:
        """Return rows converted as in ``fit``; raise if they do not match."""
        rows, scaling = self._unscaled_rows(X), self._fitted_scaling
        return rows if scaling is None else scaling.apply(rows)

    def _unscaled_rows(self, X: Any) -> Any:
        encoder = self._fitted_encoder
        if encoder is not None:
            return self._encoded(encoder, X)
        if not self._is_plain(X):
            X = self._validated(self, X, reset=False)
        names = vars(self).get("feature_names_in_")
        refuse_non_finite(X, allow_nan=allows_nan(self.metric), names=names)
        return X

    def _rows_to_fit(self, X: Any) -> tuple[Any, dict[str, Any]]:
        """Return unscaled rows for a fit, and the attributes that describe their columns.

        scikit-learn writes these attributes to an unfitted copy, so that a failed fit leaves this
        estimator unchanged.
        """
        encoder = self._encoder_to_fit(X)
        if encoder is not None:
            rows = np.asarray(encoder.fit_transform(X))
            return rows, {**_described(encoder), "encoder_": encoder}
        twin = type(self)(**self._parameters())
        rows = self._validated(twin, X, reset=True)
        names = vars(twin).get("feature_names_in_")
        refuse_non_finite(rows, allow_nan=allows_nan(self.metric), names=names)
        has_encoder = {"encoder_": None} if "encoder" in self._parameters() else {}
        return rows, {**_described(twin), **has_encoder}

    def _scaled_to_fit(
        self,
        rows: Any,
        columns: dict[str, Any],
        weight: FloatArray,
        trees: TreeSettings,
        given: Given | None = None,
        min_rows: int = 0,
    ) -> ScaledRows:
        """Return rows with scaled columns, and the attributes that describe these.

        With fewer rows than ``min_rows`` columns are not scaled.
        """
        if "scaling" not in self._parameters():
            return ScaledRows(rows, columns)
        wanted = self.scaling
        check_scaling(wanted)
        if wanted == "auto" and rows.shape[0] < min_rows:
            wanted = None
        scaling = scaling_to_fit(
            wanted, rows, weight, trees, given, encoded=columns.get("encoder_") is not None
        )
        scaled = rows if scaling is None else scaling.apply(rows)
        return ScaledRows(scaled, {**columns, "scaling_": scaling})

    # Encoding and scaling ----------------------------------------------------------------

    @property
    def _fitted_encoder(self) -> TableEncoder | None:
        """The encoder of rows; None if they are used as they are."""
        return vars(self).get("encoder_")

    @property
    def _fitted_scaling(self) -> Scaling | None:
        """The scaling of columns; None if they are used as they are."""
        return vars(self).get("scaling_")

    def _encoder_to_fit(self, X: Any) -> TableEncoder | None:
        """Return the encoder for the frame of a fit; None for rows that are used as they are."""
        encoder = self.encoder
        if isinstance(encoder, TableEncoder):
            if library_of(X) is None:
                raise TypeError(
                    f"encoder={shown(encoder)} is for frames, but X is of type "
                    f"{type(X).__name__}: pass a frame of pandas or polars, or encoder=None."
                )
            return clone(encoder)  # type: ignore[no-any-return]
        if encoder is not None and not (isinstance(encoder, str) and encoder == "auto"):
            raise ValueError(
                f"encoder={shown(encoder)} must be 'auto', None or a lapoleaf.TableEncoder."
            )
        if encoder is None or self.metric == "precomputed" or library_of(X) is None:
            return None
        found = needs_encoding(X, holes=not allows_nan(self.metric))
        return TableEncoder(verbose=self.verbose) if found else None

    def _encoded(self, encoder: TableEncoder, X: Any) -> Any:
        if library_of(X) is None:
            names = [column.name for column in encoder.plan_.columns]
            raise TypeError(
                f"X must be a frame with the columns {shown(names)}, as in fit, but it is of type "
                f"{type(X).__name__}."
            )
        return np.asarray(encoder.transform(X))

    @staticmethod
    def _cells(encoder: TableEncoder | None, X: Any) -> Cells | None:
        """Return the cells of a frame for explanations, if it is encoded."""
        return None if encoder is None else Cells.of(read_frame(X))

    @staticmethod
    def _validated(estimator: Any, X: Any, *, reset: bool) -> Any:
        refuse_no_numbers(X)
        return validate_data(
            estimator,
            X,
            reset=reset,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            ensure_all_finite=False,
        )

    def _is_plain(self, X: Any) -> bool:
        """Whether no conversion or warning is needed, a shortcut for single rows."""
        plain = type(X) is np.ndarray and X.dtype == np.float64 and X.ndim == 2 and len(X) > 0
        known = vars(self).get("n_features_in_")
        return plain and X.shape[1] == known and "feature_names_in_" not in vars(self)

    def _keep(self, learnt: Mapping[str, Any]) -> Self:
        """Assign attributes, as the last step of a method."""
        self.__dict__.update(learnt)
        if "n_features_in_" in learnt and "feature_names_in_" not in learnt:
            self.__dict__.pop("feature_names_in_", None)
        return self


def _described(estimator: Any) -> dict[str, Any]:
    """Return the attributes of a fitted estimator that describe the columns of X."""
    names = ("n_features_in_", "feature_names_in_")
    return {name: vars(estimator)[name] for name in names if name in vars(estimator)}

"""Support for scikit-learn's callbacks, whose tasks are the stages of a fit.

scikit-learn has callbacks since version 1.9; with older versions estimators have no
``set_callbacks``. A fit without callbacks imports nothing for them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Any, Self

from lapoleaf._progress import reporting_to

Learnt = Mapping[str, Any]


class CallbacksMixin:
    """An estimator whose fit reports to callbacks."""

    if find_spec("sklearn.callback") is not None:

        def set_callbacks(self, *callbacks: Any) -> Self:
            """Set callbacks that follow the next fits, such as ``sklearn.callback.ProgressBar``.

            They are called at the stages of a fit, and cannot end it early. They are part of clones
            and pickles, but not of files by :func:`lapoleaf.save`.

            Parameters
            ----------
            *callbacks : callback
                Callbacks that replace those set before; none removes them.

            Returns
            -------
            self : estimator
                The same estimator.
            """
            # Its module takes a tenth of a second to import.
            from sklearn.callback import CallbackSupportMixin

            found: Self = CallbackSupportMixin.set_callbacks(self, *callbacks)
            return found


class _ContextTask:
    """A callback context of scikit-learn as a task.

    Parameters
    ----------
    context : CallbackContext
        The context; the task has begun.
    estimator : estimator
        What is fitted.
    """

    def __init__(self, context: Any, estimator: Any) -> None:
        self._context = context
        self._estimator = estimator
        self._n_begun = 0

    def begin(self, title: str, n_steps: int | None) -> _ContextTask | None:
        """Begin a subtask; None if the announced number is reached."""
        announced = self._context.max_subtasks
        if announced is not None and self._n_begun >= announced:
            return None
        self._n_begun += 1
        context = self._context.subcontext(task_name=title, max_subtasks=n_steps)
        context.call_on_fit_task_begin(estimator=self._estimator)
        return _ContextTask(context, self._estimator)

    def end(self) -> None:
        """End the task."""
        self._context.call_on_fit_task_end(estimator=self._estimator)


def learn_with_callbacks(
    estimator: Any,
    learn: Callable[[], Learnt],
    *,
    n_stages: int,
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
) -> Learnt:
    """Return the attributes learnt by a fit, and report its stages to callbacks.

    Nothing is assigned to the estimator, so that it stays unchanged if a callback raises.

    Parameters
    ----------
    estimator : estimator
        What is fitted.
    learn : callable
        Returns the attributes that a fit assigns.
    n_stages : int
        Maximum number of stages of ``learn``.
    X, y, sample_weight : object
        Passed to the callbacks.
    """
    if not vars(estimator).get("_skl_callbacks"):
        return learn()
    from sklearn.callback import CallbackSupportMixin, with_callbacks

    metadata = None if sample_weight is None else {"sample_weight": sample_weight}
    data = {"estimator": estimator, "X": X, "y": y, "metadata": metadata}

    def fit(estimator: Any) -> Learnt:
        context = CallbackSupportMixin._init_callback_context(estimator, max_subtasks=n_stages)
        context.call_on_fit_task_begin(**data)
        with reporting_to(_ContextTask(context, estimator)):
            learnt = learn()
        context.call_on_fit_task_end(**data, reconstruction_attributes=learnt)
        return learnt

    found: Learnt = with_callbacks(fit)(estimator)
    return found

"""scikit-learn's callbacks: the stages of a fit are their tasks.

scikit-learn has callbacks from version 1.9 on; with older ones estimators have no
``set_callbacks``. Without callbacks a fit imports and does nothing for them.
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
                What to set in place of those that were set before; none takes them away.

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
    """A context of scikit-learn's callbacks as a task.

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
        """Begin a part; None where there are as many as were announced."""
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
    """Return what a fit learns, and report its stages to the estimator's callbacks.

    Nothing is assigned to the estimator: where a callback raises, it stays as it was.

    Parameters
    ----------
    estimator : estimator
        What is fitted.
    learn : callable
        Returns the attributes that a fit assigns.
    n_stages : int
        Number of stages of ``learn`` at most.
    X, y, sample_weight : object
        What the callbacks are shown.
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

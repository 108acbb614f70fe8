"""Explanations that are found in a thread."""

import threading

import pytest

from lapoleaf.studio.reasons import Explainer


class Slow:
    """A model whose explanations wait until they may go on."""

    def __init__(self):
        self.asked, self.go_on = [], threading.Event()

    def explain(self, place):
        self.asked.append(place)
        assert self.go_on.wait(60)
        if place < 0:
            raise ValueError("no such row")
        return f"why {place}"


@pytest.fixture
def explainer():
    one = Explainer()
    yield one
    one.close()


def test_nobody_waits_and_nothing_is_computed_twice(explainer):
    model = Slow()
    assert explainer.why(model, 3, 0.001) is None
    assert explainer.why(model, 3, 0.001) is None
    model.go_on.set()
    assert explainer.why(model, 3, 60) == "why 3"
    assert explainer.why(model, 3, 0) == "why 3"
    assert model.asked == [3]


def test_what_is_not_begun_of_an_old_model_is_left_out(explainer):
    old, new = Slow(), Slow()
    new.go_on.set()
    assert explainer.why(old, 1, 0.001) is None
    assert explainer.why(old, 2, 0.001) is None
    waiting = threading.Timer(0.05, old.go_on.set)
    waiting.start()
    assert explainer.why(new, 2, 60) == "why 2"
    assert 2 not in old.asked
    waiting.join()


def test_an_error_is_raised_to_who_asks(explainer):
    model = Slow()
    model.go_on.set()
    with pytest.raises(ValueError, match="no such row"):
        explainer.why(model, -1, 60)

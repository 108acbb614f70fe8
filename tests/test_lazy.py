"""Parts that are computed once, and values whose pickles hold their fields only."""

import copy
import pickle
import threading
from dataclasses import dataclass, replace

import pytest

from lapoleaf._lazy import Value, computed_once, is_computed


@dataclass(frozen=True)
class Square(Value):
    """A value with a part that counts how often it was computed."""

    side: int
    computed: list

    @computed_once
    def area(self):
        """Return the area."""
        self.computed.append("area")
        return self.side**2

    @computed_once
    def volume(self):
        self.computed.append("volume")
        return self.area * self.side


class Slow:
    """A part whose computation waits until all threads have asked for it."""

    def __init__(self, n_threads):
        self.everybody = threading.Barrier(n_threads, timeout=10)
        self.times = 0

    @computed_once
    def part(self):
        self.times += 1
        # Only one thread gets here: the others wait for it, so the barrier breaks.
        with pytest.raises(threading.BrokenBarrierError):
            self.everybody.wait(timeout=0.2)
        return object()


def in_threads(n, work):
    """Run a function in n threads at once; return what they returned."""
    found, start = [], threading.Barrier(n)

    def run():
        start.wait()
        found.append(work())

    threads = [threading.Thread(target=run) for _ in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def test_a_part_is_computed_at_the_first_access_only():
    square = Square(3, [])
    assert not is_computed(square, "area")
    assert square.computed == []
    assert (square.area, square.area) == (9, 9)
    assert square.computed == ["area"]
    assert is_computed(square, "area")
    assert not is_computed(square, "volume")


def test_parts_may_ask_for_other_parts():
    square = Square(3, [])
    assert square.volume == 27
    assert square.computed == ["volume", "area"]


def test_every_object_has_its_own():
    one, other = Square(3, []), Square(4, [])
    assert (one.area, other.area) == (9, 16)


def test_a_part_that_is_none_is_computed_once():
    class Nothing:
        times = 0

        @computed_once
        def part(self):
            self.times += 1

    nothing = Nothing()
    assert nothing.part is nothing.part is None
    assert nothing.times == 1


def test_threads_wait_for_one_computation():
    slow = Slow(6)
    found = in_threads(6, lambda: slow.part)
    assert slow.times == 1
    assert len(found) == 6
    assert len(set(map(id, found))) == 1


def test_a_computation_that_failed_is_tried_again_by_whoever_asks_next():
    class Failing:
        times = 0

        @computed_once
        def part(self):
            self.times += 1
            if self.times == 1:
                raise KeyboardInterrupt
            return "found"

    failing = Failing()
    with pytest.raises(KeyboardInterrupt):
        _ = failing.part
    assert not is_computed(failing, "part")
    # The lock is free again, for other threads too.
    assert in_threads(2, lambda: failing.part) == ["found", "found"]
    assert failing.times == 2


def test_the_class_shows_the_decorated_function():
    assert isinstance(Square.area, computed_once)
    assert Square.area.__doc__ == "Return the area."
    assert Square.area.name == "area"


@pytest.mark.parametrize(
    "through", [lambda value: pickle.loads(pickle.dumps(value)), copy.copy, copy.deepcopy]
)
def test_copies_and_pickles_hold_fields_and_no_caches(through):
    square = Square(3, [])
    assert square.volume == 27
    again = through(square)
    assert vars(again).keys() == {"side", "computed"}
    assert again == square
    assert again.volume == 27
    assert square.__getstate__() == {"side": 3, "computed": square.computed}


def test_replacing_a_field_drops_the_caches():
    square = Square(3, [])
    assert square.area == 9
    assert replace(square, side=4).area == 16


def test_values_are_frozen():
    with pytest.raises(AttributeError):
        Square(3, []).side = 4
    with pytest.raises(AttributeError):
        pickle.loads(pickle.dumps(Square(3, []))).side = 4

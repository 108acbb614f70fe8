"""What a person can do: each is one change, and undoing it leaves nothing behind."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lapoleaf.inputs import read
from lapoleaf.studio.actions import KEYS, PALETTE
from lapoleaf.studio.ledger import Ledger, NothingToDo
from lapoleaf.studio.project import Project
from lapoleaf.studio.state import CLEARED

N = 12


def with_classes(open_ledger, *names):
    ledger = open_ledger(np.arange(2.0 * N).reshape(N, 2))
    for name in names:
        ledger.act({"kind": "add_class", "name": name})
    return ledger


def test_labels_are_given_changed_and_taken_back(open_ledger):
    ledger = with_classes(open_ledger, "cat", "dog")
    ledger.act({"kind": "label", "rows": [1, 2, 2], "class": 0})
    ledger.act({"kind": "label", "rows": [2, 3], "class": 1})
    ledger.act({"kind": "label", "rows": [1], "class": None})
    assert ledger.state.given[:4].tolist() == [-1, CLEARED, 1, 1]
    assert ledger.state.n_given == 2
    assert ledger.state.counts() == {0: 0, 1: 2}


def test_classes_have_colours_and_keys_of_their_own(open_ledger):
    ledger = with_classes(open_ledger, *(f"class {number}" for number in range(40)))
    classes = list(ledger.state.classes.values())
    assert [info.colour for info in classes[: len(PALETTE)]] == list(PALETTE)
    assert [info.key for info in classes] == [*KEYS, *[""] * (40 - len(KEYS))]
    assert not {"n", "u", "0"} & set(KEYS)


def test_a_deleted_class_gives_its_key_back_but_not_its_id(open_ledger):
    ledger = with_classes(open_ledger, "cat", "dog")
    ledger.act({"kind": "delete_class", "class": 0})
    ledger.act({"kind": "add_class", "name": "cow", "colour": "#ABCDEF"})
    info = ledger.state.classes[2]
    assert (info.name, info.colour, info.key) == ("cow", "#abcdef", "1")
    assert set(ledger.state.classes) == {1, 2}


def test_merging_and_deleting_are_one_action_each(open_ledger):
    ledger = with_classes(open_ledger, "cat", "dog", "cow")
    ledger.act({"kind": "label", "rows": [0, 1], "class": 0})
    ledger.act({"kind": "label", "rows": [2], "class": 1})
    ledger.act({"kind": "merge_classes", "from": 0, "into": 1})
    assert ledger.state.given[:3].tolist() == [1, 1, 1]
    assert set(ledger.state.classes) == {1, 2}
    ledger.act({"kind": "undo"})
    assert ledger.state.given[:3].tolist() == [0, 0, 1]
    assert set(ledger.state.classes) == {0, 1, 2}
    ledger.act({"kind": "delete_class", "class": 0})
    assert ledger.state.given[:3].tolist() == [CLEARED, CLEARED, 1]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"kind": "fly"}, "kind='fly'"),
        ({"kind": ["label"]}, "must be one of"),
        ({"kind": "label", "rows": [], "class": 0}, "rows must be a list"),
        ({"kind": "label", "rows": "all", "class": 0}, "rows must be a list"),
        ({"kind": "label", "rows": [N], "class": 0}, f"row={N}"),
        ({"kind": "label", "rows": [-1], "class": 0}, "row=-1"),
        ({"kind": "label", "rows": [True], "class": 0}, "row=True"),
        ({"kind": "label", "rows": [1.5], "class": 0}, "row=1.5"),
        ({"kind": "label", "rows": [0] * (N + 1), "class": 0}, f"names {N + 1} rows"),
        ({"kind": "label", "rows": [0], "class": 9}, "class=9 is the id of no class"),
        ({"kind": "label", "rows": [0], "class": "0"}, "is the id of no class"),
        ({"kind": "label", "rows": [0], "class": False}, "is the id of no class"),
        ({"kind": "add_class", "name": " cat "}, "is the name of a class already"),
        ({"kind": "add_class", "name": " "}, "1 to 200 characters"),
        ({"kind": "add_class", "name": "x" * 201}, "1 to 200 characters"),
        ({"kind": "add_class", "name": "a\0b"}, "cannot be shown"),
        ({"kind": "add_class", "name": "\ud800"}, "cannot be shown"),
        ({"kind": "add_class", "name": 7}, "must be the name"),
        ({"kind": "add_class", "name": "x", "colour": "red; x"}, "#rrggbb"),
        ({"kind": "rename_class", "class": 1, "name": "cat"}, "already"),
        ({"kind": "merge_classes", "from": 0, "into": 0}, "name two classes"),
        ({"kind": "set_confidence", "value": 2}, "from 0 to 1"),
        ({"kind": "set_confidence", "value": float("nan")}, "from 0 to 1"),
        ({"kind": "answer_check", "row": 3, "class": 0}, "not in the random check"),
    ],
)
def test_what_cannot_be_done_is_refused_and_changes_nothing(open_ledger, body, words):
    ledger = with_classes(open_ledger, "cat", "dog")
    before, revision = ledger.state, ledger.revision
    with pytest.raises(ValueError, match=words.replace("(", r"\(")):
        ledger.act(body)
    assert ledger.state is before
    assert ledger.project.revision == revision


def checked(open_ledger):
    """Return a ledger in which rows 3 and 4 were shown as cat, and answered cat and dog."""
    ledger = with_classes(open_ledger, "cat", "dog", "cow")
    ledger.shown_in_check = {3: 0, 4: 0, 5: 2}
    ledger.act({"kind": "answer_check", "row": 3, "class": 0})
    ledger.act({"kind": "answer_check", "row": 4, "class": 1})
    return ledger


def reopened(ledger, data):
    """Return the state that the file holds."""
    ledger.close()
    again = Ledger(read(data), Project(ledger.project.path))
    state = again.state
    again.close()
    return state


def test_an_answer_to_a_check_that_is_corrected_counts_as_it_is_now(open_ledger):
    ledger = checked(open_ledger)
    assert ledger.state.checked() == (1, 2)
    ledger.act({"kind": "label", "rows": [4], "class": 0})
    assert ledger.state.checked() == (2, 2)
    ledger.act({"kind": "label", "rows": [3], "class": None})
    assert ledger.state.checked() == (1, 1)
    # The row is drawn again: its last answer counts, once.
    ledger.act({"kind": "answer_check", "row": 3, "class": 2, "shown": 1})
    assert ledger.state.checked() == (1, 2)
    assert reopened(ledger, np.arange(2.0 * N).reshape(N, 2)).checked() == (1, 2)


def test_classes_that_were_merged_are_one_in_the_check(open_ledger):
    ledger = checked(open_ledger)
    ledger.act({"kind": "merge_classes", "from": 0, "into": 2})
    ledger.act({"kind": "merge_classes", "from": 2, "into": 1})
    assert ledger.state.checked() == (2, 2)
    ledger.act({"kind": "undo"})
    assert ledger.state.checked() == (1, 2)
    ledger.act({"kind": "redo"})
    assert reopened(ledger, np.arange(2.0 * N).reshape(N, 2)).checked() == (2, 2)


def test_a_check_compares_with_what_the_page_has_shown(open_ledger):
    ledger = checked(open_ledger)
    # The row was drawn again meanwhile, with another label.
    ledger.act({"kind": "answer_check", "row": 5, "class": 1, "shown": 1})
    assert ledger.state.checked() == (2, 3)
    ledger.act({"kind": "undo"})
    for odd in ("1", None, True):
        with pytest.raises(ValueError, match="must be the id of a class"):
            ledger.act({"kind": "answer_check", "row": 5, "class": 1, "shown": odd})


def test_there_is_an_end_to_undoing(open_ledger):
    ledger = open_ledger(np.arange(6.0).reshape(3, 2))
    with pytest.raises(NothingToDo, match="nothing to undo"):
        ledger.act({"kind": "undo"})
    with pytest.raises(NothingToDo, match="nothing to do again"):
        ledger.act({"kind": "redo"})


def test_something_new_ends_what_could_be_done_again(open_ledger):
    ledger = with_classes(open_ledger, "cat")
    ledger.act({"kind": "label", "rows": [0], "class": 0})
    ledger.act({"kind": "undo"})
    ledger.act({"kind": "label", "rows": [1], "class": 0})
    assert ledger.project.to_redo() is None
    assert ledger.project.to_undo()[1] == "label 1 row as cat"


_ROWS = st.lists(st.integers(0, N - 1), min_size=1, max_size=4)
_CLASS = st.integers(0, 6)


def _body(kind, **values):
    return st.fixed_dictionaries({"kind": st.just(kind), **values})


_BODIES = st.one_of(
    _body("label", rows=_ROWS, **{"class": st.none() | _CLASS}),
    _body("answer_check", row=st.integers(0, 3), **{"class": _CLASS}),
    _body("add_class", name=st.sampled_from("abcdef")),
    _body("rename_class", name=st.sampled_from("ghi"), **{"class": _CLASS}),
    _body("recolour_class", colour=st.just("#123456"), **{"class": _CLASS}),
    _body("merge_classes", into=_CLASS, **{"from": _CLASS}),
    _body("delete_class", **{"class": _CLASS}),
    _body("set_confidence", value=st.sampled_from([0.5, 0.7])),
)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(bodies=st.lists(_BODIES, min_size=1, max_size=14), n_back=st.integers(1, 14))
def test_undo_and_redo_lead_through_the_same_states(tmp_path_factory, bodies, n_back):
    """The state after undoing equals the one before, in memory and in the file."""
    path = tmp_path_factory.mktemp("undo") / "p.lapoleaf"
    data = read(np.arange(2.0 * N).reshape(N, 2))
    ledger = Ledger(data, Project(path))
    ledger.project._connection.execute("PRAGMA synchronous = OFF")  # only to be quicker
    ledger.shown_in_check = dict.fromkeys(range(4), 0)
    for name in "xy":
        ledger.act({"kind": "add_class", "name": name})
    states = [ledger.state]
    for body in bodies:
        try:
            done = ledger.act(body)
        except ValueError:
            continue
        if not done.change.is_empty:
            states.append(ledger.state)
    back = min(n_back, len(states) - 1)
    for step in range(1, back + 1):
        ledger.act({"kind": "undo"})
        assert ledger.state.equals(states[-1 - step])
    ledger.close()
    ledger = Ledger(data, Project(path))
    assert ledger.state.equals(states[-1 - back])
    for step in range(back, 0, -1):
        ledger.act({"kind": "redo"})
        assert ledger.state.equals(states[-step])
    ledger.close()

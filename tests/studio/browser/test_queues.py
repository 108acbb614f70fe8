"""Every queue, and the random check."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.slow

KEYS = {"a": "1", "b": "2", "c": "3"}


PLACE = """async (row) => {
  const answer = await fetch("/api/map/positions");
  const places = new Float32Array(await answer.arrayBuffer());
  const box = document.getElementById("map").getBoundingClientRect();
  const scale = Math.min(box.width, box.height) / 2 * 0.92;
  return [box.left + box.width / 2 + places[2 * row] * scale,
    box.top + box.height / 2 - places[2 * row + 1] * scale];
}"""


def choose(desk, kind):
    desk.page.click(f"#tab-{kind}")
    desk.wait_until("kind => document.getElementById('card').dataset.queue === kind", kind)


def given_rows(desk):
    rows = ",".join(map(str, range(60)))
    answer = desk.page.request.get(f"{desk.origin}/api/show?rows={rows}").json()
    return {one["row"] for one in answer["rows"] if one["given"]}


@pytest.fixture
def begun(desk, table):
    """Return a page with three classes and five labels, the last of which is wrong."""
    page = desk(table)
    for name in ("apple", "berry", "cherry"):
        page.add_class(name)
    for i in range(9):
        key = KEYS[page.title()[0]]
        if i == 8:
            page.wrong = page.row()
            key = "1" if key == "2" else "2"
        page.label(key)
    page.wait_for_given(9)
    page.wait_until_labelled()
    return page


def test_without_labels_nothing_can_be_checked(desk, table):
    page = desk(table)
    page.wait_for_text("#queue-hint", "Rows that cover the data.")
    for kind in ("doubtful", "unsure", "check"):
        choose(page, kind)
        page.page.wait_for_selector("#queue-message >> text=Nothing is propagated yet")
    choose(page, "changed")
    page.page.wait_for_selector("#queue-message >> text=changed no other label")


def test_doubtful_shows_the_wrong_label(begun):
    choose(begun, "doubtful")
    begun.wait_for_row(begun.wrong)
    begun.page.wait_for_selector("#card-label >> text=given by you")
    # What it should have been is there to see, and why.
    truth = {"a": "apple", "b": "berry", "c": "cherry"}[begun.title()[0]]
    begun.page.wait_for_selector(f"#card-label .contradicted .pill >> text={truth}")
    begun.page.wait_for_selector("#card-why >> text=Without your label, decided by")
    labels = begun.page.locator("#card-why ul").first.locator("li .name").all_inner_texts()
    assert labels[0] == truth
    # A label that was kept does not come again, and neither does one that was corrected.
    begun.press("Space")
    begun.page.wait_for_selector("#queue-message >> text=you have answered every row here")
    choose(begun, "doubtful")
    begun.wait_for_row(begun.wrong)
    begun.press(KEYS[begun.title()[0]])
    begun.page.wait_for_selector("#card.empty #queue-message")
    begun.wait_until_labelled()
    begun.page.fill("#search", begun.page.text_content("#card-title"))
    begun.page.click("#found button")
    begun.page.wait_for_selector("#card-label >> text=the other labels agree")


def test_least_sure_are_not_given(begun):
    choose(begun, "unsure")
    assert begun.row() not in given_rows(begun)
    begun.page.wait_for_selector("#card-label .pill")


def test_changed_by_the_last_action(begun):
    begun.page.click("#undo")
    begun.wait_for_given(8)
    begun.wait_until_labelled()
    begun.page.click("#redo")
    begun.wait_for_given(9)
    begun.wait_until_labelled()
    answer = begun.page.request.get(f"{begun.origin}/api/queue?kind=changed&n=5").json()
    choose(begun, "changed")
    if answer["items"]:
        begun.wait_for_row(answer["items"][0])
    else:
        begun.page.wait_for_selector("#queue-message >> text=changed no other label")


def test_random_check_counts_answers(begun):
    choose(begun, "check")
    rows = []
    for i in range(4):
        rows.append(begun.row())
        shown = begun.text("#card-label .pill")
        truth = {"a": "apple", "b": "berry", "c": "cherry"}[begun.title()[0]]
        # Space accepts what is shown; the last answer is another one.
        begun.label("Space" if shown == truth and i < 3 else KEYS[begun.title()[0]])
        begun.wait_until_saved()
    assert len(set(rows)) == 4
    check = begun.wait_for_given(13)["progress"]["check"]
    assert check["n"] == 4
    assert 0 <= check["low"] <= check["right"] / 4 <= check["high"] <= 1
    begun.wait_until(
        "() => document.getElementById('check-words').textContent.includes('4 answers')"
    )
    begun.press("u")
    begun.wait_for_state(lambda state: state["progress"]["check"]["n"] == 3)


def test_a_wrong_key_in_the_random_check_is_corrected(begun):
    choose(begun, "check")
    first, truth = begun.row(), KEYS[begun.title()[0]]
    wrong = "1" if truth == "2" else "2"
    begun.label(wrong)
    begun.wait_for_state(lambda state: state["progress"]["check"] | {"n": 1, "right": 0}
                         == state["progress"]["check"])  # fmt: skip
    begun.press("ArrowLeft")
    begun.wait_for_row(first)
    begun.label(truth)
    state = begun.wait_for_state(lambda state: state["progress"]["check"]["right"] == 1)
    assert state["progress"]["check"]["n"] == 1
    assert state["n_given"] == 10


def test_random_check_without_seeing_the_label(begun):
    choose(begun, "check")
    begun.page.check("#blind-box")
    begun.page.wait_for_selector("#card-label >> text=Label hidden")
    assert begun.page.locator("#card-why *").count() == 0
    # Nor is it to be seen on the map.
    x, y = begun.page.evaluate(PLACE, begun.row())
    begun.page.mouse.move(x, y)
    begun.page.wait_for_selector("#tip >> text=label hidden")
    begun.page.uncheck("#blind-box")
    begun.page.wait_for_selector("#card-label .pill")


def test_queues_by_keys(begun):
    begun.press(".")
    begun.wait_until("() => document.getElementById('card').dataset.queue === 'doubtful'")
    begun.press(",", ",")
    begun.wait_until("() => document.getElementById('card').dataset.queue === 'check'")


def test_the_card_explains_a_label(begun):
    choose(begun, "unsure")
    begun.page.wait_for_selector("#card-why >> text=Decided by")
    begun.page.wait_for_selector("#card-why >> text=Nearest rows")
    tiles = begun.page.locator("#card-why .tile")
    assert tiles.count() >= 3
    assert begun.page.locator("#card-why .share").count() >= 1
    begun.row()
    other = tiles.first
    other.click()
    begun.page.wait_for_selector("#to-queue:not([hidden])")
    begun.page.click("#to-queue")
    begun.page.wait_for_selector("#to-queue", state="hidden")


def test_progress_is_a_curve_over_actions(begun):
    begun.page.wait_for_selector("#curve polyline.share")
    begun.page.fill("#asked", "50")
    begun.press("Tab")
    state = begun.wait_for_state(lambda state: state["progress"]["asked_confidence"] == 0.5)
    assert state["progress"]["share_confident"] > 0
    begun.press("Escape", "u")
    begun.wait_for_state(lambda state: state["progress"]["asked_confidence"] == 0.9)

"""Events for pages: none is lost, and of several of one kind the last one counts."""

import asyncio

from lapoleaf.studio.events import Events


def read(events, first, n):
    """Return the first n parts of a stream, in a loop of a thread of its own."""

    async def parts():
        stream = events.stream(first)
        found = [(await anext(stream)).decode() for _ in range(n)]
        await stream.aclose()
        return found

    return asyncio.run(asyncio.wait_for(parts(), 60))


def in_a_thread(function, *arguments):
    """Return what a function returns in a thread that has no loop yet."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function, *arguments).result(120)


def test_an_event_during_the_first_answer_is_not_lost():
    events = Events()

    def first():
        # The state is read, and then something happens before it is sent.
        state = {"number": 1}
        events.send("map", {"revision": 1})
        events.send("state", {"number": 2})
        return {"state": state, "map": {"revision": 0}, "labels": {"revision": 5}}

    parts = in_a_thread(read, events, first, 4)
    assert parts[0] == ": connected\n\n"
    assert set(parts[1:]) == {
        'event: state\ndata: {"number": 2}\n\n',
        'event: map\ndata: {"revision": 1}\n\n',
        'event: labels\ndata: {"revision": 5}\n\n',
    }


def test_a_page_that_leaves_is_forgotten():
    events = Events()
    in_a_thread(read, events, lambda: {"state": {}}, 2)
    events.send("state", {})
    assert not events._listeners

"""How seconds and megabytes grow with the number of points: ours, and those of baselines."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence

from benchmarks.methods import select
from benchmarks.methods.method import CLASSES
from benchmarks.methods.ours import OURS
from benchmarks.runner.isolated import NOT_MEASURED, Job, Result
from benchmarks.runner.tables import Table
from benchmarks.runner.timing import Growth, slope
from benchmarks.speed.session import Session
from benchmarks.speed.work import label_once
from lapoleaf._progress import tell

COLUMNS = 16
# As many rows have fewer columns, so that they fit into the memory of a laptop.
_MANY, _FEW_COLUMNS = 10_000_000, 8
_MILLION = (125_000, 250_000, 500_000, 1_000_000)
_SIZES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
_QUICK = (300, 600)
_POINTS = (
    f"Points in 20 clusters, two of every class, {COLUMNS} columns (float32; {_FEW_COLUMNS} for "
    f"{_MANY:,} points), 20 labels per class."
)
_MEMORY = (
    "Megabytes are the peak of the process, and the peak above the memory before the points were "
    "made."
)
_ABOVE = "Megabytes are the peak of the process above its memory before the points were made."
_WARM = "A warm-up on a few points, which compiles, is not included in the seconds."


def million_tables(session: Session) -> Iterator[Table]:
    """Yield the default fit of many points, and how its time grows."""
    names = ("seconds", "accuracy", "peak", "above", "warm-up")
    sizes = session.sizes(_QUICK, _MILLION)
    results = [_labelled(session, "million", OURS, n) for n in sizes]
    growth = _growth(sizes, results)
    session.growth[f"{OURS}, many points"] = growth
    yield Table(
        "million",
        "The default fit of many points",
        ("points", "columns", "seconds", "accuracy", "peak MB", "MB above start", "warm-up s"),
        [
            (n, _columns(n), *map(result.get, names))
            for n, result in zip(sizes, results, strict=True)
        ],
        f"{_POINTS} Every number of points runs in its own process. {_MEMORY} {_WARM}",
    )
    yield _growth_table("million-growth", {OURS: growth})


def size_tables(session: Session) -> Iterator[Table]:
    """Yield seconds, megabytes and accuracy of all methods for growing numbers of points."""
    sizes = session.sizes(_QUICK, _SIZES)
    found = {name: _until_trouble(session, name, sizes) for name in _methods()}
    growths = {name: _growth(sizes, results) for name, results in found.items()}
    session.growth.update(growths)
    note = (
        f"{_POINTS} Every run has its own process, which is stopped after "
        f"{session.runner.limit:g} seconds of processor time (too long); one that died ran out of "
        f"memory or was killed. "
        f"A method that did not finish is not measured on more points."
    )
    for name, title, figure in (
        ("seconds", "Seconds to label points", "seconds"),
        ("megabytes", "Megabytes to label points", "above"),
        ("accuracy", "Accuracy on the unlabelled points", "accuracy"),
    ):
        rows = [
            (n, *(results[place].get(figure) for results in found.values()))
            for place, n in enumerate(sizes)
        ]
        more = {"seconds": f" {_WARM}", "megabytes": f" {_ABOVE}"}.get(name, "")
        yield Table(f"sizes-{name}", title, ("points", *found), rows, note + more)
    yield _growth_table("sizes-growth", growths)


def _labelled(session: Session, part: str, method: str, n: int) -> Result:
    about = (part, f"clustered x {_columns(n)}", n, method)
    return session.alone(Job(*about, label_once, (method, n, _columns(n), None)))


def _columns(n: int) -> int:
    return _FEW_COLUMNS if n >= _MANY else COLUMNS


def _methods() -> list[str]:
    """Return the methods that can be measured, and print what is missing."""
    names = list(select(CLASSES, "speed"))
    if importlib.util.find_spec("faiss") is None:
        tell("poisson-faiss uses a tree: faiss is not installed (pip install 'lapoleaf[bench]').")
    if importlib.util.find_spec("pydpc") is not None:
        return names
    tell("pydpc is left out: it is not installed (pip install pydpc).")
    return [name for name in names if name != "pydpc"]


def _until_trouble(session: Session, method: str, sizes: Sequence[int]) -> list[Result]:
    results: list[Result] = []
    for n in sizes:
        if results and results[-1].trouble:
            results.append(Result({}, NOT_MEASURED))
        else:
            results.append(_labelled(session, "sizes", method, n))
    return results


def _growth(sizes: Sequence[int], results: Sequence[Result]) -> Growth:
    """Return sizes and seconds of the runs with the usual number of columns."""
    return [
        (n, result.figures["seconds"])
        for n, result in zip(sizes, results, strict=True)
        if not result.trouble and _columns(n) == COLUMNS
    ]


def _growth_table(name: str, growths: dict[str, Growth]) -> Table:
    rows = [
        (method, min(growth)[0], max(growth)[0], slope(growth))
        for method, growth in growths.items()
        if len(growth) > 1
    ]
    return Table(
        name,
        "How the seconds grow",
        ("method", "points, from", "to", "slope"),
        rows,
        "Slope of log seconds against log points: 1 is linear, 2 quadratic.",
        digits=2,
    )

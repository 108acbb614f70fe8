"""The parts of the speed benchmark: what each measures, as tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from benchmarks.data.fashion import FASHION_COLUMNS, N_FASHION, fashion_is_in
from benchmarks.methods.ours import OURS
from benchmarks.runner.isolated import Job, ratio
from benchmarks.runner.tables import Table
from benchmarks.speed.clicks import click_tables
from benchmarks.speed.first_call import first_table
from benchmarks.speed.full_build import full_build
from benchmarks.speed.session import Session
from benchmarks.speed.sizes import COLUMNS, million_tables, size_tables
from benchmarks.speed.sparse import sparse_tables
from benchmarks.speed.work import both_builds, label_once, propagate_again
from lapoleaf._progress import tell

_FORESTS = 10


def fashion_tables(session: Session) -> Iterator[Table]:
    """Yield the whole default fit of Fashion-MNIST beside label spreading."""
    folder = _fashion_folder(session)
    if folder is None:
        return
    n = 1_000 if session.quick else N_FASHION
    methods = (OURS, "label-spreading")
    jobs = [
        Job("fashion", "fashion", n, method, label_once, (method, n, FASHION_COLUMNS, folder))
        for method in methods
    ]
    results = session.runner.isolated(*jobs)
    figures = ("seconds", "accuracy", "peak", "above", "warm-up")
    rows = [
        (method, *map(result.get, figures), ratio(result, results[0], "seconds"))
        for method, result in zip(methods, results, strict=True)
    ]
    yield Table(
        "fashion",
        f"Fashion-MNIST, {n:,} x {FASHION_COLUMNS}",
        ("method", "seconds", "accuracy", "peak MB", "MB above start", "warm-up s", "times ours"),
        rows,
        "20 labels per class, pixels in [0, 1] (float32). A complete default fit and "
        "`LabelSpreading(kernel='knn', n_neighbors=10, alpha=0.99, max_iter=100, n_jobs=2)`, "
        "with the accuracy on the unlabelled rows. Each runs in its own process: megabytes are "
        "the peak, and the peak above the memory before the data were read. A warm-up on a few "
        "synthetic rows, which compiles, is not included in the seconds.",
    )


def full_tables(session: Session) -> Iterator[Table]:
    """Yield the full build of one tree beside the least it has to do."""
    n, repeats = (1_000, 1) if session.quick else (20_000, 3)
    rows = []
    for columns in (64, FASHION_COLUMNS):
        about = ("full", f"clustered x {columns}", n, OURS)
        found = session.alone(Job(*about, full_build, (n, columns, repeats)))
        bare, full = found.get("bare"), found.get("full")
        rows.append((n, columns, bare, full, ratio(found, found, "full", "bare")))
    yield Table(
        "full",
        "The full build of one tree and a lower bound",
        ("points", "columns", "product and exp, s", "full build, s", "ratio"),
        rows,
        f"Clustered points, one bandwidth. The bound is half of the products of all pairs in "
        f"float64 (BLAS, in blocks) and one float64 exponential per pair, with as many threads; "
        f"the best of {repeats} alternating runs. Compilation is not included.",
    )


def again_tables(session: Session) -> Iterator[Table]:
    """Yield propagation in forests that are there beside iterations on a graph that is."""
    n, repeats = (1_000, 1) if session.quick else (1_000_000, 3)
    arguments = (n, _FORESTS, repeats)
    found = session.alone(Job("again", "made forests", n, OURS, propagate_again, arguments))
    figures = {
        "one forest": "one",
        f"{_FORESTS} forests": "many",
        "label spreading, 100 iterations": "spreading",
    }
    rows = [
        (title, found.get(name), ratio(found, found, "spreading", name))
        for title, name in figures.items()
    ]
    yield Table(
        "again",
        f"Propagating again: {n:,} points, 10 classes",
        ("method", "seconds", "label spreading / this"),
        rows,
        f"Clustered points in three columns; forests and the graph of ten neighbours (symmetric, "
        f"normalised, scipy's CSR, float64) are built before. Processor time on one core; "
        f"lapoleaf: the best of {repeats} after a warm-up. The default has {_FORESTS} forests for "
        f"this many rows.",
    )


def approximate_tables(session: Session) -> Iterator[Table]:
    """Yield the approximate build beside the full one."""
    sets: dict[str, tuple[str | None, int]] = {"clustered": (None, COLUMNS)}
    folder = _fashion_folder(session)
    if folder is not None:
        sets["fashion"] = (folder, FASHION_COLUMNS)
    names = ("full accuracy", "approximate accuracy", "full seconds", "approximate seconds")
    rows = []
    for n in session.sizes((1_000,), (70_000,)):
        for data, (where, columns) in sets.items():
            if where is not None and n > N_FASHION:
                continue
            job = Job("approximate", data, n, OURS, both_builds, (n, columns, where))
            found = session.alone(job)
            faster = ratio(found, found, "full seconds", "approximate seconds")
            rows.append((data, n, columns, *map(found.get, ("equal", *names)), faster))
    yield Table(
        "approximate",
        "The approximate and the full build",
        ("data", "points", "columns", "equal leaders", *names, "times faster"),
        rows,
        "The default classifier with `build='full'` and with `build='approximate'`, 20 labels per "
        "class; leaders are those of its first tree. Seconds of a complete fit, without "
        "compilation.",
    )


def first_tables(session: Session) -> Iterator[Table]:
    """Yield the seconds of the first call."""
    yield first_table(session.runner.limit)


def _fashion_folder(session: Session) -> str | None:
    if fashion_is_in(session.fashion):
        return str(session.fashion)
    tell(f"There is no Fashion-MNIST in {session.fashion} (--fashion): it is left out.")
    return None


TABLES: dict[str, Callable[[Session], Iterator[Table]]] = {
    "fashion": fashion_tables,
    "full": full_tables,
    "million": million_tables,
    "again": again_tables,
    "approximate": approximate_tables,
    "sizes": size_tables,
    "clicks": click_tables,
    "sparse": sparse_tables,
    "first": first_tables,
}

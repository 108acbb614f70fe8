"""Thousands of mutated files: each is refused, or loads to a model that can be used."""

import json
import os
import pickle
import subprocess
import sys

import pytest
from persistence import fuzz_worker
from persistence.cases import fitted

from lapoleaf import save

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits memory as Linux does")

CASES = [
    "classes: dense", "classes: texts, NaN", "classes: weights, sparse", "classes: stages",
    "classes: mahalanobis", "numbers: dense", "numbers: partial targets", "numbers: graph",
    "numbers: names", "numbers: stages, three trees", "clusters: sparse cosine",
    "classes: only a forest", "numbers: weights, partial targets", "numbers: a generator",
    "numbers: one forest, partial targets", "classes: grown", "numbers: without labels",
    "clusters: distances", "clusters: jaccard", "clusters: minkowski", "clusters: four",
    "classes: texts as index", "numbers: times as index", "classes: objects as index",
    "classes: levels as index", "numbers: months as index", "classes: polars",
    "classes: grown, mixed index", "tables: everything", "tables: numbered columns",
    "tables: word vectors", "tables: pandas as output", "classes: mixed frame",
    "numbers: mixed frame", "classes: standard", "classes: ranks", "numbers: ranks",
]  # fmt: skip


def fuzzed(folder, kind, first, count, cases=CASES, **environment):
    """Run a worker over mutants; return its report."""
    for k, name in enumerate(cases):
        model, new = fitted(name)
        model = model.forest_ if name == "clusters: four" else model
        save(model, folder / f"{k:02d}.lapoleaf", rows=True)
        (folder / f"{k:02d}.rows").write_bytes(pickle.dumps(new))
    done = subprocess.run(
        [sys.executable, fuzz_worker.__file__, folder, kind, str(first), str(count)],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(sys.path),
            "MALLOC_ARENA_MAX": "1",
            **environment,
        },
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-5000:]
    return json.loads(done.stdout)


def check(report, count):
    assert report["failures"] == []
    assert not report["evil"]
    # Each was read, and each was mapped.
    assert sum(report["outcomes"].values()) == 2 * count


@pytest.mark.parametrize("kind", ["damage", "forgery"])
def test_mutated_files_are_refused_or_load(kind, tmp_path):
    check(fuzzed(tmp_path, kind, 0, 12, CASES[::18]), 12)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["damage", "forgery"])
def test_ten_thousand_mutated_files_are_refused_or_load(kind, tmp_path):
    """With kernels that check every index, so that nothing is read that should not be."""
    compiled = {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path / "numba")}
    check(fuzzed(tmp_path, kind, 1000, 10_000, **compiled), 10_000)

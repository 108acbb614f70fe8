"""Load mutated files, with little memory and a watchdog, and report what became of each.

    python fuzz_worker.py FOLDER damage|forgery FIRST_SEED COUNT

FOLDER holds saved models as ``*.lapoleaf`` and rows for them as ``*.rows``. The report is a line of
JSON. The process is killed by its own watchdog if a file takes long, dies with the interpreter if a
kernel reads where it must not, and fails if loading does anything but load.
"""

import faulthandler
import json
import os
import pickle
import resource
import sys
import threading
import time
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
from persistence.answers import answers, differences
from persistence.files import apart
from persistence.mutations import DAMAGE, FORGERY, Saved, mutant

from lapoleaf import LoadError, TableEncoder, load, propagate

MEMORY = 100 * 2**20
SECONDS = 1.0
WATCHDOG = 60.0

# What loading has no business with.
FORBIDDEN = ("exec", "compile", "import", "pickle.", "marshal.", "subprocess.", "os.system",
             "os.exec", "os.spawn", "os.posix_spawn", "socket.", "ctypes.", "os.remove",
             "os.rename", "os.mkdir", "shutil.", "code.__new__", "function.__new__")  # fmt: skip
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
watching = False


def watch(event, args):
    if watching and event.startswith(FORBIDDEN):
        raise BaseException(f"loading a file caused {event} {args!r}")
    if watching and event == "open" and (args[0] != "mutant" or args[2] & WRITING):
        raise BaseException(f"loading a file opened {args!r}")


def loaded(path, mmap):
    """Load a file, watched; return the model and the seconds it took."""
    global watching
    began = time.process_time()
    watching = True
    try:
        return load(path, mmap=mmap), time.process_time() - began
    except LoadError as error:
        return error, time.process_time() - began
    finally:
        watching = False


def exercise(model, new):
    """Call every method of a model: none may crash."""
    if hasattr(model, "explain") and hasattr(model, "transduction_"):
        # With the cells of the rows, if they are in the file.
        str(model.explain(1))
    if hasattr(model, "predict") or isinstance(model, TableEncoder):
        return answers(model, new)
    forest = model
    deepest = int(np.argmax(forest.layer))
    given = np.arange(forest.tree.n_nodes) % 5 == 0
    result = propagate(forest, given * 1.0, given, coupling=0.0, weights="inverse")
    return {
        "path": forest.path(deepest),
        "children": forest.children(forest.tree.root),
        "sizes": forest.subtree_size,
        "rows": forest.tree.to_rows(forest.depth),
        "labels": result.labels,
    }


def main(folder, kind, first, count):
    warnings.simplefilter("ignore")
    faulthandler.enable()
    paths = sorted(Path(folder).glob("*.lapoleaf"))
    files = [Saved(path.read_bytes(), apart(path)) for path in paths]
    rows = [pickle.loads(path.with_suffix(".rows").read_bytes()) for path in paths]
    for path, new in zip(paths, rows, strict=True):
        # Everything is imported and compiled before the limits are set.
        exercise(load(path, mmap=True), new)
    expected = [exercise(load(path), new) for path, new in zip(paths, rows, strict=True)]
    # A forged n_jobs starts a thread for every block of rows: their stacks are memory that is
    # reserved, not used.
    threading.stack_size(2**20)
    sys.addaudithook(watch)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    os.chdir(folder)
    report = {"outcomes": Counter(), "failures": [], "slowest": 0.0, "later": Counter()}
    ways = {"damage": DAMAGE, "forgery": FORGERY}[kind]
    for seed in range(first, first + count):
        way, number, data = mutant(seed, files, ways)
        Path("mutant").write_bytes(data)
        for mmap in (False, True):
            outcome = one(mmap, rows[number], expected[number], report)
            if outcome.startswith("failed") or (
                kind == "damage" and not mmap and outcome not in ("refused", "equal")
            ):
                report["failures"].append([seed, way, mmap, outcome])
            report["outcomes"][f"{way}, {'mmap' if mmap else 'read'}: {outcome}"] += 1
    report["evil"] = Path("evil").exists()
    print(json.dumps(report))


def one(mmap, new, expected, report):
    """Load a mutant, call every method, and return what happened."""
    faulthandler.dump_traceback_later(WATCHDOG, exit=True)
    try:
        model, seconds = loaded("mutant", mmap)
        report["slowest"] = max(report["slowest"], seconds)
        if seconds > SECONDS:
            return f"failed: took {seconds} seconds"
        if isinstance(model, LoadError):
            return "refused"
        if hasattr(model, "get_params") and not (
            hasattr(model, "forest_") or hasattr(model, "plan_")
        ):
            return "not fitted"
        try:
            found = exercise(model, new)
        except (TypeError, ValueError) as error:
            # A model with wrong parameters says so, as one that was made with them does.
            report["later"][f"{type(error).__name__}: {error}"[:150]] += 1
            return "complains"
        same = found.keys() == expected.keys() and not differences(found, expected)
        return "equal" if same else "another model"
    except BaseException as error:
        return f"failed: {type(error).__name__}: {error}"[:500]
    finally:
        faulthandler.cancel_dump_traceback_later()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))

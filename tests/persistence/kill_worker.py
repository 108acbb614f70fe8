"""Save over a file again and again, and be killed at any moment; report what was found after it.

    python kill_worker.py FOLDER REPETITIONS SEED

A child of this process saves two models in turn, and is killed with signal 9. The same model always
gives the same bytes, so the file must be, byte for byte, one of two.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path

import numpy as np

from lapoleaf import LoDOG, load, save


def saving_for_ever(models, path):
    """Fork a process that saves the models in turn until it is killed."""
    process = os.fork()
    if process == 0:
        while True:
            for model in models:
                save(model, path)
    return process


def main(folder, repetitions, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(600, 400))
    models = [LoDOG(n, bandwidth=20.0, n_jobs=1).fit(X) for n in (3, 4)]
    path = Path(folder, "model")
    whole = []
    for model in models:
        began = time.perf_counter()
        save(model, path)
        usual = time.perf_counter() - began
        whole.append(path.read_bytes())
    report = {"broken": 0, "old": 0, "new": 0, "left": 0, "most left": 0}
    before = path.read_bytes()
    for _ in range(repetitions):
        process = saving_for_ever(models, path)
        time.sleep(rng.uniform(0, 5 * usual))
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        after = path.read_bytes()
        report["old" if after == before else "new"] += 1
        report["broken"] += after not in whole or load(path).n_clusters not in (3, 4)
        temporary = [name for name in os.listdir(folder) if name != "model"]
        report["left"] += len(temporary) > 0
        report["most left"] = max(report["most left"], len(temporary))
        before = after
    save(models[0], path)
    report["in the end"] = os.listdir(folder)
    print(json.dumps(report))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))

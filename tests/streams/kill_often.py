"""Run a stream undisturbed, then again with kill -9 at random moments, and compare the outputs.

    python kill_often.py FOLDER KILLS SEED

Children are forked from a process that has everything loaded, so that they are killed at work.
"""

import os
import random
import signal
import sys
import time
from pathlib import Path

import numpy as np

from lapoleaf.cli import main


def write_series(path, n):
    rng = np.random.default_rng(0)
    values = 8 + np.sin(np.arange(n) / 15) + np.cumsum(rng.normal(scale=0.02, size=n))
    lines = ["time,value"] + [f"{900 * k},{value:.2f}" for k, value in enumerate(values)]
    lines[17] = "not,a reading"
    lines[40] = lines[40].split(",")[0] + ","
    del lines[60:63]
    path.write_text("\n".join(lines), encoding="utf-8")


def command(folder, name):
    return [
        *("stream", str(folder / "readings.csv"), "-o", str(folder / f"{name}.csv")),
        *("--journal", str(folder / name), "--window", "5", "--snapshot", "60"),
    ]


def size_of(path):
    return path.stat().st_size if path.exists() else 0


def killed_somewhere(arguments, folder, chance):
    """Start the stream, kill it some lines later; give whether it was still at work."""
    watched = (folder / "killed" / "journal", folder / "killed" / "snapshot.npz")
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        code = main(arguments)
        os._exit(code)
    # So many changes of the journal or the snapshot later, and a moment.
    changes, seen = chance.choice([0, 1, 2, 3, 8, 20]), [size_of(path) for path in watched]
    while changes > 0:
        if os.waitpid(child, os.WNOHANG)[0]:
            return False
        now = [size_of(path) for path in watched]
        changes -= now != seen
        seen = now
    time.sleep(chance.choice([0.0, 0.001, 0.01, 0.1]) * chance.random())
    os.kill(child, signal.SIGKILL)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def run(folder, kills, seed, n):
    write_series(folder / "readings.csv", n)
    if main(command(folder, "undisturbed")):
        return "the undisturbed run failed"
    chance, done = random.Random(seed), 0
    while done < kills:
        if not killed_somewhere(command(folder, "killed"), folder, chance):
            return f"the stream ended after {done} kills: give it more lines"
        done += 1
    if main(command(folder, "killed")):
        return "the last run failed"
    whole, killed = ((folder / f"{name}.csv").read_bytes() for name in ("undisturbed", "killed"))
    if whole != killed:
        return f"after {done} kills the outputs differ"
    print(f"{done} kills, {len(whole.splitlines())} lines, equal")
    return 0


if __name__ == "__main__":
    place, n_kills, first_seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    sys.exit(run(place, n_kills, first_seed, n=150 + 50 * n_kills))

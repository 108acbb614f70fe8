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

FAULTS = (
    *(b"", b"abc\rdef", b"3,14,15", b"\xff\xfe", b"now,8", b"99999-01-01,8", b"[" * 70000),
    *(b'"8', b"time,value", b"\x00", b"900,inf", b"900,8", b"1e19,8", b"7" * 5000 + b",8"),
)


def write_series(path, n):
    rng = np.random.default_rng(0)
    values = 8 + np.sin(np.arange(n) / 15) + np.cumsum(rng.normal(scale=0.02, size=n))
    # Spikes, another level, a fault code.
    values[100::97] = 1e6
    values[n // 2 :] += 20.0
    values[n // 3 : n // 3 + 4] = -9999.0
    lines = ["time,value"] + [f"{900 * k},{value:.2f}" for k, value in enumerate(values)]
    lines[17] = "not,a reading"
    lines[40] = lines[40].split(",")[0] + ","
    del lines[60:63]
    content = [line.encode() for line in lines]
    # Every few lines something that is no reading, or a reading with a wrong time.
    chance = random.Random(0)
    for k in range(70, n - 70, 7):
        content[k] = chance.choice(FAULTS) or content[k].replace(b",", b"000000,")
    # The clock is set back, and forth.
    for k in range(n // 2, n // 2 + 100):
        time_, _, value = content[k].partition(b",")
        if time_.isdigit() and len(time_) < 19:
            content[k] = b"%d,%s" % (int(time_) - 900 * 60, value)
    path.write_bytes(b"\n".join(content) + b"\n")


def command(folder, name):
    return [
        *("stream", str(folder / "readings.csv"), "-o", str(folder / f"{name}.csv")),
        *("--journal", str(folder / name), "--window", "5", "--snapshot", "60"),
    ]


def sizes(folder):
    """The names and sizes of all files in a folder."""
    found = []
    for path in sorted(folder.glob("*")):
        try:
            found.append((path.name, path.stat().st_size))
        except FileNotFoundError:
            found.append((path.name, 0))
    return found


def killed_somewhere(arguments, folder, chance):
    """Start the stream, kill it some lines later; return whether it was still running."""
    watched = folder / "killed"
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        code = main(arguments)
        os._exit(code)
    # So many changes of the journal or the snapshot later, and a moment.
    changes, seen = chance.choice([0, 1, 2, 3, 8, 20]), sizes(watched)
    while changes > 0:
        if os.waitpid(child, os.WNOHANG)[0]:
            return False
        now = sizes(watched)
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
    sys.exit(run(place, n_kills, first_seed, n=150 + 25 * n_kills))

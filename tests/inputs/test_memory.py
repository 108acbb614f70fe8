"""A million rows are read in at most three times the file and 500 MB."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import lapoleaf

SOURCE = Path(lapoleaf.__file__).parents[1]
# Not ru_maxrss: that counts what the process that started this one had.
CODE = """
import re, sys
from pathlib import Path
from lapoleaf.inputs import read
print(len(read(sys.argv[1])))
print(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text()).group(1))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="counts kilobytes as Linux does")
def test_a_million_rows(tmp_path):
    rng = np.random.default_rng(0)
    words = np.array([f"a short remark number {k}" for k in range(5000)])
    path = tmp_path / "in.csv"
    with open(path, "w") as file:
        file.write("a,b,c,d,e,f,code,note,label\n")
        for _ in range(100):
            numbers = np.char.mod("%.6f", rng.normal(size=(10_000, 6)))
            codes = np.char.mod("c%d", rng.integers(0, 10**6, 10_000))
            notes, labels = rng.choice(words, 10_000), rng.choice(["x", "y", ""], 10_000)
            for row, *rest in zip(numbers.tolist(), codes, notes, labels, strict=True):
                file.write(",".join([*row, *rest]) + "\n")
    found = subprocess.run(
        [sys.executable, "-c", CODE, str(path)], capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
    )  # fmt: skip
    n_rows, kilobytes = map(int, found.stdout.split())
    assert n_rows == 1_000_000
    assert kilobytes * 1024 <= 3 * path.stat().st_size + 500e6

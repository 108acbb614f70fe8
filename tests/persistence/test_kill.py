"""A process that is killed while it saves leaves the old file or the new one."""

import json
import os
import subprocess
import sys

import pytest
from persistence import kill_worker

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


def killed(folder, repetitions, seed):
    command = [sys.executable, kill_worker.__file__, folder, str(repetitions), str(seed)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    report = json.loads(done.stdout)
    assert report["broken"] == 0
    assert report["old"] + report["new"] == repetitions
    # A killed process leaves one temporary file at most, and the next that saves removes it.
    assert report["most left"] <= 1
    assert report["in the end"] == ["model"]
    return report


@pytest.mark.slow
def test_killed_while_saving_many_times(tmp_path):
    report = killed(tmp_path, 500, seed=1)
    # Many were killed at work, before and after the file had its name.
    assert report["left"] > 50
    assert report["new"] > 50

"""``python -m benchmarks``: run a benchmark, print its tables, write them to a folder."""

from __future__ import annotations

import sys

from benchmarks.runner.command import main

if __name__ == "__main__":
    sys.exit(main())

"""Benchmarks: what is measured on real data, as tables.

A benchmark's module has ``HELP`` (a line), ``add_arguments(parser)`` and ``run(arguments)``, which
gives one :class:`~benchmarks.runner.tables.Table` after the other; the command ``python -m benchmarks``
prints and writes them.
"""

BENCHMARKS = ("solver", "accuracy", "suggest", "speed", "grow", "paper", "water")

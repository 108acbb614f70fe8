"""Benchmarks: accuracy, time and coverage on real data, as tables.

Run from a checkout: ``python -m benchmarks NAME``. Every benchmark is a package with ``HELP`` (one
line), ``add_arguments(parser)`` and ``run(arguments)``, which yields instances of
:class:`~benchmarks.runner.tables.Table`. They share

- ``data``: data sets, splits, tasks and made data,
- ``methods``: the registry of everything that is measured, ours and the baselines,
- ``runner``: the command, the store of results, processes, tables and pages,
- ``plots``: pictures.
"""

BENCHMARKS = (
    "accuracy", "suggest", "clusters", "layout", "solver", "speed", "growth", "paper", "water",
    "corruption", "studio",
)  # fmt: skip

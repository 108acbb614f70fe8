"""The runner of benchmarks: command, stored results, processes, tables and pages."""

"""Runs benchmarks: the command, results that are kept, processes, tables and pages."""

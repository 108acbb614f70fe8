"""Data sets, splits, tasks, and synthetic data."""

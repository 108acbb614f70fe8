"""What is measured on: data sets, splits, tasks, and made data."""

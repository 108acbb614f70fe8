"""Trees that rows are inserted into and removed from."""

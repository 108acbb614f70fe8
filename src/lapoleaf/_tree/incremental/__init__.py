"""Trees that rows join and leave."""

"""Entries of the table: the classes that files hold, and what makes sense of each field."""

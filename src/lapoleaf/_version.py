"""The version of lapoleaf, in one place: the package and its build both read it here."""

__version__ = "0.1.0.dev0"

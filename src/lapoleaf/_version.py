"""The version of lapoleaf, read by the package and its build."""

__version__ = "0.1.0.dev0"

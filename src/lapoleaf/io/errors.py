"""The error of loading."""

from __future__ import annotations


class LoadError(ValueError):
    """Raised for files that :func:`lapoleaf.save` has not written, or that were modified.

    The message is one sentence that names the file and the reason.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from lapoleaf import LoadError, load
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "notes.txt")
    ...     _ = path.write_text("This is a text, long enough to be read as the beginning of a file")
    ...     try:
    ...         load(path)
    ...     except LoadError as error:
    ...         print(error)
    '...notes.txt' cannot be loaded: it is not a model saved by lapoleaf.
    """

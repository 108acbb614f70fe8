"""Parsing of numbers in strings, unless they are ambiguous."""

from __future__ import annotations

import re
from collections.abc import Sequence

# For every form: the pattern of a number, the separator of digit groups, the decimal mark.
_EXPONENT = r"(?:[eE][+-]?[0-9]{1,3})?"
FORMS: dict[str, tuple[re.Pattern[str], str, str]] = {
    "plain": (re.compile(rf"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+){_EXPONENT}"), "", "."),
    "decimal comma": (re.compile(rf"[+-]?(?:[0-9]+,?[0-9]*|,[0-9]+){_EXPONENT}"), "", ","),
    "comma groups": (re.compile(r"[+-]?[0-9]{1,3}(?:,[0-9]{3})*(?:\.[0-9]*)?"), ",", "."),
    "point groups": (re.compile(r"[+-]?[0-9]{1,3}(?:\.[0-9]{3})*(?:,[0-9]*)?"), ".", ","),
}
# 007 and 01234 are codes, which would lose digits as numbers.
_CODE = re.compile(r"[+-]?0[0-9]+")


def form_of(strings: Sequence[str]) -> str | None:
    """Return the form of numbers that matches all strings, if it is unambiguous.

    Parameters
    ----------
    strings : sequence of str
        The different strings of a column.

    Examples
    --------
    >>> from lapoleaf._encoding.number_forms import form_of
    >>> form_of(["39.1", "-2e3"]), form_of(["39,1", "7"]), form_of(["1,234.5", "7"])
    ('plain', 'decimal comma', 'comma groups')
    >>> form_of(["1,234", "5,678"]) is None and form_of(["01234", "98765"]) is None
    True
    """
    stripped = [text.strip() for text in strings]
    if not stripped or any(_CODE.match(text) for text in stripped):
        return None
    fitting = [
        name
        for name, (pattern, _, _) in FORMS.items()
        if all(pattern.fullmatch(text) for text in stripped)
    ]
    if "plain" in fitting:
        return "plain"
    readings = {tuple(number_in(text, name) for text in stripped) for name in fitting}
    return fitting[0] if len(readings) == 1 else None


def number_in(text: str, form: str) -> float | None:
    """Return the number in a string of a given form, or None.

    Examples
    --------
    >>> from lapoleaf._encoding.number_forms import number_in
    >>> number_in("1,234.5", "comma groups"), number_in("abc", "plain")
    (1234.5, None)
    """
    pattern, group, decimal = FORMS[form]
    text = text.strip()
    if not pattern.fullmatch(text):
        return None
    if group:
        text = text.replace(group, "")
    return float(text.replace(decimal, "."))

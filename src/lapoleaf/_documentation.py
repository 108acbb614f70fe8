"""Links from scikit-learn's diagrams of estimators to the pages that describe them."""

from __future__ import annotations

from importlib import metadata
from typing import Any


def page_template() -> str:
    """Return the URL template of the pages of estimators; empty if there is none.

    The address of the documentation is in the metadata of the installed package.
    """
    try:
        addresses = metadata.metadata("lapoleaf").get_all("Project-URL") or []
    except metadata.PackageNotFoundError:
        return ""
    return template_among(addresses)


def template_among(addresses: list[str]) -> str:
    """Return the URL template, from lines such as ``"Documentation, https://..."``.

    Examples
    --------
    >>> from lapoleaf._documentation import template_among
    >>> template_among(["Source, https://a.org", "Documentation, https://b.org/stable/"])
    'https://b.org/stable/generated/{page}.html'
    >>> template_among([])
    ''
    """
    for line in addresses:
        label, _, address = line.partition(",")
        if label.strip().lower() == "documentation" and address.strip():
            return f"{address.strip().rstrip('/')}/generated/{{page}}.html"
    return ""


class DocumentedMixin:
    """Mixin for estimators whose diagram links to their documentation.

    The attributes are those that scikit-learn looks for; without a template there is no link.
    """

    _doc_link_module = "lapoleaf"
    _doc_link_template = page_template()

    def _doc_link_url_param_generator(self, *_: Any) -> dict[str, str]:
        """Return the name of the page, which is the public name of the class.

        Some versions of scikit-learn pass the estimator as an argument.
        """
        kind = type(self)
        room = kind.__module__.split(".")[1]
        at_the_top = room == "estimators" or room.startswith("_")
        package = "lapoleaf" if at_the_top else f"lapoleaf.{room}"
        return {"page": f"{package}.{kind.__name__}"}

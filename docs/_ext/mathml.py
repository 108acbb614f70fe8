"""Formulas as MathML, which browsers draw by themselves: no script, no network."""

from docutils import nodes
from docutils.utils.math import MathError, latex2mathml
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

logger = logging.getLogger(__name__)


def _mathml(node, *, as_block):
    try:
        return str(latex2mathml.tex2mathml(node.astext(), as_block=as_block))
    except MathError as error:
        logger.warning("this formula cannot be drawn: %s", error, location=node)
        return ""


def visit_math(self, node):
    self.body.append(_mathml(node, as_block=False))
    raise nodes.SkipNode


def visit_displaymath(self, node):
    self.body.append(self.starttag(node, "div", CLASS="math"))
    if node["number"]:
        self.body.append(f'<span class="eqno">({get_node_equation_number(self, node)})')
        self.add_permalink_ref(node, "Link to this equation")
        self.body.append("</span>")
    self.body.append(_mathml(node, as_block=True) + "</div>\n")
    raise nodes.SkipNode


def setup(app):
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_displaymath, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}

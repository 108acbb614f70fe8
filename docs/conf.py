"""Configuration of the documentation; built by ``make docs`` without any network."""

import os
import re
import sys
from pathlib import Path

# sphinx-gallery runs the examples in this process and in this folder.
os.environ.setdefault("MPLBACKEND", "Agg")
sys.path.insert(0, str(Path(__file__).parent / "_ext"))

from lapoleaf import __version__

project = "lapoleaf"
author = "The lapoleaf developers"
copyright = "2026, The lapoleaf developers"
release = version = __version__

extensions = [
    "mathml",
    "terminal",
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build"]
templates_path = ["_templates"]

myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3

autodoc_typehints = "none"
autosummary_generate = True
# A class's page lists its members itself: _templates/autosummary/class.rst.
numpydoc_show_class_members = False

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "doc_module": ("lapoleaf",),
    "reference_url": {"lapoleaf": None},
    "run_stale_examples": True,
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
    "min_reported_time": 1,
}

html_theme = "furo"
html_favicon = "../src/lapoleaf/studio/page/icon.svg"
html_static_path = ["_static"]
html_css_files = ["custom.css"]
html_title = f"lapoleaf {release}"
html_math_renderer = "mathml"
html_show_sphinx = False


def quote_fitted_names(app, what, name, obj, options, lines):
    """Quote names such as ``n_features_in_`` in shapes, which reStructuredText takes for links."""
    name_in_shape = re.compile(r"(\(|shape of )(\w+_)(?=[,)]|$)")
    lines[:] = [name_in_shape.sub(r"\1``\2``", line) for line in lines]


def drop_foreign_references(app, what, name, obj, options, lines):
    """Leave out inherited lines that refer to pages of scikit-learn's documentation."""
    foreign = re.compile(r":ref:`[^`]*(df_output_transform|sphx_glr_auto_examples)[^`]*`")
    text = "\n".join(lines)
    if foreign.search(text):
        paragraphs = [part for part in text.split("\n\n") if not foreign.search(part)]
        lines[:] = "\n\n".join(paragraphs).split("\n")


def keep_fitted_attributes(app, what, name, obj, options, lines):
    """Keep the descriptions of fitted attributes in a class.

    numpydoc would replace them by the docstrings of the properties. It does not find the property
    of an escaped name.
    """
    if what == "class":
        lines[:] = [re.sub(r"^(\w+)_ : ", r"\1\_ : ", line) for line in lines]


def skip_fitted_attributes(app, what, name, obj, skip, options):
    """Leave fitted attributes out of the members of a class: its description lists them."""
    return True if isinstance(obj, property) and name.endswith("_") else None


def skip_members_of_others(app, what, name, obj, skip, options):
    """Leave out what a class inherits from river: its documentation has them."""
    return True if str(getattr(obj, "__module__", "")).partition(".")[0] == "river" else None


def setup(app):
    # Before numpydoc, which comes at 500.
    app.connect("autodoc-process-docstring", quote_fitted_names, priority=100)
    app.connect("autodoc-process-docstring", keep_fitted_attributes, priority=100)
    app.connect("autodoc-process-docstring", drop_foreign_references, priority=100)
    app.connect("autodoc-skip-member", skip_fitted_attributes)
    app.connect("autodoc-skip-member", skip_members_of_others)

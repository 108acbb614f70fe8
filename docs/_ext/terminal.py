"""Commands and what they print, run when the documentation is built.

A block of a page::

    ```{terminal}
    lapoleaf label birds.csv --label species -o labelled.csv
    ```

runs every line in a shell, in a folder that all blocks of the page share, and shows the line and
what it prints. ``:hidden:`` shows nothing, ``:exit: 2`` expects another exit code than 0.
"""

import tempfile
from pathlib import Path

from commands import as_shown, run_block
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective


class Terminal(SphinxDirective):
    """A block of commands."""

    has_content = True
    option_spec = {"hidden": directives.flag, "exit": directives.nonnegative_int}  # noqa: RUF012

    def run(self) -> list[nodes.Node]:
        folders = self.env.temp_data.setdefault("terminal", {})
        if self.env.docname not in folders:
            folders[self.env.docname] = tempfile.TemporaryDirectory()
        folder = Path(folders[self.env.docname].name)
        try:
            done = run_block(list(self.content), folder, self.options.get("exit", 0))
        except ValueError as error:
            raise ExtensionError(str(error)) from error
        if "hidden" in self.options:
            return []
        text = as_shown(done)
        block = nodes.literal_block(text, text, language="text")
        self.set_source_info(block)
        return [block]


def setup(app):
    app.add_directive("terminal", Terminal)
    return {"parallel_read_safe": True}

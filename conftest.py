"""Where the tests run, and how the examples of README and docs become tests."""

import contextlib
import hashlib
import io
import os
import sys
import tempfile
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE, OutputChecker
from pathlib import Path
from unittest import SkipTest

import pytest
from sybil import Sybil
from sybil.evaluators.doctest import DocTestEvaluator
from sybil.evaluators.python import PythonEvaluator
from sybil.example import SybilFailure
from sybil.parsers.abstract.doctest import DocTestStringParser
from sybil.parsers.myst import CodeBlockParser, SkipParser

HERE = Path(__file__).parent
FLAGS = ELLIPSIS | NORMALIZE_WHITESPACE

collect_ignore = ["docs/conf.py", "docs/_ext"]

os.environ.setdefault("MPLBACKEND", "Agg")


def compiled_kernels_folder():
    """Name a numba cache for these kernels, which all processes share.

    numba does not see a change in a kernel that another file calls: so a new folder when any file
    with kernels changes.
    """
    files = (path.read_bytes() for path in sorted((HERE / "src").rglob("*.py")))
    kernels = hashlib.sha256(b"".join(text for text in files if b"_compilation" in text))
    return HERE / ".pytest_cache" / "numba" / kernels.hexdigest()[:12]


os.environ["NUMBA_CACHE_DIR"] = str(compiled_kernels_folder())

if "PYTEST_XDIST_WORKER" in os.environ:
    # There is a process for every core: more threads of a BLAS library would wait for each other.
    # The package's own threads are as users have them.
    for library in ("OPENBLAS", "MKL"):
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")


def console_blocks(document):
    """Find the ``>>>`` examples in code blocks marked ``pycon``."""
    evaluator = DocTestEvaluator(FLAGS)
    for block in CodeBlockParser("pycon", evaluator)(document):
        for example in DocTestStringParser(evaluator)(block.parsed, document.path):
            example.adjust(block, block.parsed)
            yield example


class PrintedOutput:
    """What Python blocks print: an ``output`` block must be what the one before it printed."""

    def __init__(self):
        self.run = PythonEvaluator()
        self.printed = ""

    def run_python(self, example):
        """Run a block marked ``python``."""
        with contextlib.redirect_stdout(io.StringIO()) as stream:
            self.run(example)
        self.printed = stream.getvalue()

    def compare(self, example):
        """Return what is wrong with a block marked ``output``."""
        if OutputChecker().check_output(str(example.parsed), self.printed, FLAGS):
            return None
        return f"Expected:\n{example.parsed}\nPrinted:\n{self.printed}"


PRINTED = PrintedOutput()

# <!-- skip: next --> above a block leaves it out.
EXAMPLES = Sybil(
    parsers=[
        CodeBlockParser("python", PRINTED.run_python),
        CodeBlockParser("output", PRINTED.compare),
        console_blocks,
        SkipParser(),
    ]
)


class Page(pytest.File):
    """A page of README or docs."""

    def collect(self):
        document = EXAMPLES.parse(self.path)
        if list(document.examples()):
            yield PageExamples.from_parent(self, name="examples", document=document)


class PageExamples(pytest.Item):
    """All examples of a page, one after the other: they build on each other.

    They are one test, so that they stay in one process, and run in an empty folder.
    """

    def __init__(self, *, document, **kwargs):
        super().__init__(**kwargs)
        self.document = document

    def runtest(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            for example in self.document.examples():
                with contextlib.suppress(SkipTest):
                    example.evaluate()
        if "matplotlib.pyplot" in sys.modules:
            sys.modules["matplotlib.pyplot"].close("all")

    def repr_failure(self, excinfo, style=None):
        if isinstance(excinfo.value, SybilFailure):
            return str(excinfo.value)
        excinfo.traceback = excinfo.traceback.cut(path=self.path)
        return super().repr_failure(excinfo, style)

    def reportinfo(self):
        return self.path, 0, f"examples of {self.path.relative_to(HERE)}"


def pytest_collect_file(file_path, parent):
    return Page.from_parent(parent, path=file_path) if file_path.suffix == ".md" else None

"""The command, as a person runs it."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA

import lapoleaf
from lapoleaf.cli import main

SOURCE = Path(lapoleaf.__file__).parents[1]
# A finder that stands before all others and knows of no matplotlib.
WITHOUT_MATPLOTLIB = """
import importlib.util, sys
from importlib.machinery import PathFinder

class NoMatplotlib(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name.partition(".")[0] == "matplotlib":
            return None
        return super().find_spec(name, path, target)

sys.meta_path = [NoMatplotlib if finder is PathFinder else finder for finder in sys.meta_path]
assert importlib.util.find_spec("matplotlib") is None
from lapoleaf.cli import main
sys.exit(main(sys.argv[1:]))
"""


def run(*arguments, code=None, cwd=None):
    """Run the command in a process of its own."""
    start = ["-m", "lapoleaf.cli"] if code is None else ["-c", code]
    return subprocess.run(
        [sys.executable, *start, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
    )


def test_version():
    found = run("--version")
    assert (found.returncode, found.stderr) == (0, "")
    assert found.stdout == f"lapoleaf {lapoleaf.__version__}\n"


def test_version_and_help_load_nothing_heavy():
    """They answer at once: what is heavy is imported when a command runs."""
    code = """
import sys
from lapoleaf.cli import make_parser
make_parser().format_help()
heavy = ("numba", "scipy", "sklearn", "matplotlib", "onnx", "PIL")
print(*(name for name in heavy if name in sys.modules))
"""
    assert run(code=code).stdout.split() == []


def test_help(capsys):
    with pytest.raises(SystemExit, match="0"):
        main(["--help"])
    text = capsys.readouterr().out
    assert text.startswith("usage: lapoleaf")
    assert "demo" in text
    assert "--version" in text
    with pytest.raises(SystemExit, match="0"):
        main(["demo", "--help"])
    text = capsys.readouterr().out
    assert "--output" in text
    assert "lapoleaf-demo.png" in text


@pytest.mark.parametrize("arguments", [[], ["no-such-command"], ["demo", "--no-such-option"]])
def test_wrong_arguments(arguments, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(arguments)
    assert "usage: lapoleaf" in capsys.readouterr().err


def check_report(text):
    """The demo prints what its help promises: how many labels, how well, for every digit."""
    assert "1,797 images of 64 pixels, 10 classes" in text
    assert re.search(r"^Given +20 labels, 2 of each digit$", text, re.MULTILINE)
    assert re.search(r"^Labelled +1,777 images that had none$", text, re.MULTILINE)
    right = float(re.search(r"^Right +([\d.]+)% of those$", text, re.MULTILINE).group(1))
    assert 70 < right <= 100
    rows = re.findall(r"^ +(\d) +2 +(\d+) +([\d.]+%|-) +([\d.]+)%$", text, re.MULTILINE)
    assert [int(digit) for digit, *_ in rows] == list(range(10))
    assert sum(int(labelled) for _, labelled, *_ in rows) == 1777
    truth = load_digits().target
    found = sum(float(recall) / 100 * ((truth == int(d)).sum() - 2) for d, _, _, recall in rows)
    assert found / 1777 == pytest.approx(right / 100, abs=2e-3)
    for stage in ("distances", "density", "forests", "labels"):
        assert re.search(rf"^{stage} +[\d.]+ ms$", text, re.MULTILINE)


@pytest.fixture
def quick_map(monkeypatch):
    """Two main components instead of t-SNE, which takes most of the demo's time."""
    monkeypatch.setattr("sklearn.manifold.TSNE", lambda **_: PCA(2))


def check_demo(picture, capsys):
    assert main(["demo", "-o", str(picture)]) == 0
    text = capsys.readouterr()
    check_report(text.out)
    assert text.err == ""
    assert f"The first forest is drawn in {picture}" in text.out
    assert picture.read_bytes().startswith(b"\x89PNG\r\n")
    assert picture.stat().st_size > 50_000


@pytest.mark.usefixtures("quick_map")
def test_demo_prints_and_draws(tmp_path, capsys):
    check_demo(tmp_path / "forest.png", capsys)


@pytest.mark.slow
def test_demo_as_it_is(tmp_path, capsys):
    check_demo(tmp_path / "forest.png", capsys)


@pytest.mark.slow
def test_demo_without_matplotlib(tmp_path):
    found = run("demo", "--seed", "1", code=WITHOUT_MATPLOTLIB, cwd=tmp_path)
    assert (found.returncode, found.stderr) == (0, "")
    check_report(found.stdout)
    assert "No picture: it needs matplotlib (pip install 'lapoleaf[plot]')." in found.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-o", "no/such/folder/x.png"], "no/such/folder/x.png: there is no such folder"),
        (["--seed", "-1"], "--seed -1 must not be negative"),
    ],
    ids=["folder", "seed"],
)
def test_bad_input_is_one_sentence(arguments, words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["demo", *arguments]) == 2
    text = capsys.readouterr()
    assert text.out == ""
    assert len(text.err.splitlines()) == 1
    assert text.err.startswith("lapoleaf: ")
    assert words in text.err


def test_bad_folder_ends_the_process_with_2(tmp_path):
    found = run("demo", "-o", "no/such/folder/x.png", cwd=tmp_path)
    assert (found.returncode, found.stdout) == (2, "")
    assert len(found.stderr.splitlines()) == 1


@pytest.mark.usefixtures("quick_map")
@pytest.mark.parametrize("name", [".", "forest.xyz"])
def test_a_picture_that_cannot_be_is_said_at_once(name, tmp_path, capsys):
    """A folder, and an unknown kind of picture, are refused before the work, not after it."""
    assert main(["demo", "-o", str(tmp_path / name)]) == 2
    text = capsys.readouterr()
    assert text.out == ""
    assert len(text.err.splitlines()) == 1


@pytest.mark.slow
@pytest.mark.usefixtures("quick_map")
def test_a_picture_without_an_ending_is_where_the_demo_says(tmp_path, capsys):
    assert main(["demo", "-o", str(tmp_path / "forest")]) == 0
    said = capsys.readouterr().out.splitlines()[-1].removeprefix("The first forest is drawn in ")
    assert Path(said).read_bytes().startswith(b"\x89PNG")

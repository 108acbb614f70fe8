"""``lapoleaf demo``: label 1,797 handwritten digits from 20 labels, and draw the first forest."""

from __future__ import annotations

import argparse
import importlib.util
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lapoleaf._forest import LeadingForest
    from lapoleaf._typing import AnyArray, BoolArray, FloatArray
    from lapoleaf.estimators import ForestMap

HELP = "label 1,797 handwritten digits from 20 given labels, print how well, draw the forest"
EXAMPLES = (
    ("lapoleaf demo", "print a report and draw lapoleaf-demo.png"),
    ("lapoleaf demo --seed 7 -o forest.svg", "other labels, another file"),
)  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        default=Path("lapoleaf-demo.png"),
        metavar="PNG",
        help="where to draw the picture (default: %(default)s)",
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=0,
        help="which two images of every digit have a label (default: %(default)s)",
    )


def run(arguments: argparse.Namespace) -> None:
    """Run the command."""
    output = _checked_output(arguments.output)
    if arguments.seed < 0:
        raise ValueError(f"--seed {arguments.seed} must not be negative.")
    _warm_up()
    demo = _label_digits(arguments.seed)
    _print_report(demo)
    if importlib.util.find_spec("matplotlib") is None:
        print("\nNo picture: it needs matplotlib (pip install 'lapoleaf[plot]').")
        return
    _draw(demo, output)
    print(f"\nThe first forest is drawn in {output}")


def _checked_output(output: Path) -> Path:
    if not output.absolute().parent.is_dir():
        raise ValueError(f"--output {output}: there is no such folder.")
    if output.is_dir():
        raise ValueError(f"--output {output} is a folder: name a picture in it.")
    if not output.suffix:
        return output.with_suffix(".png")
    if output.suffix.lower() not in (".png", ".pdf", ".svg"):
        raise ValueError(f"--output {output}: the picture can be a .png, .pdf or .svg.")
    return output


@dataclass(frozen=True)
class _Demo:
    X: FloatArray
    truth: AnyArray
    given: BoolArray
    labels: AnyArray
    forest: LeadingForest
    n_forests: int
    map: ForestMap
    seconds: dict[str, float]

    @property
    def right(self) -> BoolArray:
        right: BoolArray = self.labels == self.truth
        return right


def _warm_up() -> None:
    """Compile the kernels on sixty points, so that the times below exclude compilation."""
    from lapoleaf import LaPOLeaFClassifier, layout

    began = time.perf_counter()
    layout(LaPOLeaFClassifier().fit([[float(k)] for k in range(60)], [0] + 58 * [-1] + [1]))
    spent = time.perf_counter() - began
    if spent > 2.0:
        print(f"(compiled in {spent:.1f} s; the next run starts at once)\n")


def _label_digits(seed: int) -> _Demo:
    import numpy as np
    from sklearn.datasets import load_digits

    from lapoleaf import LaPOLeaFClassifier, layout

    X, truth = load_digits(return_X_y=True)
    rng = np.random.default_rng(seed)
    chosen = [rng.choice(np.flatnonzero(truth == digit), 2, replace=False) for digit in range(10)]
    given = np.zeros(len(X), dtype=bool)
    given[np.concatenate(chosen)] = True

    y = np.where(given, truth, -1)
    clock = [time.perf_counter()]
    model = LaPOLeaFClassifier().fit(X, y)
    clock.append(time.perf_counter())
    # Propagate the same labels again in the existing forests.
    model.update_labels(model.ids_, y)
    clock.append(time.perf_counter())
    plane = layout(model)
    clock.append(time.perf_counter())

    report = model.tree_.report
    spent = {} if report is None else report.seconds
    seconds = {
        "distances": spent["bandwidth"] + spent["distances"],
        "density": spent["density"],
    }
    labelling = clock[2] - clock[1]
    seconds["forests"] = max(clock[1] - clock[0] - labelling - sum(seconds.values()), 0.0)
    seconds["labels"] = labelling
    seconds["map"] = clock[3] - clock[2]
    labels, n_forests = model.transduction_, len(model.forests_)
    return _Demo(X, truth, given, labels, model.forest_, n_forests, plane, seconds)


def _print_report(demo: _Demo) -> None:
    n, n_given = len(demo.X), int(demo.given.sum())
    unlabelled = ~demo.given
    accuracy = demo.right[unlabelled].mean()
    trees = demo.forest.n_trees
    print(f"Handwritten digits: {n:,} images of {demo.X.shape[1]} pixels, 10 classes")
    print(f"Given               {n_given} labels, 2 of each digit")
    print(f"Labelled            {n - n_given:,} images that had none")
    print(f"Right               {accuracy:.1%} of those")
    print(f"Forests             {demo.n_forests}, averaged")
    print(f"Drawn               the first, {trees} tree{'s' if trees != 1 else ''}")
    print()
    print("digit   given   labelled   of these right   of all such found")
    for digit in range(10):
        called = unlabelled & (demo.labels == digit)
        such = unlabelled & (demo.truth == digit)
        both = int((called & such).sum())
        precision = f"{both / called.sum():.1%}" if called.any() else "-"
        print(
            f"{digit:>5} {int((demo.given & (demo.truth == digit)).sum()):>7} "
            f"{int(called.sum()):>10} {precision:>16} {both / such.sum():>19.1%}"
        )
    print()
    print("stage            time")
    for stage, seconds in demo.seconds.items():
        print(f"{stage:<12} {1000 * seconds:>6.1f} ms")


def _draw(demo: _Demo, path: Path) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt
    import numpy as np

    from lapoleaf import DecisionGraphDisplay, ForestDisplay, ObjectiveDisplay

    print("\nDrawing ...", flush=True)
    figure = plt.figure(figsize=(14, 8), layout="constrained")
    grid = figure.add_gridspec(2, 2, width_ratios=[2.1, 1])
    ForestDisplay.from_forest(
        demo.forest,
        demo.map,
        labels=demo.labels,
        given=demo.given,
        links=True,
        ax=figure.add_subplot(grid[:, 0]),
    )
    DecisionGraphDisplay.from_forest(demo.forest, ax=figure.add_subplot(grid[0, 1]))
    ObjectiveDisplay.from_forest(demo.forest, ax=figure.add_subplot(grid[1, 1]))
    share = np.mean(demo.right[~demo.given])
    figure.suptitle(
        f"{int(demo.given.sum())} labels in (circled digits), "
        f"{len(demo.X):,} labels out (colours): {share:.0%} right",
        fontsize=16,
        fontweight="bold",
    )
    figure.savefig(path, dpi=110)
    plt.close(figure)

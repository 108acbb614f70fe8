"""``lapoleaf images``: from a folder of pictures to a file of features."""

from __future__ import annotations

import argparse
import contextlib
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from lapoleaf._messages import shown
from lapoleaf._progress import tell
from lapoleaf.cli.names import printable
from lapoleaf.cli.outputs import watching

if TYPE_CHECKING:
    from lapoleaf.inputs import ImageFeatures

HELP = "turn a folder of pictures into features, to be labelled by 'lapoleaf label'"
EXAMPLES = (
    ("lapoleaf images photos -o features.npz",
     "features of all photos; an interrupted run continues"),
    ("lapoleaf images photos --boxes annotations -o features.npz",
     "of what is in the boxes of XML files as PASCAL VOC has them"),
)  # fmt: skip
_MOST_SKIPPED = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument(
        "folder",
        type=Path,
        metavar="FOLDER",
        help="pictures, in folders named after their class; those in FOLDER itself and in "
        "FOLDER/unlabelled have no class",
    )
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="NPZ", help="where to write features"
    )
    parser.add_argument(
        "--boxes",
        type=Path,
        metavar="XML_FOLDER",
        help="XML files with boxes around objects, as PASCAL VOC and ImageNet have them",
    )
    parser.add_argument(
        "--objects",
        choices=("all", "largest"),
        default="all",
        help="of a picture with several boxes: a row for each, or the largest (default: all)",
    )
    parser.add_argument(
        "--labels",
        choices=("folders", "boxes"),
        default="folders",
        help="classes from the names of folders, or of the objects in the XML files "
        "(default: folders)",
    )
    parser.add_argument(
        "--thumbnail",
        type=int,
        default=64,
        metavar="PIXELS",
        help="side of the small pictures to keep, 0 for none (default: 64)",
    )
    parser.add_argument(
        "--jobs", type=int, metavar="N", help="number of threads (default: all cores)"
    )
    own = parser.add_argument_group("a network of your own", "instead of EfficientNet-Lite0")
    own.add_argument("--model", type=Path, metavar="ONNX", help="the model")
    own.add_argument(
        "--layer",
        metavar="NAME",
        help="output or node whose numbers are the features, such as fc7 (default: the first "
        "output)",
    )
    own.add_argument(
        "--size", type=int, metavar="PIXELS", help="side of pictures, if the model leaves it open"
    )
    own.add_argument(
        "--preset",
        choices=("torch", "tensorflow", "caffe", "unit"),
        help="how pixels become numbers (default: torch)",
    )
    own.add_argument(
        "--mean", type=_numbers, metavar="R,G,B", help="subtracted from pixels of 0 to 255"
    )
    own.add_argument("--scale", type=_numbers, metavar="R,G,B", help="what the rest is divided by")
    own.add_argument("--colours", choices=("RGB", "BGR"), help="order of the colours")


def _numbers(text: str) -> float | tuple[float, ...]:
    try:
        numbers = tuple(float(part) for part in text.split(","))
    except ValueError:
        numbers = ()
    if len(numbers) not in (1, 3):
        raise argparse.ArgumentTypeError(f"{shown(text)} is not a number, nor three with commas")
    return numbers[0] if len(numbers) == 1 else numbers


def run(arguments: argparse.Namespace) -> int:
    """Run the command; return 1 if files were skipped, else 0."""
    partial = Path(f"{arguments.output}.partial")
    goes_on = partial.exists() or arguments.output.exists()
    began = time.perf_counter()
    with _word_of_comfort(partial):
        found = _found(arguments)
    _report(found, time.perf_counter() - began, goes_on)
    print(f"\nThe features are in {printable(str(arguments.output))}")
    if not any(found.labels):
        print("None has a label yet: put a few of every class into a folder named after it.")
    return int(len(found.skipped) > 0)


@contextlib.contextmanager
def _word_of_comfort(partial: Path) -> Iterator[None]:
    """Tell a user who interrupts that finished work is kept."""
    try:
        yield
    except KeyboardInterrupt:
        if partial.exists():
            tell(f"\nWhat is finished is in {printable(str(partial))}: the same command continues.")
        raise


def _found(arguments: argparse.Namespace) -> ImageFeatures:
    from lapoleaf.inputs import image_features

    return image_features(
        arguments.folder,
        output=arguments.output,
        boxes=arguments.boxes,
        objects=arguments.objects,
        labels=arguments.labels,
        model=arguments.model,
        layer=arguments.layer,
        size=arguments.size,
        preset=arguments.preset,
        mean=arguments.mean,
        scale=arguments.scale,
        colours=arguments.colours,
        thumbnail_size=arguments.thumbnail,
        n_jobs=arguments.jobs,
        verbose=watching(),
    )


def _report(found: ImageFeatures, seconds: float, goes_on: bool) -> None:
    pictures = len(set(found.files.tolist()))
    # What an earlier run did is not the speed of this one.
    speed = "" if goes_on else f" ({pictures / seconds:.0f} a second)"
    whole = int((found.objects == 0).sum())
    print(f"Pictures     {pictures:,}, in {seconds:.1f} s{speed}")
    if whole < len(found):
        print(f"Objects      {len(found) - whole:,} in boxes, {whole:,} whole pictures")
    print(f"Features     {found.features.shape[1]:,} columns, {found.settings['network']}")
    classes = Counter(label for label in found.labels.tolist() if label)
    given = sum(classes.values())
    print(f"Labelled     {given:,} of {len(found):,}, {len(classes)} classes")
    for label, count in sorted(classes.items()):
        print(f"  {count:>7,}  {printable(label)}")
    if len(found.skipped):
        print(f"Skipped      {len(found.skipped):,}")
        pairs = list(zip(found.skipped.tolist(), found.reasons.tolist(), strict=True))
        for file, reason in pairs[:_MOST_SKIPPED]:
            print(f"  {printable(file)}: {printable(reason)}")
        if len(pairs) > _MOST_SKIPPED:
            print(f"  ... and {len(pairs) - _MOST_SKIPPED:,} more, listed in the file")

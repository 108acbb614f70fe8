"""Pictures of five kinds of thing, each a little different, with boxes around them."""

import math
from xml.sax.saxutils import escape

import numpy as np
from PIL import Image, ImageDraw

KINDS = ("car", "flower", "house", "sailboat", "tree")


def draw(kind, seed):
    """Return a picture of a thing, and the box around it: left, top, right, bottom."""
    rng = np.random.default_rng([KINDS.index(kind), seed])
    width, height = (int(side) for side in rng.integers(180, 320, 2))
    sky, ground = rng.integers(150, 240, 3), rng.integers(90, 200, 3)
    picture = Image.new("RGB", (width, height), tuple(sky.tolist()))
    pen = ImageDraw.Draw(picture)
    horizon = height * rng.uniform(0.55, 0.85)
    pen.rectangle((0, horizon, width, height), tuple(ground.tolist()))
    side = min(width, height) * rng.uniform(0.55, 0.8)
    left, top = rng.uniform(0, width - side), rng.uniform(0, height - side)

    def at(x, y):
        return left + side * x, top + side * y

    DRAW[kind](pen, at, side, rng)
    noise = rng.normal(0.0, rng.uniform(2.0, 9.0), (height, width, 3))
    pixels = np.clip(np.asarray(picture) + noise, 0, 255).astype(np.uint8)
    box = (int(left), int(top), math.ceil(left + side), math.ceil(top + side))
    return Image.fromarray(pixels), box


def colour(rng, low=0, high=256):
    return tuple(rng.integers(low, high, 3).tolist())


def car(pen, at, side, rng):
    paint = colour(rng, 20, 230)
    pen.rounded_rectangle((*at(0.0, 0.45), *at(1.0, 0.78)), side * 0.08, paint)
    pen.polygon([at(0.18, 0.47), at(0.32, 0.22), at(0.7, 0.22), at(0.85, 0.47)], paint)
    pen.polygon([at(0.27, 0.45), at(0.36, 0.27), at(0.49, 0.27), at(0.49, 0.45)], (190, 220, 240))
    pen.polygon([at(0.53, 0.45), at(0.53, 0.27), at(0.67, 0.27), at(0.76, 0.45)], (190, 220, 240))
    for x in (0.12, 0.66):
        pen.ellipse((*at(x, 0.64), *at(x + 0.22, 0.9)), (25, 25, 25))
        pen.ellipse((*at(x + 0.06, 0.71), *at(x + 0.16, 0.83)), (180, 180, 180))


def flower(pen, at, side, rng):
    petals = colour(rng, 120)
    pen.line([at(0.5, 0.5), at(0.5, 1.0)], (40, 130, 40), max(2, int(side * 0.05)))
    count, turn = int(rng.integers(6, 11)), rng.uniform(0, 6)
    for petal in range(count):
        angle = turn + 2 * math.pi * petal / count
        x, y = 0.5 + 0.27 * math.cos(angle), 0.38 + 0.27 * math.sin(angle)
        pen.ellipse((*at(x - 0.12, y - 0.12), *at(x + 0.12, y + 0.12)), petals, (90, 60, 60))
    pen.ellipse((*at(0.36, 0.24), *at(0.64, 0.52)), (240, 190, 30))


def house(pen, at, side, rng):
    pen.rectangle((*at(0.1, 0.42), *at(0.9, 1.0)), colour(rng, 120), (60, 60, 60))
    pen.polygon([at(0.0, 0.44), at(0.5, 0.02), at(1.0, 0.44)], colour(rng, 60, 180))
    pen.rectangle((*at(0.42, 0.66), *at(0.6, 1.0)), colour(rng, 20, 120))
    for x in (0.17, 0.67):
        pen.rectangle((*at(x, 0.54), *at(x + 0.17, 0.72)), (200, 225, 245), (50, 50, 50))
        pen.line([at(x + 0.085, 0.54), at(x + 0.085, 0.72)], (50, 50, 50), 2)


def sailboat(pen, at, side, rng):
    hull = [at(0.02, 0.74), at(0.98, 0.74), at(0.8, 0.95), at(0.18, 0.95)]
    pen.polygon(hull, colour(rng, 20, 160))
    pen.line([at(0.5, 0.0), at(0.5, 0.75)], (80, 60, 40), max(2, int(side * 0.03)))
    sail = colour(rng, 200)
    pen.polygon([at(0.54, 0.04), at(0.54, 0.68), at(0.96, 0.68)], sail, (120, 120, 120))
    pen.polygon([at(0.46, 0.12), at(0.46, 0.68), at(0.1, 0.68)], sail, (120, 120, 120))


def tree(pen, at, side, rng):
    pen.rectangle((*at(0.43, 0.55), *at(0.57, 1.0)), (100, 70, 40))
    green = (int(rng.integers(20, 90)), int(rng.integers(100, 180)), int(rng.integers(20, 80)))
    for _ in range(9):
        x, y, r = rng.uniform(0.25, 0.75), rng.uniform(0.2, 0.52), rng.uniform(0.14, 0.24)
        shade = tuple(int(part * rng.uniform(0.8, 1.15)) for part in green)
        pen.ellipse((*at(x - r, y - r), *at(x + r, y + r)), shade)


DRAW = {"car": car, "flower": flower, "house": house, "sailboat": sailboat, "tree": tree}


def annotation(size, *objects):
    """Return the XML of boxes (left, top, right, bottom, counted from 0) with their names."""
    width, height = size
    parts = [
        f"<object><name>{escape(name)}</name><bndbox><xmin>{left + 1}</xmin><ymin>{top + 1}</ymin>"
        f"<xmax>{right}</xmax><ymax>{bottom}</ymax></bndbox></object>"
        for name, (left, top, right, bottom) in objects
    ]
    size = f"<size><width>{width}</width><height>{height}</height><depth>3</depth></size>"
    return f"<annotation>{size}{''.join(parts)}</annotation>"


def save_turned(picture, path, orientation=6):
    """Save a picture lying on its side, with the EXIF note that puts it upright."""
    exif = Image.Exif()
    exif[0x0112] = orientation
    turn = {3: Image.Transpose.ROTATE_180, 6: Image.Transpose.ROTATE_90}[orientation]
    picture.transpose(turn).save(path, exif=exif)


def draw_folder(folder, boxes, n_each, n_given=3):
    """Draw a folder of pictures: a few of each kind labelled, the others not; return the truth.

    Every fifth is a JPEG file that lies on its side; one file is broken, one is text.
    """
    truth = {}
    for kind in KINDS:
        for number in range(n_each):
            picture, box = draw(kind, number)
            place = kind if number < n_given else "unlabelled"
            name = f"{place}/{kind[0]}{number:03d}.{'jpg' if number % 5 == 4 else 'png'}"
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            save_turned(picture, path) if number % 5 == 4 else picture.save(path)
            xml = (boxes / name).with_suffix(".xml")
            xml.parent.mkdir(parents=True, exist_ok=True)
            xml.write_text(annotation(picture.size, (kind, box)))
            truth[name] = kind
    (folder / "unlabelled" / "broken.jpg").write_bytes(b"\xff\xd8\xff\xe0 broken")
    (folder / "unlabelled" / "notes.txt").write_text("Nothing to see here.")
    return truth

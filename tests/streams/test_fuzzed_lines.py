"""Whatever comes in, ``lapoleaf stream`` reads what can be read, and ends without a traceback."""

import json
import math
import re

import pytest
from fuzzed_lines import PARTS, fuzzed_lines
from hypothesis import given
from hypothesis import strategies as st

from lapoleaf.cli import main
from lapoleaf.cli.streaming import Streaming
from lapoleaf.streams import SeriesForecaster
from lapoleaf.streams.fields import BadLine
from lapoleaf.streams.lines import LineReader

# A stream may end before its first reading, for one of these reasons.
BEGINNING = re.compile(
    "is a reading: looked for|is not a reading: looked for|there are several columns"
)
LINES = st.one_of(
    st.binary(max_size=30),
    st.text(max_size=30).map(lambda text: text.encode("utf-8", "replace")),
    st.lists(st.sampled_from([*PARTS, b"1", b"2.5", b"900"]), max_size=5).map(b",".join),
    st.dictionaries(
        st.sampled_from(["time", "value", "a"]),
        st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5)),
    ).map(lambda found: json.dumps(found).encode()),
)


@given(st.lists(LINES, max_size=12), st.sampled_from([None, "1", "value"]))
def test_a_line_is_a_reading_or_bad_and_bad_ones_change_nothing(lines, column):
    streaming = Streaming(SeriesForecaster(), LineReader(column))
    for line in lines:
        before = streaming.reader.state()
        try:
            reading = streaming.parse(line)
        except BadLine:
            assert streaming.reader.state() == before
            continue
        except ValueError:
            assert before["format"] is None
            return
        if reading is not None:
            assert not math.isinf(reading.value)
            assert reading.time is None or math.isfinite(reading.time)
            assert reading.stamp.isascii()
            assert not set(reading.stamp) & set('",;\n\r')
        json.dumps(streaming.reader.state())


@pytest.mark.parametrize("seed", range(6))
def test_a_stream_of_broken_lines_ends_with_a_summary(tmp_path, seed, capsys):
    path = tmp_path / "lines"
    path.write_bytes(b"\n".join(fuzzed_lines(100, seed)))
    code = main(["stream", str(path), "--window", "3"])
    err = capsys.readouterr().err
    assert code == 0 or (code in (1, 2) and BEGINNING.search(err))
    assert "Traceback" not in err
    assert all(len(line) < 300 for line in err.splitlines())


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("part", range(10))
def test_100_000_lines_without_a_traceback(tmp_path, part, capsys):
    ended = 0
    for seed in range(10 * part, 10 * part + 10):
        lines = fuzzed_lines(1000, 1000 + seed)
        command = ["stream", str(tmp_path / f"{seed}"), "--snapshot", "400", "--window", "3"]
        command += ["--journal", str(tmp_path / f"{seed}.journal")]
        for n in (500, 1000):
            (tmp_path / f"{seed}").write_bytes(b"\n".join([*lines[:n], b""]))
            code = main(command)
            err = capsys.readouterr().err
            assert "Traceback" not in err
            assert code == 0 or (code in (1, 2) and BEGINNING.search(err)), (seed, err)
        ended += code == 0
    assert ended >= 5

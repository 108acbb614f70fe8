"""Lines become readings, or a sentence about what is wrong with them."""

import math

import pytest

from lapoleaf.streams.lines import BadLine, LineReader


def readings(lines, **columns):
    reader = LineReader(**columns)
    return [tuple(found) for line in lines if (found := reader.read(line)) is not None]


def test_a_number_a_line():
    found = readings(["1.5", "", "2"])
    assert found == [(1.5, None), (2.0, None)]
    assert math.isnan(readings(["nan"])[0][0])


def test_csv_with_names_finds_time_and_value():
    lines = ["timestamp,value", "2019-01-01 00:15,8.4", "2019-01-01 00:30,"]
    found = readings(lines)
    assert found[0] == (8.4, "2019-01-01 00:15")
    assert math.isnan(found[1][0])


def test_csv_without_names_is_time_and_value():
    assert readings(["900,8.4", "1800,8.5"]) == [(8.4, 900.0), (8.5, 1800.0)]


def test_a_column_by_name_or_number():
    lines = ["timestamp,ph,do,filled", "10,8.4,11.5,0"]
    assert readings(lines, column="do") == [(11.5, 10.0)]
    assert readings(lines, column="2") == [(8.4, 10.0)]


def test_a_repeated_header_is_no_reading():
    assert readings(["time,value", "1,2", "time,value", "2,3"]) == [(2.0, 1.0), (3.0, 2.0)]


def test_json_lines():
    lines = ['{"time": 5, "value": 1.5}', '{"time": "2019-01-01T00:00Z", "value": null}']
    found = readings(lines)
    assert found[0] == (1.5, 5.0)
    assert math.isnan(found[1][0])
    assert readings(['{"t": 5, "do": 1.5}'], column="do", time="t") == [(1.5, 5.0)]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("3", "has 1 fields"),
        ("3,abc", "has 'abc' for a reading"),
        ("3,inf", "has 'inf' for a reading"),
        ("yesterday,1", "has 'yesterday' for a timestamp"),
        ("{broken", "is not JSON"),
        ("[1, 2]", "is no reading"),
        ('{"a": 1, "b": 2}', "has several values"),
        ('{"value": [1]}', r"has \[1\] for a reading"),
        ('{"value": true}', "has True for a reading"),
    ],
)
def test_malformed_lines_say_why(line, message):
    reader = LineReader()
    reader.read("time,value")
    with pytest.raises(BadLine, match=message):
        reader.read(line)


def test_unclear_columns_get_a_sentence():
    with pytest.raises(ValueError, match=r"several columns \(ph, do\): name one with --column"):
        LineReader().read("ph,do")
    with pytest.raises(ValueError, match="there is no column 'x': there are ph, do"):
        LineReader(column="x").read("ph,do")

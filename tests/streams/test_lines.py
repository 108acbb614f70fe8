"""Lines become readings, or a sentence about what is wrong with them."""

import json
import math

import pytest

from lapoleaf.streams.fields import BadLine
from lapoleaf.streams.lines import LineReader


def readings(lines, **columns):
    reader = LineReader(**columns)
    found = [reader.read(line) for line in lines]
    return [(reading.value, reading.time) for reading in found if reading is not None]


def outcomes(lines, **columns):
    """Readings of lines, None where nothing is read, and "bad"."""
    reader = LineReader(**columns)
    found = []
    for line in lines:
        try:
            reading = reader.read(line)
            found.append(None if reading is None else (reading.value, reading.time))
        except BadLine:
            found.append("bad")
    return found


def test_a_number_a_line():
    found = readings(["1.5", "", "2"])
    assert found == [(1.5, None), (2.0, None)]
    assert math.isnan(readings(["nan"])[0][0])


def test_csv_with_names_finds_time_and_value():
    lines = ["timestamp,value", "2019-01-01 00:15,8.4", "2019-01-01 00:30,"]
    found = readings(lines)
    assert found[0] == (8.4, 1546301700.0)
    assert math.isnan(found[1][0])


def test_a_date_is_printed_as_it_stands_and_counts_in_seconds():
    reader = LineReader()
    reader.read("time,value")
    for stamp, seconds in [
        ("1970-01-01T01:00:00+01:00", 0.0),
        ("1970-01-02 00:00:00.5", 86400.5),
        ("900", 900.0),
    ]:
        assert reader.read(f"{stamp},1")[:3] == (1.0, seconds, stamp)


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
    ("first", "line", "message"),
    [
        ("time,value", "3", "has 1 fields instead of 2"),
        ("time,value", "3,4,5", "has 3 fields instead of 2"),
        ("time,value", "3,abc", "has 'abc' for a reading"),
        ("time,value", "3,inf", "has 'inf' for a reading"),
        ("time,value", "3,-1e101", "has '-1e101' for a reading"),
        ("time,value", "3,1_000", "has '1_000' for a reading"),
        ("time,value", "3,\u0663", "for a reading"),
        ("time,value", "3," + "9" * 5000, r"has '9+\.\.\.9+' for a reading"),
        ("time,value", "yesterday,1", "has 'yesterday' for a timestamp"),
        ("time,value", "now,1", "has 'now' for a timestamp"),
        ("time,value", "today,1", "has 'today' for a timestamp"),
        ("time,value", "99999-01-01,1", "has '99999-01-01' for a timestamp"),
        ("time,value", "2019-02-30,1", "has '2019-02-30' for a timestamp"),
        ("time,value", "1e300,1", "has '1e300' for a timestamp"),
        ("time,value", ",1", "has '' for a timestamp"),
        ("time,value", "abc\rdef", "is not CSV"),
        ("time,value", '"a"b,1', "is not CSV"),
        ("time,value", "{broken", "has 1 fields instead of 2"),
        ('{"time": 1, "value": 2}', "{broken", "is not JSON"),
        ('{"time": 1, "value": 2}', "[" * 60000, "is not JSON"),
        ('{"time": 1, "value": 2}', "[1, 2]", "is not a reading"),
        ('{"time": 1, "value": 2}', "7", "is not a reading"),
        ('{"time": 1, "value": 2}', '{"time": 2, "b": 2}', "has no 'value'"),
        ('{"time": 1, "value": 2}', '{"value": 2}', "has no 'time'"),
        ('{"time": 1, "value": 2}', '{"time": 2, "value": [1]}', r"has \[1\.0\] for a reading"),
        ('{"time": 1, "value": 2}', '{"time": 2, "value": true}', "has True for a reading"),
        ('{"time": 1, "value": 2}', '{"time": 2, "value": %s}' % ("9" * 5000), "has inf"),
        ('{"time": 1, "value": 2}', '{"time": true, "value": 1}', "has True for a timestamp"),
    ],
)
def test_malformed_lines_say_why_and_change_nothing(first, line, message):
    reader = LineReader()
    reader.read(first)
    before = reader.state()
    with pytest.raises(BadLine, match=message):
        reader.read(line)
    assert reader.state() == before


def test_json_with_several_values_needs_a_name():
    with pytest.raises(BadLine, match="has several values: name one with --column"):
        LineReader().read('{"a": 1, "b": 2}')


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        # A comma among plain numbers, at any place.
        (["1", "2", "3,14", "4"], [(1, None), (2, None), "bad", (4, None)]),
        (["1", "3,14", "4", "5"], [(1, None), (14, 3), (4, None), (5, None)]),
        (["3,14", "4", "5", "6,1"], [(14, 3), (4, None), (5, None), "bad"]),
        # A first line that was cut.
        ([".5", "900,1", "1800,2", "7"], [(0.5, None), (1, 900), (2, 1800), "bad"]),
        # Names stay what they are, whatever comes next.
        (["time,value", "7", "8", "1,2"], [None, "bad", "bad", (2, 1)]),
        # A word before plain numbers: a comma below one name is that of a decimal.
        (["ready", "1", "2"], [None, (1, None), (2, None)]),
        (["ready", "10,1", "20,2", "3"], [None, (10.1, None), (20.2, None), (3, None)]),
        # A row with more cells than the header is refused, unless a date explains it.
        (["temp", "20.5,3", "20.6"], [None, "bad", (20.6, None)]),
        (["ready", "1970-01-02,5", "1970-01-03,6"], [None, (5, 86400), (6, 172800)]),
        # JSON fixes its names at once.
        (['{"t": 1}', '{"h": 2}', '{"t": 3}'], [(1, None), "bad", (3, None)]),
        # Other separators; no field too many, not even an empty one.
        (["time;value", "1;2", "2;3;", "3,4", "4;5;6"], [None, (2, 1), "bad", "bad", "bad"]),
        (["\ufefftime,value", "1,2", "\ufefftime,value"], [None, (2, 1), None]),
    ],
)
def test_the_first_good_lines_fix_the_format(lines, expected):
    assert outcomes(lines) == expected


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        # With semicolons, tabs and bars, commas are decimal.
        (["time;value", "1;8,4", "2;8,5", "3;8.6"], [None, (8.4, 1), (8.5, 2), "bad"]),
        (["900;8,4", "1800;8,5"], [(8.4, 900), (8.5, 1800)]),
        (["900\t8", "1800\t8,5", "2700\t8.5"], [(8, 900), (8.5, 1800), "bad"]),
        (["31.12.1969 23:45;1,5", "1.1.1970 0:15;2,5"], [(1.5, -900), (2.5, 900)]),
        # With points before, commas are nothing.
        (["time;value", "1;8.4", "2;8,5", "3;8.6"], [None, (8.4, 1), "bad", (8.6, 3)]),
        # Commas in texts do not outvote semicolons.
        (["date;value", "1970-01-01;8,4"], [None, (8.4, 0)]),
    ],
)
def test_decimal_commas_when_the_first_lines_show_them(lines, expected):
    assert outcomes(lines) == expected


def test_decimal_commas_as_asked_for():
    """Without names, 3,14 may be a time and a reading."""
    assert outcomes(["3,14", "3,15"]) == [(14, 3), (15, 3)]
    assert outcomes(["3,14", "3,15"], decimal=",") == [(3.14, None), (3.15, None)]
    assert outcomes(["900;3,14"], decimal=",") == [(3.14, 900)]
    assert outcomes(["900;3.14", "901;4,2"], decimal=".") == [(3.14, 900), "bad"]


DAY = 86400.0


@pytest.mark.parametrize(
    ("stamp", "seconds"),
    [
        ("1970/01/02 00:15", DAY + 900),
        ("1970/1/2", DAY),
        ("19700102", DAY),
        ("2.1.1970 00:15", DAY + 900),
        ("1970-01-02T00:15:00Z", DAY + 900),
        ("1970-01-02 01:15:00 +0100", DAY + 900),
        ("1970-01-02 00:15 UTC", DAY + 900),
        ("1970-01-02 0:15", DAY + 900),
    ],
)
def test_usual_dates(stamp, seconds):
    reader = LineReader()
    assert reader.read("Date;Value") is None
    assert reader.read(f"{stamp};1")[:3] == (1.0, seconds, stamp)


@pytest.mark.parametrize(
    "stamp", ["1970/13/01", "1/2/1970", "32.1.1970", "1970-01-02 CET", "2010/01"]
)
def test_dates_that_can_be_misread_are_refused(stamp):
    reader = LineReader()
    reader.read("date;value")
    with pytest.raises(BadLine, match="for a timestamp"):
        reader.read(f"{stamp};1")


def test_eight_digits_are_dates_only_if_the_next_ones_are_too():
    days = outcomes(["date,value", "19700131,1", "19700201,2", "19700230,3"])
    assert days == [None, (1, 30 * DAY), (2, 31 * DAY), "bad"]
    counter = outcomes(["time,value", "20000101,1", "20001501,2", "20002901,3"])
    assert counter[2:] == [(2, 20001501.0), (3, 20002901.0)]


def test_what_was_looked_for():
    reader = LineReader(column="do")
    assert "CSV with a column of numbers" in reader.looked_for()
    reader.read("timestamp;ph;do")
    assert reader.looked_for() == (
        "a number in column 'do' and a time in column 'timestamp', of 3 cells separated by ';'"
    )


def test_a_format_that_changes_to_and_fro_is_fixed_after_three_readings():
    found = outcomes(["1", "2,3"] * 5)
    assert found[:3] == [(1, None), (3, 2), (1, None)]
    assert found[3:] == ["bad", (1, None)] * 3 + ["bad"]


def test_the_state_of_a_reader_goes_through_json():
    reader, other = LineReader(), LineReader()
    reader.read("time;value")
    reader.read("1;2")
    other.restore(json.loads(json.dumps(reader.state())))
    assert other.state() == reader.state()
    assert other.read("2;5")[:3] == (5.0, 2.0, "2")


def test_unclear_columns_get_a_sentence():
    with pytest.raises(ValueError, match=r"several columns \(ph, do\): name one with --column"):
        LineReader().read("ph,do")
    with pytest.raises(ValueError, match="there is no column 'x'; the columns are ph, do"):
        LineReader(column="x").read("ph,do")

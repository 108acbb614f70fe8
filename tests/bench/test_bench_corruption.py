"""``python -m benchmarks corruption``: faults of a sensor, on small data."""

import csv

import numpy as np
import pytest

from benchmarks.corruption.faults import all_faults
from benchmarks.corruption.lines import clean_stream
from benchmarks.corruption.measuring import LATER, N_BEFORE, WINDOW, Followed, parts_of
from benchmarks.corruption.tables import FIRST, N_STEPS, noisy_sine, parts_of_series
from benchmarks.runner.command import main

AT = 300


@pytest.fixture
def clean():
    return clean_stream(noisy_sine(0)[:1000], AT)


@pytest.mark.parametrize("name", all_faults())
def test_a_fault_changes_lines_from_its_first_step_on(clean, name):
    faulty = all_faults()[name](clean)
    assert faulty.lines != clean.lines
    assert faulty.lines[:AT] == clean.lines[:AT]
    assert faulty.first == AT <= faulty.last < AT + 200
    assert all(text.endswith(b"\n") for _, text in faulty.lines)
    assert clean.lines == clean_stream(clean.truth, AT).lines


def test_all_kinds_of_faults_are_there(clean):
    names = list(all_faults())
    assert sum(name.startswith("spike of") for name in names) == 9
    for kind in ("noise", "stuck", "missing", "clock", "level", "semicolons"):
        assert any(kind in name for name in names)


def test_lines_by_hand(clean):
    faults = all_faults()
    value = f"{clean.truth[AT]:.4f}"
    step = np.std(np.diff(clean.truth))

    def line(name):
        return dict(faults[name](clean).lines).get(AT, b"").decode().strip()

    assert line("30 lines: semicolons") == f"2024-01-04 03:00;{value}"
    assert line("clock set 30 days back") == f"2023-12-05 03:00,{value}"
    assert line("one time in 1970") == f"1970-01-01 00:00,{value}"
    assert float(line("spike of 3 sd").split(",")[1]) == pytest.approx(float(value) + 3 * step)
    assert line("spike of 1e+308").endswith(",1e+308")
    assert line("stuck for 30").endswith(f",{clean.truth[AT - 1]:.4f}")
    assert line("12 lines missing") == ""
    assert line("names repeated").startswith("time,value\n")


def test_a_level_is_another_truth(clean):
    faulty = all_faults()["level up by 100 sd"](clean)
    assert np.array_equal(faulty.truth[:AT], clean.truth[:AT])
    assert (faulty.truth[AT:] - clean.truth[AT:] > 1.0).all()


def test_errors_are_measured_before_during_and_after(clean):
    truth = clean.truth
    forecast = truth.copy()
    forecast[AT : AT + 1 + WINDOW] += 0.5
    forecast[AT + LATER : AT + LATER + N_BEFORE] += 2.0
    forecast[AT + 3] = np.nan
    found = Followed(forecast, forecast - 1.0, forecast + 1.0, truth + 3.0)
    before, during, after = parts_of(clean, found)
    assert (before.error, before.coverage) == (0.0, 1.0)
    assert during.error == pytest.approx(0.5)
    assert after.error == pytest.approx(2.0)
    assert (during.coverage, after.coverage) == (1.0, 0.0)
    assert before.persistence == pytest.approx(3.0)


def test_parts_of_a_series_are_long_enough():
    assert parts_of_series(np.zeros(100), 3) == []
    parts = parts_of_series(np.arange(10_000.0), 3)
    assert [len(part) for part in parts] == [N_STEPS] * 3
    assert parts[0][0] == 0.0
    assert parts[-1][-1] == 9999.0
    assert FIRST + 200 + LATER + N_BEFORE <= N_STEPS


@pytest.mark.slow
def test_a_quick_run_writes_every_table(tmp_path, capsys):
    assert main(["corruption", "--quick", "--output", str(tmp_path)]) == 0
    assert "Faults of a sensor" in capsys.readouterr().out
    for name in ("sine", "made-river"):
        with (tmp_path / f"corruption-faults-{name}.csv").open(encoding="utf-8") as lines:
            rows = list(csv.DictReader(lines))
        after = [row for row in rows if row["part"] == "after"]
        assert len(after) == 7
        for row in after:
            # What a stuck sensor repeats is no outlier: it is learned, and then unlearned.
            most = 1.1 if row["fault"].startswith("stuck") else 1.05
            assert float(row["error"]) < most * float(row["error, no fault"])
            assert float(row["covered"]) > 0.8


def test_bad_places_get_a_sentence(capsys):
    assert main(["corruption", "--places", "0"]) == 2
    assert "--places 0 must be 1 or more." in capsys.readouterr().err

"""Spikes of any size, other levels, fault codes: what is let in, and what it does to forecasts."""

import numpy as np
import pytest
from marks import slow

from lapoleaf.streams import SeriesForecaster
from lapoleaf.streams.outliers import JumpGate, Verdict, usual_largest
from lapoleaf.streams.screening import screened

SPIKE = 520


def noisy_sine(n=920, seed=0):
    rng = np.random.default_rng(seed)
    return np.sin(np.arange(n) / 15) + rng.normal(scale=0.05, size=n)


def forecasts(forecaster, readings):
    told = []
    for reading in readings:
        told.append(forecaster.predict_next())
        forecaster.update(reading)
    return np.array(told)


@pytest.fixture(scope="module")
def learnt():
    """State after 500 readings, and the errors of the others without a spike."""
    series = noisy_sine()
    forecaster = SeriesForecaster().fit(series[:500])
    state = forecaster.get_state()
    return state, np.abs(forecasts(forecaster, series[500:]) - series[500:])


@pytest.fixture(scope="module")
def width_without(learnt):
    """Width of the interval after all readings, none of them a spike."""
    forecaster = SeriesForecaster().set_state(learnt[0])
    forecasts(forecaster, noisy_sine()[500:])
    return np.ptp(forecaster.predict_interval())


@pytest.fixture(scope="module")
def first_errors():
    """Errors from the first reading on, without a spike."""
    series = noisy_sine(420)
    return np.abs(forecasts(SeriesForecaster(window=5).update(0.0), series) - series)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("size", [2.0, 1e6, -1e308, *slow(10.0, -1e2, -1e20, 1e140, 1e308)])
def test_after_a_spike_of_any_size_errors_are_those_without(learnt, size):
    state, errors = learnt
    series = noisy_sine()
    truth = series.copy()
    series[SPIKE] = size
    forecaster = SeriesForecaster().set_state(state)
    found = np.abs(forecasts(forecaster, series[500:]) - truth[500:])
    after = SPIKE - 500 + 1
    # The very next forecast does not use the spike, and nothing was learnt from it.
    assert found[after] < 0.3
    assert found[after : after + 200].mean() < 1.05 * errors[after : after + 200].mean()
    assert found[after + 200 :].mean() < 1.05 * errors[after + 200 :].mean()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("size", [1e2, 1e308, *slow(1e6)])
@pytest.mark.parametrize("place", [5, 150, *slow(60)])
def test_a_spike_among_the_first_readings_does_not_matter(first_errors, size, place):
    series = noisy_sine(420)
    truth = series.copy()
    series[place] = size
    found = np.abs(forecasts(SeriesForecaster(window=5).update(0.0), series) - truth)
    late = slice(place + 200, None)
    assert found[late].mean() < 1.05 * first_errors[late].mean()


def test_a_spike_in_the_series_that_is_fitted_does_not_matter():
    series = noisy_sine(700)
    spiked = series[:500].copy()
    spiked[[100, 300, 499]] = 1e6, -1e308, 1e5
    forecasters = [SeriesForecaster(window=5).fit(past) for past in (series[:500], spiked)]
    assert forecasters[1].n_outliers_ == 2
    plain, found = (np.abs(forecasts(each, series[500:]) - series[500:]) for each in forecasters)
    assert found[0] < 0.3
    assert found.mean() < 1.05 * plain.mean()


def test_intervals_after_a_spike_are_as_wide_as_before(learnt):
    forecaster = SeriesForecaster().set_state(learnt[0])
    low, high = forecaster.predict_interval()
    series = noisy_sine()[500:520]
    for reading in [1e6, *series]:
        forecaster.update(reading)
    after = forecaster.predict_interval()
    assert after[1] - after[0] < 1.5 * (high - low)
    assert forecaster.n_outliers_ == 1


@pytest.mark.sampled(1)
@pytest.mark.parametrize("jump", [3.0, 1e6, *slow(-50.0, 1e12)])
def test_another_level_is_learnt_within_a_window(learnt, jump):
    state, errors = learnt
    series = noisy_sine()[500:]
    series[20:] += jump
    forecaster = SeriesForecaster().set_state(state)
    found = np.abs(forecasts(forecaster, series) - series)
    assert found[20] > 0.9 * abs(jump)
    assert found[22:34].mean() < 0.15
    assert found[34:].mean() < max(1.2 * errors[34:].mean(), 1e-15 * abs(jump))
    assert forecaster.n_outliers_ == 0


@pytest.mark.sampled(1)
@pytest.mark.parametrize("length", [2, 40, *slow(5)])
def test_a_fault_code_comes_and_goes(learnt, length):
    state, errors = learnt
    series = noisy_sine()[500:]
    truth = series.copy()
    series[20 : 20 + length] = -9999.0
    found = np.abs(forecasts(SeriesForecaster().set_state(state), series) - truth)
    after = slice(20 + length + 12, None)
    assert np.isfinite(found).all()
    assert found[after].mean() < 1.1 * errors[after].mean()


def test_a_series_that_becomes_noisier_is_followed(learnt):
    rng = np.random.default_rng(1)
    series = rng.normal(scale=50.0, size=300)
    forecaster = SeriesForecaster().set_state(learnt[0])
    forecasts(forecaster, series[:100])
    held = forecaster.n_outliers_
    forecasts(forecaster, series[100:])
    assert forecaster.n_outliers_ == held < 40


def test_max_jump_is_the_users_limit(learnt):
    forecaster = SeriesForecaster(max_jump=0.5).fit(noisy_sine()[:500])
    forecaster.update(1.5)
    assert forecaster.n_outliers_ == 1
    assert forecaster.predict_next() < 1.2
    free = SeriesForecaster(max_jump=None).fit(noisy_sine()[:500])
    free.update(100.0)
    assert free.n_outliers_ == 0
    assert free.predict_next() > 50.0


@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, np.inf, "often", True])
def test_a_bad_max_jump_gets_a_sentence(value):
    with pytest.raises(ValueError, match=r"max_jump=.* must be 'auto', None, or a number above 0"):
        SeriesForecaster(max_jump=value).update(1.0)


def test_without_a_gate_nothing_is_ever_nan():
    forecaster = SeriesForecaster(window=3, max_jump=None)
    series = noisy_sine(300)
    series[150:] *= 1e140
    series[200] = 1e308
    for reading in series:
        forecaster.update(reading)
        assert np.isfinite(forecaster.predict_next())


def verdicts(gate, readings):
    return [gate.classify(float(reading)) for reading in readings]


def test_a_gate_holds_a_spike_and_believes_a_level():
    gate = JumpGate()
    usual = np.tile([0.0, 1.0], 30)
    assert set(verdicts(gate, usual)) == {Verdict.TRUSTED}
    assert gate.limit == 10.0  # five times twice the median
    held, trusted, new = Verdict.HELD, Verdict.TRUSTED, Verdict.NEW_LEVEL
    assert verdicts(gate, [100.0, 1.0, 100.0, 101.0, 102.0]) == [held, trusted, held, new, trusted]


def test_jumps_that_come_again_and_stay_are_the_series_own():
    gate = JumpGate()
    level = np.repeat(np.tile([0.0, 100.0], 4), 60) + np.tile([0.0, 1.0], 240)
    found = verdicts(gate, level)
    assert found.count(Verdict.HELD) == 2


def test_wild_readings_are_believed_after_three_dozen():
    gate = JumpGate()
    verdicts(gate, np.tile([0.0, 1.0], 30))
    wild = 1e4 * np.arange(2, 60) * (-1.0) ** np.arange(58)
    found = verdicts(gate, wild)
    assert found[:36] == [Verdict.HELD] * 35 + [Verdict.NEW_LEVEL]
    assert set(found[36:]) == {Verdict.TRUSTED}


def test_some_trusted_readings_among_wild_ones_do_not_begin_again():
    gate = JumpGate()
    verdicts(gate, np.tile([0.0, 1.0], 30))
    wild = 1e4 * np.arange(2, 60) * (-1.0) ** np.arange(58)
    wild[[10, 20]] = 0.5
    found = verdicts(gate, wild)
    # Two are trusted, and each counts against one that was held.
    assert found.index(Verdict.NEW_LEVEL) == 35 + 4


def test_readings_that_agree_roughly_are_a_level_when_there_are_four():
    gate = JumpGate()
    verdicts(gate, np.tile([0.0, 1.0], 30))
    held, new = Verdict.HELD, Verdict.NEW_LEVEL
    # Another unit: noise is a thousand times as large, too.
    assert verdicts(gate, [8000.0, 8300.0, 7900.0, 8200.0]) == [held, held, held, new]
    assert gate.n_confirmed == 4


def test_spikes_before_a_level_are_no_part_of_it():
    series = np.sin(np.arange(60.0))
    series[20:23] = 1e6, -1e6, 3e5
    series[23:] += 50.0
    spikes, levels = screened(series, JumpGate())
    assert np.flatnonzero(spikes).tolist() == [20, 21, 22]
    assert levels.tolist() == [23]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("size", [20.0, 1e6])
@pytest.mark.parametrize("length", [5, 60, *slow(12, 30)])
def test_after_a_burst_of_wild_readings_errors_and_intervals_are_those_without(
    learnt, width_without, size, length
):
    state, errors = learnt
    series = noisy_sine()[500:]
    truth = series.copy()
    series[20 : 20 + length] = np.random.default_rng(0).uniform(-size, size, length)
    forecaster = SeriesForecaster().set_state(state)
    found = np.abs(forecasts(forecaster, series) - truth)
    after = slice(20 + length + 200, None)
    assert found[after].mean() < 1.05 * errors[after].mean()
    assert np.ptp(forecaster.predict_interval()) < 1.5 * width_without


@pytest.mark.slow
def test_after_a_burst_a_level_of_another_size_is_learned_in_time(learnt):
    """Windows beyond the scale teach nothing at first, but they do if they stay."""
    forecaster = SeriesForecaster().set_state(learnt[0])
    wave = 1000.0 * noisy_sine(500)
    said = forecasts(forecaster, wave)
    model = forecaster._follower.forecasts
    assert model.n_beyond == 100
    persistence = np.abs(np.diff(wave))[400:].mean()
    assert np.abs(said - wave)[400:].mean() < 1.1 * persistence


def test_the_usual_largest_change_leaves_out_spikes_and_standstill():
    changes = np.concatenate([np.zeros(900), np.linspace(0.01, 1.0, 100), [1e6, 1e6]])
    assert 0.9 < usual_largest(changes) <= 1.1
    assert usual_largest(np.zeros(50)) == 0.0


def test_where_nothing_moves_the_level_is_the_measure():
    gate = JumpGate()
    verdicts(gate, np.full(60, 5.0))
    assert gate.classify(1e6) is Verdict.HELD
    assert gate.classify(6.0) is Verdict.TRUSTED


def test_screening_finds_spikes_beside_missing_readings():
    series = np.tile([0.0, 1.0], 40)
    series[[10, 50]] = np.nan
    series[[11, 30, 31]] = 1e6, 500.0, -800.0
    spikes, levels = screened(series, JumpGate())
    assert np.flatnonzero(spikes).tolist() == [11, 30, 31]
    assert len(levels) == 0


def test_a_ramp_is_followed():
    """A pump stops over a few readings: each goes further, so none is a spike."""
    gate, quiet = JumpGate(), 100.0 + np.tile([0.0, 1.0, 0.0, -1.0], 20)
    verdicts = [gate.classify(reading) for reading in [*quiet, 80.0, 65.0, 50.0, 24.0, 24.1]]
    # Nobody knows yet that there is such a level.
    assert verdicts[-5:] == [Verdict.HELD] * 4 + [Verdict.NEW_LEVEL]
    # Back again, where the series has been before.
    verdicts = [gate.classify(reading) for reading in [*[24.0] * 30, 50.0, 80.0]]
    assert verdicts[-2:] == [Verdict.HELD, Verdict.NEW_LEVEL]
    again = JumpGate()
    again.restore(gate.state())
    assert again.classify(104.0) is gate.classify(104.0)


def test_readings_to_and_fro_are_no_ramp():
    gate, quiet = JumpGate(), 100.0 + np.tile([0.0, 1.0, 0.0, -1.0], 20)
    for reading in quiet:
        gate.classify(reading)
    wild = [170.0, 20.0, 190.0, 10.0, 260.0]
    assert [gate.classify(reading) for reading in wild] == [Verdict.HELD] * len(wild)


def test_a_level_that_does_not_stay_is_no_place_the_series_knows():
    """A fault code comes for some readings: a ramp towards it is still held."""
    gate, quiet = JumpGate(), 100.0 + np.tile([0.0, 1.0, 0.0, -1.0], 20)
    for reading in [*quiet, *[300.0] * 5, *quiet]:
        gate.classify(reading)
    assert (gate.low, gate.high) == (99.0, 101.0)
    assert [gate.classify(reading) for reading in (160.0, 230.0)] == [Verdict.HELD] * 2

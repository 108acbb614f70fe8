"""The benchmark of the studio: what it needs and does not find is left out."""

import pytest

from benchmarks.runner.command import main


def test_without_a_browser_or_photos_their_parts_are_left_out(tmp_path, capsys):
    browser = tmp_path / "chromium"
    asked = ["--chromium", str(browser), "--fashion", str(tmp_path)]
    assert main(["studio", "--quick", "--only", "digits", *asked]) == 0
    told = capsys.readouterr().err
    assert told == f"There is no browser {browser} (--chromium): all but requests is left out.\n"
    browser.touch()
    assert main(["studio", "--quick", "--only", "photos", *asked]) == 0
    told = capsys.readouterr().err
    assert told == f"There is no Fashion-MNIST in {tmp_path} (--fashion): no photos.\n"


@pytest.mark.slow
def test_requests_during_a_fit(capsys):
    assert main(["studio", "--quick", "--only", "requests"]) == 0
    rows = [line.split("|")[1:] for line in capsys.readouterr().out.splitlines()]
    assert ["labels", "all", "100"] in [[cell.strip() for cell in row[:3]] for row in rows]

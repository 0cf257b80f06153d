"""What models cost."""

from __future__ import annotations

import pytest

from stringd.plugin import Fault
from stringd_runs.agent_events import Usage
from stringd_runs.prices import cost_per_token, price_of, read_price
from stringd_runs.run_pages.figures import compact, money
from stringd_runs.runs_settings import RunsSettings


def test_prices_of_settings() -> None:
    prices = RunsSettings(prices=("here/some=model=0.5/2", "x/y=0/0")).read_prices()
    usage = Usage(prompt_tokens=1_000_000, completion_tokens=500_000)
    assert prices["here/some=model"].of(usage) == 1.5
    assert prices["x/y"].of(usage) == 0


@pytest.mark.parametrize(
    "entry", ["x", "x/y", "x/y=1", "x/y=1/2/3", "x/y=a/b", "x/y=-1/1", "x/y=nan/1", "y=1/1"]
)
def test_wrong_prices_are_refused(entry: str) -> None:
    with pytest.raises(Fault, match="PROVIDER/MODEL=INPUT/OUTPUT"):
        RunsSettings(prices=(entry,))


def test_prices_that_others_state() -> None:
    assert read_price("1/2") == price_of({"input": 1, "output": 2, "currency": "USD"})
    for wrong in (None, {}, {"input": 1}, {"input": "1", "output": 2}, {"input": True, "output": 2}):
        assert price_of(wrong) is None
    assert cost_per_token({"prompt": "0.000001", "completion": "0.000002"}) == {"input": 1.0, "output": 2.0}
    for odd in (None, "free", {}, {"prompt": "x", "completion": "1"}, {"prompt": "-1", "completion": "-1"}):
        assert cost_per_token(odd) is None


def test_figures_are_short() -> None:
    shown = [money(it) for it in (0, 0.00001, 0.0046, 0.01, 3, 1234.5)]
    assert shown == ["$0.00", "< $0.0001", "$0.0046", "$0.01", "$3.00", "$1,234.50"]
    assert [compact(it) for it in (7, 9_999, 12_345, 234_567, 12_345_678)] == [
        "7",
        "9,999",
        "12.3k",
        "235k",
        "12.3M",
    ]

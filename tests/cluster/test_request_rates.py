"""The exact limit of requests, and the limit of invalid tokens from an address."""

from __future__ import annotations

import pytest

from stringd_cluster.access.access_refusals import RateLimited
from stringd_cluster.access.failed_attempts import BURST, PER_SECOND, FailedAttempts
from stringd_cluster.access.request_rate import RequestRate


@pytest.mark.requirement("cluster.limits.exact")
@pytest.mark.parametrize("per_second", [0.5, 3.0, 250.0])
def test_a_rate_is_exact_over_any_span(per_second: float) -> None:
    rate = RequestRate(per_second, per_second)
    burst = max(1, int(per_second))
    step = 1 / per_second / 7
    taken = [tick * step for tick in range(7 * (burst + 60)) if rate.take(1000 + tick * step) == 0]
    assert len(taken) == pytest.approx(burst + (burst + 60) - 1, abs=1)
    for first, start in enumerate(taken):
        for count, end in enumerate(taken[first:], 1):
            assert count <= burst + (end - start) * per_second + 1e-6


@pytest.mark.requirement("cluster.limits.retry_after")
def test_a_refusal_says_when_to_come_back() -> None:
    rate = RequestRate(2, 2)
    assert [rate.take(5), rate.take(5)] == [0, 0]
    wait = rate.take(5)
    assert wait == pytest.approx(0.5)
    assert rate.take(5 + wait - 0.01) > 0
    assert rate.take(5 + wait) == 0
    assert RateLimited("", 0.2).headers == {"Retry-After": "1"}
    assert RateLimited("", 1.2).headers == {"Retry-After": "2"}


@pytest.mark.requirement("cluster.tokens.attempts")
def test_attempts_are_limited_per_address_and_forgotten() -> None:
    now = 50.0
    attempts = FailedAttempts(lambda: now)
    for _ in range(int(BURST)):
        attempts.begin("10.0.0.1")
    with pytest.raises(RateLimited) as limited:
        attempts.begin("10.0.0.1")
    assert limited.value.status == 429
    attempts.begin("10.0.0.2").give_back()
    now += 1 / PER_SECOND
    attempts.begin("::ffff:10.0.0.1")
    for number in range(int(BURST)):
        attempts.begin(f"2001:db8::{number:x}")
    with pytest.raises(RateLimited):
        attempts.begin("2001:db8::ffff:1%eth0")
    attempts.begin("2001:db8:0:1::1")
    attempts.begin("no address")
    for number in range(10_000):
        attempts.begin(f"10.{number >> 8}.{number & 255}.7")
    assert len(attempts._rates) <= 4096

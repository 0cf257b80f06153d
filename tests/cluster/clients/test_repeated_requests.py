"""What clients send again by themselves to a daemon with a URL, and what they never do."""

from __future__ import annotations

import json
import threading
import time

import pytest

from stringd.client import DaemonAddress, DaemonUnreachable, RequestRefused
from stringd.errors import HomeMoved, OutcomeUnknown
from tests.client.drivers import Talk
from tests.client.fake import CLOSE, FakeDaemon, Script, http, json_answer, sse
from tests.cluster.clients.conftest import TOKEN, health
from tests.ports import free_port

pytestmark = pytest.mark.long

RUN = ("exec", "file:main", "/x")
UNKNOWN = {"error": "OUTCOME_UNKNOWN", "message": "begun"}


def refusal(status: int, code: str, *headers: str) -> Script:
    body = json.dumps({"error": code, "message": "no"}).encode()
    return [http(body, status, "application/json", *headers)]


def request_ids(fake: FakeDaemon) -> list[str]:
    return [json.loads(it.body)["request_id"] for it in fake.seen if it.path == "/exec"]


@pytest.mark.requirement("cluster.client.token", "cluster.client.no_start")
def test_token_and_user_are_sent_and_nothing_is_registered(
    fake: FakeDaemon, talk: Talk, address: DaemonAddress
) -> None:
    fake.answers.append([sse()])
    (result,) = talk(None, RUN, address=address, user="ann")
    assert result.ok
    sent = fake.last("POST /exec").headers
    assert (sent["authorization"], sent["x-user-id"]) == (f"Bearer {TOKEN}".encode(), b"ann")
    assert [f"{it.method} {it.path}" for it in fake.seen] == ["GET /health", "POST /exec"]


@pytest.mark.requirement("cluster.client.no_start")
def test_home_registers_the_user_once(fake: FakeDaemon, talk: Talk, address: DaemonAddress) -> None:
    fake.answers += [[sse()], [sse()]]
    talk(None, RUN, RUN, address=address, home="/homes/ann")
    assert fake.count("POST /users") == 1
    assert json.loads(fake.last("POST /users").body)["home"] == "/homes/ann"


@pytest.mark.requirement("cluster.client.no_start")
def test_absent_daemon_is_not_started(talk: Talk) -> None:
    url = f"http://127.0.0.1:{free_port()}"
    with pytest.raises(DaemonUnreachable, match=f"No daemon answers at {url}: "):
        talk(None, RUN, address=DaemonAddress.of_url(url))


@pytest.mark.requirement("cluster.client.repeat")
@pytest.mark.parametrize(
    "first",
    [
        pytest.param([CLOSE], id="connection lost"),
        pytest.param([sse()[:-60], CLOSE], id="half an answer"),
        pytest.param(refusal(503, "OUTCOME_UNKNOWN", "Retry-After: 0"), id="outcome unknown"),
        pytest.param([http(b"<p>Bad gateway</p>", 502, "text/html")], id="of a proxy"),
    ],
)
def test_command_is_sent_again_with_its_request_id(
    fake: FakeDaemon, talk: Talk, address: DaemonAddress, first: Script
) -> None:
    fake.answers += [first, first, [sse()]]
    (result,) = talk(None, RUN, address=address)
    assert result.ok
    sent = request_ids(fake)
    assert len(sent) == 3
    assert len(set(sent)) == 1


@pytest.mark.requirement("cluster.client.repeat")
@pytest.mark.parametrize("protocol", [None, "0.1", "0.3"])
def test_command_is_not_sent_again_to_other_protocols(
    fake: FakeDaemon, talk: Talk, address: DaemonAddress, protocol: str | None
) -> None:
    fake.routes["GET /health"] = [health(protocol)]
    fake.answers += [[CLOSE], refusal(503, "OUTCOME_UNKNOWN", "Retry-After: 0")]
    (result,) = talk(None, RUN, address=address)
    assert result.code == "STREAM_INCOMPLETE"
    with pytest.raises(OutcomeUnknown):
        talk(None, RUN, address=address)
    assert fake.count("POST /exec") == 2


@pytest.mark.requirement("cluster.client.repeat")
def test_outcome_that_nobody_knows_is_final(fake: FakeDaemon, talk: Talk, address: DaemonAddress) -> None:
    fake.answers += [[CLOSE], [json_answer(UNKNOWN, 503)]]
    with pytest.raises(OutcomeUnknown, match="begun"):
        talk(None, RUN, address=address)
    assert fake.count("POST /exec") == 2


@pytest.mark.requirement("cluster.client.repeat")
def test_later_refusal_does_not_say_that_the_command_never_ran(
    fake: FakeDaemon, talk: Talk, address: DaemonAddress
) -> None:
    fake.answers += [[CLOSE], refusal(401, "TOKEN_INVALID")]
    (result,) = talk(None, RUN, address=address)
    assert result.code == "STREAM_INCOMPLETE"


@pytest.mark.requirement("cluster.client.refused")
def test_unavailable_home_is_asked_again(fake: FakeDaemon, talk: Talk, address: DaemonAddress) -> None:
    fake.answers += [*[refusal(503, "HOME_UNAVAILABLE", "Retry-After: 0")] * 3, [sse()]]
    (result,) = talk(None, RUN, address=address)
    assert result.ok


@pytest.mark.requirement("cluster.client.refused")
def test_refusal_without_a_time_is_final(fake: FakeDaemon, talk: Talk, address: DaemonAddress) -> None:
    fake.answers.append(refusal(503, "HOME_UNAVAILABLE"))
    with pytest.raises(HomeMoved):
        talk(None, RUN, address=address)


@pytest.mark.requirement("cluster.client.refused")
def test_limit_is_waited_for_once(fake: FakeDaemon, talk: Talk, address: DaemonAddress) -> None:
    limited = refusal(429, "RATE_LIMITED", "Retry-After: 1")
    fake.answers += [limited, [sse()], limited, limited, refusal(429, "RATE_LIMITED", "Retry-After: 60")]
    begun = time.monotonic()
    (result,) = talk(None, RUN, address=address)
    assert result.ok
    assert time.monotonic() - begun >= 1
    for _ in range(2):
        with pytest.raises(RequestRefused) as caught:
            talk(None, RUN, address=address)
        assert caught.value.code == "RATE_LIMITED"
    assert not fake.answers


@pytest.mark.requirement("cluster.client.refused")
def test_what_only_reads_is_sent_again_and_what_changes_is_not(
    fake: FakeDaemon, talk: Talk, address: DaemonAddress
) -> None:
    broken = [CLOSE]
    fake.routes["GET /status"] = broken
    fake.routes["POST /sessions"] = broken

    def heal() -> None:
        fake.routes["GET /status"] = [json_answer({"version": "1"})]

    later = threading.Timer(0.3, heal)
    assert talk(None, later.start, ("status",), address=address) == [{"version": "1"}]
    with pytest.raises(DaemonUnreachable, match="went away without an answer"):
        talk(None, ("open_session", "file:main"), address=address)
    assert fake.count("POST /sessions") == 1


@pytest.mark.requirement("cluster.client.token")
def test_missing_token_says_where_programs_take_it_from(
    fake: FakeDaemon, talk: Talk, address: DaemonAddress
) -> None:
    fake.answers.append(refusal(401, "TOKEN_REQUIRED"))
    with pytest.raises(RequestRefused, match=r"STRINGD_TOKEN, or from the file of --token-file"):
        talk(None, RUN, address=address)

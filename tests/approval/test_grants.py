"""Grants: what they cover, how often, how long, and for whom."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from stringd_approval.asking.grants import MOST_GRANTS, GrantError, Grants, Scope, Terms, parse_terms
from stringd_approval.exec_request import ExecRequest

GIT = ("/usr/bin/git",)
MODEL = ExecRequest(id="1", pipeline=(("git", "log", "-3"),), session="s", privileged=False, cwd="/src")


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def granted(terms: str, model: ExecRequest = MODEL) -> tuple[Grants, Clock]:
    clock = Clock()
    grants = Grants(clock)
    grants.add(parse_terms(terms), model, GIT, by="operator", through="test")
    return grants, clock


@pytest.mark.requirement("approval.asking.grant.terms")
@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("3 times for session: git log", Terms(words=("git", "log"), scope=Scope.SESSION, times=3)),
        (" 1 time for user:git ", Terms(words=("git",), scope=Scope.USER, times=1)),
        ("10 minutes for user: echo 'a b'", Terms(words=("echo", "a b"), scope=Scope.USER, seconds=600.0)),
    ],
)
def test_terms_are_read(text: str, terms: Terms) -> None:
    assert parse_terms(text) == terms


@pytest.mark.requirement("approval.asking.grant.terms")
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "expected e.g."),
        ("forever for user: git", "expected e.g."),
        ("3 times: git", "expected e.g."),
        ("0 times for user: git", "must be from 1 to 1000"),
        ("1441 minutes for user: git", "must be from 1 to 1440"),
        ("3 times for user: git | sh", "not a pipeline"),
        ("3 times for user: git $HOME", "needs to be in"),
        ("3 times for user:", "must name the program"),
        ("3 times for user: git show", "must name the program of the request and its leading arguments"),
        ("3 times for user: git log -3 -p", "must name the program of the request and its leading arguments"),
    ],
)
def test_terms_that_fit_no_request_are_refused(text: str, reason: str) -> None:
    with pytest.raises(GrantError, match=reason):
        granted(text)


@pytest.mark.requirement("approval.asking.grant.never_privileged")
def test_privileged_commands_and_pipelines_are_not_granted() -> None:
    with pytest.raises(GrantError, match="privileged"):
        granted("3 times for user: git", replace(MODEL, privileged=True))
    with pytest.raises(GrantError, match="pipeline"):
        granted("3 times for user: git", replace(MODEL, pipeline=(("git",), ("sh",))))
    grants, _ = granted("3 times for user: git")
    assert grants.use(replace(MODEL, privileged=True), GIT) is None


@pytest.mark.requirement("approval.asking.grant.covers")
def test_grant_covers_only_requests_like_the_model() -> None:
    grants, _ = granted("9 minutes for session: git log")
    assert grants.use(replace(MODEL, id="2", reason="other", pipeline=(("git", "log", "--all"),)), GIT)
    assert grants.use(MODEL, ("/usr/local/bin/git",)) is None
    others: list[dict[str, Any]] = [
        {"pipeline": (("git", "push"),)},
        {"pipeline": (("git",),)},
        {"pipeline": (("git", "log"), ("sh",))},
        {"pipeline": (("/usr/bin/git", "log"),)},
        {"env": {"HOME": "/tmp/evil"}},
        {"cwd": "/"},
        {"forward_agent": True},
        {"session": "t"},
        {"host": "h"},
        {"user_id": "u"},
        {"topic": "file:x"},
    ]
    assert [it for it in others if grants.use(replace(MODEL, **it), GIT)] == []


@pytest.mark.requirement("approval.asking.grant.covers")
def test_grant_for_a_user_covers_all_sessions() -> None:
    grants, _ = granted("9 minutes for user: git", replace(MODEL, user_id="u", topic="file:a"))
    assert grants.use(replace(MODEL, user_id="u", topic="bash:b", session="other"), GIT)
    assert grants.use(MODEL, GIT) is None


@pytest.mark.requirement("approval.asking.grant.ends")
def test_uses_are_counted() -> None:
    grants, _ = granted("2 times for session: git")
    assert [bool(grants.use(MODEL, GIT)) for _ in range(4)] == [True, True, False, False]
    assert grants.listed() == []


@pytest.mark.requirement("approval.asking.grant.ends")
def test_time_ends_a_grant() -> None:
    grants, clock = granted("2 minutes for session: git")
    clock.now += 119.9
    assert grants.use(MODEL, GIT)
    clock.now += 0.1
    assert grants.use(MODEL, GIT) is None


@pytest.mark.requirement("approval.asking.grant.revoked")
def test_grants_are_listed_and_revoked() -> None:
    grants, clock = granted("2 minutes for session: git log", replace(MODEL, host="here"))
    clock.now += 30
    (listed,) = grants.listed()
    assert {**listed, "id": ""} == {
        "id": "",
        "command": "git log",
        "for": "session",
        "session": "s",
        "host": "here",
        "user_id": None,
        "topic": None,
        "times": None,
        "seconds": 90,
        "by": "operator",
        "through": "test",
    }
    assert grants.revoke(listed["id"])
    assert not grants.revoke(listed["id"])
    assert grants.use(MODEL, GIT) is None


@pytest.mark.requirement("approval.asking.grant.ends")
def test_oldest_grant_ends_when_there_are_too_many() -> None:
    grants, _ = granted("2 minutes for session: git log")
    for number in range(MOST_GRANTS):
        model = replace(MODEL, session=str(number))
        grants.add(parse_terms("2 minutes for session: git"), model, GIT, by="operator", through="test")
    assert len(grants.listed()) == MOST_GRANTS
    assert grants.use(MODEL, GIT) is None

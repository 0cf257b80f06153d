"""The page of the policy: rules, their state, explanations, and grants that can be withdrawn."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest

from stringd.testing.process import DaemonProcess
from tests.approval import daemons
from tests.console.live_stream import LiveStream
from tests.console.signing_in import SignedIn
from tests.questions.people import People, until


@pytest.mark.requirement("console.policy.rules")
def test_rules_are_shown_with_their_state(ruled: DaemonProcess, browser: SignedIn) -> None:
    with LiveStream(browser, "policy") as page:
        shown = page.wait("valid", "policy")
        assert "rule 2 (approval.yaml:4)" in shown
        assert "git may run any program" in shown
        path = ruled.data_dir / "approval.yaml"
        original = path.read_text()
        path.write_text("rules:\n  - {verdict: perhaps}\n")
        people = People(ruled)
        sent = people.send("/info", "file:a")
        assert "approval.yaml:2" in page.wait("invalid", "policy")
        question = until(people.listed, "nothing is asked")[0]
        assert browser.act("questions/answer", id=question["id"], answer="no").status == 200
        assert "DENIED" in sent.result(10).content
        path.write_text(original)


@pytest.mark.requirement("console.policy.rules")
def test_the_page_of_users_says_how_many_rules_concern_each(browser: SignedIn) -> None:
    assert "3 rules for all users" in browser.get("/console/users").text


@pytest.mark.requirement("console.policy.explain")
@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("ls+-l", "allow by rule 1"),
        ("mkfs.ext4", "forbid by rule 2"),
        ("id+|+nothing-at-all", "nothing-at-all: not found"),
        ("ls+'", "is not closed"),
        ("ls+|", "each stage needs a program"),
        ("%3Cscript%3E", "needs to be in"),
    ],
)
def test_a_command_is_explained(browser: SignedIn, command: str, said: str) -> None:
    shown = browser.get(f"/console/policy?command={command}&as=you")
    assert shown.status == 200
    assert said in shown.text
    assert "<script>" not in shown.text.partition("<main")[2]


@pytest.mark.requirement("console.policy.grants")
def test_a_grant_is_listed_and_withdrawn(ruled: DaemonProcess, browser: SignedIn) -> None:
    replies: list[dict[str, Any]] = []
    with LiveStream(browser, "policy") as page:
        asking = threading.Thread(
            target=lambda: replies.append(daemons.request(ruled, ["id", "-u"], session="<b>s"))
        )
        asking.start()
        question = until(People(ruled).listed, "nothing is asked")[0]
        grant = "3 times for session: id"
        sent = {"id": question["id"], "answer": "yes", "extra-grant": grant}
        assert browser.act("questions/answer", **sent).status == 200
        asking.join(10)
        shown = page.wait("3 times left", "grants")
        assert "&lt;b&gt;s" in shown
        assert "given by operator through console" in shown
        daemons.request(ruled, ["id", "-g"], session="<b>s")
        page.wait("2 times left", "grants")
        grant_id = next(iter(page.regions["grants"]))
        assert browser.act("policy/withdraw", id=grant_id).status == 200
        assert browser.act("policy/withdraw", id=grant_id).status == 422
        page.wait("Nothing is granted", "no-grants")
    entries = [json.loads(it) for it in (ruled.data_dir / "audit.jsonl").read_text("utf-8").splitlines()]
    (withdrawn,) = (it for it in entries if it["kind"] == "grant-withdrawn")
    assert (withdrawn["grant"], withdrawn["command"], withdrawn["session"]) == (grant_id, "id", "<b>s")
    assert (withdrawn["by"], withdrawn["through"]) == ("operator", "console")

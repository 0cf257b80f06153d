"""Rules that hold at all nodes of a cluster."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import pytest

from stringd.testing.process import DaemonProcess, HttpReply
from tests.approval.daemons import request, write_policy
from tests.cluster.nodes import Cluster, Node
from tests.programs import run_stringd
from tests.questions.people import until

pytestmark = pytest.mark.long

FORBID = """\
rules:
- {verdict: forbid, kind: command, command: exec}
- {verdict: allow, kind: exec, program: "true"}
"""
FORBIDDEN = 4
OF_BOB = """
rules:
- {verdict: allow, kind: exec, program: "false"}
- {verdict: forbid, kind: exec, program: "true"}
"""


def rules_at(node: Node, token: str, method: str, body: str | None = None) -> HttpReply:
    """Show or change the rules through a node."""
    return node.request(method, "/approval/rules", body, {"Authorization": f"Bearer {token}"})


@pytest.mark.requirement("cluster.rules.shared")
def test_rules_that_are_shared_through_one_node_hold_at_all(cluster: Cluster) -> None:
    ann, bob = cluster.node("ann"), cluster.node("bob", start=False)
    write_policy(bob.data_dir, OF_BOB)
    bob.start()
    cluster.home("u").mkdir(parents=True)
    cluster.register("u")
    admin, user = cluster.token("boss", "admin"), cluster.token("u")

    def runs(node: Node) -> bool:
        headers = {"Authorization": f"Bearer {user}", "Content-Type": "application/json"}
        reply = node.request("POST", "/exec", {"topic": "file:main", "cmd": "/exec echo it-runs"}, headers)
        return "it-runs" in reply.text and "DENIED" not in reply.text

    assert runs(bob)
    assert request(bob, ["true"])["status"] == "error"
    published = rules_at(ann, admin, "PUT", FORBID)
    assert published.status == 200, published.text
    began = time.monotonic()
    until(lambda: not runs(ann) and not runs(bob), "the rules do not hold")
    until(lambda: request(bob, ["true"])["status"] == "ok", "the rules do not come first")
    assert time.monotonic() - began < 2
    assert request(bob, ["false"])["status"] == "ok"
    assert rules_at(bob, admin, "GET").json() == {"rules": FORBID, "sha256": published.json()["sha256"]}
    bob.stop()
    bob.start()
    assert not runs(bob)
    assert rules_at(bob, admin, "DELETE").json() == {"withdrawn": True}
    until(lambda: runs(ann) and runs(bob), "the rules hold for ever")


@pytest.mark.requirement("cluster.rules.checked")
def test_rules_that_can_not_be_shared_change_nothing(cluster: Cluster) -> None:
    node = cluster.node("ann")
    admin = cluster.token("boss", "admin")
    assert rules_at(node, admin, "PUT", FORBID).status == 200
    for body, why in (
        ("rules: [{verdict: maybe}]", "line 1"),
        ("rules: []\nexec_seconds: 5", "only rules"),
        ("#" * 70_000, "64 KiB"),
    ):
        refused = rules_at(node, admin, "PUT", body)
        assert (refused.status, why in refused.text) == (400, True), refused.text
    assert rules_at(node, admin, "GET").json()["rules"] == FORBID
    status = node.request("GET", "/status", headers={"Authorization": f"Bearer {admin}"}).json()
    assert status["approval"]["policy"]["cluster_sha256"]
    assert rules_at(node, cluster.token("boss"), "GET").status == 403


@pytest.mark.requirement("cluster.rules.shared")
def test_commands_wait_until_the_rules_are_known(cluster: Cluster) -> None:
    node = cluster.node("ann")
    cluster.home("u").mkdir(parents=True)
    cluster.register("u")
    headers = {"Authorization": f"Bearer {cluster.token('u')}", "Content-Type": "application/json"}
    node.stop()
    node.start()
    reply = node.request("POST", "/exec", {"topic": "file:main", "cmd": "/exec echo it-runs"}, headers)
    assert reply.status == 200, reply.text
    assert "it-runs" in reply.text
    assert "DENIED" not in reply.text


@pytest.mark.requirement("cluster.rules.told")
def test_subcommands_tell_of_the_rules_that_are_shared(cluster: Cluster) -> None:
    node = cluster.node("ann", start=False)
    write_policy(node.data_dir, OF_BOB)
    node.start()

    def policy(*words: str) -> tuple[int, str]:
        options = ("--data-dir", str(node.data_dir), "policy")
        done = run_stringd(*options, *words, folder=node.data_dir.parent)
        return done.returncode, done.stdout + done.stderr

    explain = ("explain", "--no-privilege", "--", "true")
    assert policy(*explain)[0] == FORBIDDEN
    assert rules_at(node, cluster.token("boss", "admin"), "PUT", FORBID).status == 200
    code, explained = policy(*explain)
    assert (code, "(the rules of the cluster:" in explained) == (0, True), explained
    shown = policy("show")[1].splitlines()
    assert ["the rules of the cluster" in it for it in shown[:4]] == [True, True, False, False], shown
    assert "approval.yaml" in shown[3]
    assert "no errors in 2 rules" in policy("check")[1]
    node.engine_cut.drop()
    code, refused = policy("show")
    assert (code, "can't be reached" in refused) == (1, True), refused


@pytest.mark.requirement("cluster.rules.checked")
def test_a_daemon_alone_has_no_rules_to_share(start_daemon: Callable[..., DaemonProcess]) -> None:
    daemon = start_daemon(operator=True)
    headers = {"X-Operator-Token": daemon.operator_token or ""}
    reply = daemon.request("PUT", "/approval/rules", FORBID, headers)
    assert (reply.status, "approval.yaml" in reply.text) == (404, True)
    assert daemon.request("GET", "/approval/rules").status == 403
    assert json.loads(daemon.request("GET", "/status").text)["approval"]["policy"]["cluster_sha256"] is None

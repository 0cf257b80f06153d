"""The log of requests of each node, whose head is in the database: files that lost their end are found."""

from __future__ import annotations

import signal
from contextlib import suppress
from pathlib import Path

import pytest

from tests.approval.daemons import ALLOW_ALL, request, write_policy
from tests.cluster.nodes import Cluster, Node
from tests.programs import run_stringd

pytestmark = pytest.mark.long


def audit(node: Node, *words: str) -> tuple[int, str]:
    """Run `stringd audit` with the data directory of a node; return its exit code and what it prints."""
    options = ("--data-dir", str(node.data_dir))
    done = run_stringd(*options, "audit", *words, folder=node.data_dir.parent)
    return done.returncode, done.stdout + done.stderr


def node_of(cluster: Cluster, name: str) -> Node:
    """Add a node on which every request runs."""
    node = cluster.node(name, start=False)
    write_policy(node.data_dir, ALLOW_ALL)
    node.start()
    return node


def log_of(node: Node) -> Path:
    """Return the file of a node's log."""
    return node.data_dir / "audit.jsonl"


@pytest.mark.requirement("cluster.audit.recorded")
def test_a_log_that_was_cut_off_is_found(cluster: Cluster) -> None:
    node = node_of(cluster, "ann")
    assert request(node, ["true"])["status"] == "ok"
    code, printed = audit(node, "verify")
    assert (code, "ann/approval to 4" in printed) == (0, True), printed
    kept = log_of(node).read_bytes().splitlines(keepends=True)
    log_of(node).write_bytes(b"".join(kept[:3]))
    code, printed = audit(node, "verify")
    assert (code, "end of ann/approval" in printed) == (1, True), printed
    log_of(node).write_bytes(b"".join(kept))
    assert audit(node, "verify")[0] == 0


@pytest.mark.requirement("cluster.audit.recorded")
def test_a_command_can_not_cut_off_the_entry_of_its_own_start(cluster: Cluster) -> None:
    node = node_of(cluster, "ann")
    file = log_of(node)
    script = f"head -n 1 {file} > {file}.new && mv {file}.new {file} && kill -9 {node.process.pid}"
    with suppress(AssertionError, OSError, ValueError):
        request(node, ["sh", "-c", script])
    node.process.wait(20)
    code, printed = audit(node, "verify")
    assert (code, "cut off" in printed) == (1, True), printed


@pytest.mark.requirement("cluster.audit.replaced")
def test_a_log_that_was_replaced_is_found_even_once_the_new_one_is_longer(cluster: Cluster) -> None:
    node = node_of(cluster, "ann")
    request(node, ["true"])
    node.stop()
    log_of(node).unlink()
    node.start()
    for _ in range(3):
        request(node, ["true"])
    code, printed = audit(node, "verify")
    assert (code, "end of ann/approval:" in printed) == (1, True), printed
    code, printed = audit(node, "verify", "--chain", "ann/approval-2")
    assert (code, "ann/approval-2 to 12" in printed) == (0, True), printed
    assert "was cut off, replaced or written anew" in node.stderr()


@pytest.mark.requirement("cluster.audit.recorded")
def test_a_killed_node_goes_on_with_its_chain(cluster: Cluster) -> None:
    node = node_of(cluster, "ann")
    for _ in range(3):
        request(node, ["true"])
        node.process.send_signal(signal.SIGKILL)
        node.process.wait()
        node.start()
    request(node, ["true"])
    code, printed = audit(node, "verify")
    assert (code, "ann/approval to 16" in printed) == (0, True), printed


@pytest.mark.requirement("cluster.audit.chains")
def test_the_chains_of_all_nodes_are_listed_and_verified(cluster: Cluster, tmp_path: Path) -> None:
    ann, bob = node_of(cluster, "ann"), node_of(cluster, "bob")
    request(ann, ["true"])
    request(bob, ["true"])
    request(bob, ["true"])
    code, printed = audit(ann, "chains")
    assert code == 0
    assert [line.split()[:3] for line in printed.splitlines()] == [
        ["ann/approval", "entries:", "4"],
        ["bob/approval", "entries:", "8"],
    ]
    assert "this node" in printed.splitlines()[0]
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(log_of(bob).read_bytes())
    assert audit(ann, "verify", "--chain", "bob/approval", str(copy))[0] == 0
    assert audit(ann, "verify", "--chain", "ann/approval", str(copy))[0] == 1
    code, printed = audit(ann, "verify", "--chain", "eve/approval", str(copy))
    assert (code, "stringd audit chains" in printed) == (1, True)


@pytest.mark.requirement("cluster.audit.closed")
def test_nothing_runs_whose_head_can_not_be_recorded(cluster: Cluster, tmp_path: Path) -> None:
    node = node_of(cluster, "ann")
    request(node, ["true"])
    cluster.sql("ALTER TABLE stringd.heads RENAME TO hidden")
    reply = request(node, ["touch", str(tmp_path / "ran")])
    assert (reply["status"], "recorded" in reply["message"]) == ("error", True), reply
    assert not (tmp_path / "ran").exists()
    assert audit(node, "verify")[0] == 1
    cluster.sql("ALTER TABLE stringd.hidden RENAME TO heads")
    assert request(node, ["touch", str(tmp_path / "ran")])["status"] == "ok"
    assert (tmp_path / "ran").exists()
    assert audit(node, "verify")[0] == 0

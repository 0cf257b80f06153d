"""Calls of one node by another."""

from __future__ import annotations

import pytest

from tests.cluster.hop.conftest import Hoppers


@pytest.mark.requirement("cluster.hop.calls")
@pytest.mark.parametrize(("query", "scope"), [("", "admin"), ("&as=ann", "exec")])
def test_a_node_calls_another(hoppers: Hoppers, query: str, scope: str) -> None:
    status, seen = hoppers["a"].daemon.request("GET", f"/control?call=b{query}").json()
    user_id = "ann" if query else "operator"
    assert (status, seen["method"], seen["size"]) == (200, "POST", 8)
    assert seen["caller"] == ["a", user_id, user_id, scope]
    assert (["x-user-id", "ann"] in seen["headers"]) == bool(query)


@pytest.mark.requirement("cluster.hop.calls")
def test_a_node_that_is_gone_or_can_not_be_reached_is_an_error(hoppers: Hoppers) -> None:
    a = hoppers["a"].daemon
    assert a.request("GET", "/control?call=c").json() == [
        "ConnectionError",
        "c is no member of the cluster any more",
    ]
    hoppers["b"].daemon.kill()
    assert a.request("GET", "/control?call=b").json()[0] == "ConnectionError"

"""A plugin decides what the daemon keeps its state in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.stores.conftest import Elsewhere

STATE = {"users.json", "secrets.json", "sessions.db", "undo.db", "outputs.db", "plugins"}
SECOND = """
from stringd.plugin import hookimpl
from stringd.plugin.stores import local_stores

@hookimpl
def stringd_stores():
    return [local_stores(print)]
"""


@pytest.mark.requirement("stores.kept")
def test_state_is_kept_in_the_stores_of_the_plugin_alone(elsewhere: Elsewhere) -> None:
    daemon = elsewhere.daemon
    daemon.exec("/write a.md\n# A\n\nold", "file:a")
    daemon.exec("/open a.md", "file:a")
    daemon.exec("/put word", "file:a")
    daemon.exec(f"/exec yes {'x' * 50} | head -n 20000", "file:a")
    kept = elsewhere()
    assert kept["users"] == ["default"]
    assert kept["topics"]["file:a"]["document"]["uri"].endswith("/a.md")
    assert kept["data"]["file:a"] == {"elsewhere": '"word"'}
    assert kept["undo"] == {"file:a": 1}
    assert len(kept["outputs"]) == 1
    assert ["put", "WORD"] in kept["secrets"]
    assert kept["storage"]["elsewhere"] == {"put": "word"}
    assert STATE & {it.name for it in daemon.data_dir.iterdir()} == set()
    assert daemon.exec("/undo", "file:a").head["ok"]
    assert not (daemon.home / "a.md").exists()
    assert elsewhere()["undo"] == {}
    daemon.request("DELETE", "/sessions/default/file:a")
    kept = elsewhere()
    assert (kept["topics"], kept["undo"], kept["outputs"]) == ({}, {}, [])


@pytest.mark.requirement("stores.opened")
def test_stores_are_opened_in_order_and_closed_in_reverse(elsewhere: Elsewhere) -> None:
    names = ["People", "Keys", "Topics", "Edits", "Answers", "Boxes"]
    assert elsewhere()["calls"] == [f"open {it}" for it in names]


@pytest.mark.requirement("stores.one")
def test_only_one_plugin_has_stores(start_daemon: Callable[..., DaemonProcess], tmp_path: Path) -> None:
    folder = tmp_path / "plugins"
    folder.mkdir()
    (folder / "a_first.py").write_text(SECOND, encoding="utf-8")
    (folder / "b_second.py").write_text(SECOND, encoding="utf-8")
    daemon = start_daemon("--plugins-dir", str(folder))
    notices = daemon.request("GET", "/status").json()["notices"]
    (notice,) = [it for it in notices if "stores" in it]
    assert "set of stores of b_second" in notice
    assert "is already added by a_first" in notice


@pytest.mark.requirement("stores.one")
@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("users=None", "stores need users with"),
        ("sessions=object()", "stores need sessions with close, load_data, of_user"),
        ("requests=object()", "stores need requests with abandon, begin, finish()"),
    ],
)
def test_incomplete_stores_are_refused(
    start_daemon: Callable[..., DaemonProcess], tmp_path: Path, change: str, said: str
) -> None:
    folder = tmp_path / "plugins"
    folder.mkdir()
    source = SECOND.replace("local_stores(print)]", f"replace(local_stores(print), {change})]")
    (folder / "poor.py").write_text(f"from dataclasses import replace\n{source}", encoding="utf-8")
    daemon = start_daemon("--plugins-dir", str(folder))
    assert any(said in it for it in daemon.request("GET", "/status").json()["notices"])
    assert daemon.register("default").status in {200, 201}
    assert "users.json" in {it.name for it in daemon.data_dir.iterdir()}


@pytest.mark.requirement("stores.on_demand")
def test_homes_on_demand_have_no_topics_before_they_are_restored(on_demand: Elsewhere) -> None:
    assert on_demand.send("/info").result(10) == 503
    assert on_demand()["topics"] == {}
    on_demand.restore()
    assert on_demand.daemon.exec("/info", "file:a").head["ok"]

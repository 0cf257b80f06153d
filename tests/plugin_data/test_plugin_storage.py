"""The persistent storage of plugins."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import sqlite3
import stat
import threading
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.protocol.waits import eventually


def said(daemon: DaemonProcess, cmd: str, topic: str = "file:a") -> str:
    return daemon.exec(cmd, topic).content.partition("\n")[2]


def entries(daemon: DaemonProcess, prefix: str = "") -> dict[str, object]:
    found: dict[str, object] = json.loads(said(daemon, f"/entries {prefix}"))
    return found


@pytest.mark.requirement("data.storage")
def test_values_are_set_read_removed_and_listed_by_prefix(vault: DaemonProcess) -> None:
    for key, value in {"b/2": [1], "a": {"x": None}, "b/1": "ü", "b": 0, "c": 1.5}.items():
        assert said(vault, f"/put {key} {json.dumps(value)}") == "Put"
    assert said(vault, "/fetch a") == '{"x": null}'
    assert said(vault, "/fetch d") == '"nothing"'
    assert list(entries(vault, "b/")) == ["b/1", "b/2"]
    assert (said(vault, "/erase b/1"), said(vault, "/erase b/1")) == ("true", "false")
    assert entries(vault, "b") == {"b": 0, "b/2": [1]}


@pytest.mark.requirement("data.storage.durable")
@pytest.mark.parametrize("killed", [False, True])
def test_storage_survives_a_restart(vault: DaemonProcess, killed: bool) -> None:
    assert eventually(lambda: said(vault, "/fetch starts") == "1")
    said(vault, "/put x 5")
    if killed:
        vault.kill()
    vault.restart()
    assert said(vault, "/fetch x") == "5"
    assert eventually(lambda: said(vault, "/fetch starts") == "2")


@pytest.mark.requirement("data.storage.private")
def test_folder_is_private_to_the_plugin(vault: DaemonProcess) -> None:
    said(vault, "/put x 5")
    folder = Path(said(vault, "/folder"))
    assert folder == vault.data_dir / "plugins" / "vault"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "store.db").stat().st_mode) == 0o600
    os.link(folder / "note.txt", vault.home / "hard.txt")
    (vault.home / "soft.txt").symlink_to(folder / "note.txt")
    for path in (folder / "note.txt", "hard.txt", "soft.txt", folder, folder / "store.db"):
        assert vault.exec(f"/open {path}", "file:a").head["code"] == "FILE_NOT_ALLOWED"
    assert vault.exec("/write hard.txt\nx", "file:a").head["code"] == "FILE_NOT_ALLOWED"
    folder.chmod(0o755)
    vault.restart()
    assert vault.exec("/open hard.txt", "file:a").head["code"] == "FILE_NOT_ALLOWED"
    said(vault, "/fetch x")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.requirement("data.storage.transaction")
def test_a_transaction_is_stored_as_a_whole_or_not_at_all(vault: DaemonProcess) -> None:
    said(vault, "/put a 10")
    assert vault.exec("/transfer fail", "file:a").head["code"] == "INTERNAL_ERROR"
    assert (entries(vault, "a"), entries(vault, "b")) == ({"a": 10}, {})
    with ThreadPoolExecutor(8) as pool:
        topics = [f"file:t{number}" for number in range(8)]
        assert set(pool.map(lambda topic: said(vault, "/transfer", topic), topics)) == {"Moved"}
    assert (said(vault, "/fetch a"), said(vault, "/fetch b")) == ("2", "8")
    assert said(vault, "/increase 200") == "200"


@pytest.mark.requirement("data.storage.transaction", "data.storage.durable")
def test_kill_9_leaves_no_half_of_a_transaction(vault: DaemonProcess) -> None:
    said(vault, "/put a 1000")

    def transfer_until_it_dies() -> None:
        with contextlib.suppress(OSError, HTTPException, AssertionError):
            while True:
                vault.exec("/transfer", "file:b")

    client = threading.Thread(target=transfer_until_it_dies)
    client.start()
    assert eventually(lambda: said(vault, "/fetch b") in map(str, range(5, 900)))
    vault.kill()
    client.join(10)
    vault.restart()
    found = entries(vault)
    assert found["a"] == 1000 - int(str(found["b"]))


@pytest.mark.requirement("data.storage.misuse")
@pytest.mark.parametrize(
    ("kind", "code", "logged"),
    [
        ("nested", "INTERNAL_ERROR", "a transaction is open: use its entries instead of the storage"),
        ("over", "INTERNAL_ERROR", "the transaction is over"),
        ("json", "INTERNAL_ERROR", "the value of 'x' is no JSON value: {1, 2}"),
        ("key", "INTERNAL_ERROR", "a key is a text that is not empty"),
        ("long", "INTERNAL_ERROR", "a key has at most 1024 bytes"),
        ("large", "STORAGE_FAILED", ""),
        ("stranger", "INTERNAL_ERROR", "storage is named after a loaded plugin, and 'valt' is none"),
    ],
)
def test_misuse_is_reported(vault: DaemonProcess, kind: str, code: str, logged: str) -> None:
    reply = vault.exec(f"/misuse {kind}", "file:a")
    assert reply.head["code"] == code
    assert logged in vault.stderr()
    assert said(vault, "/fetch x") == '"nothing"'
    assert said(vault, "/put x 1") == "Put"


@pytest.mark.requirement("data.storage.disk")
def test_full_disk_is_reported_and_changes_nothing(vault: DaemonProcess) -> None:
    said(vault, "/put x 1")
    resource.prlimit(vault.process.pid, resource.RLIMIT_FSIZE, (20_000, resource.RLIM_INFINITY))
    reply = vault.exec(f'/put x "{"x" * 200_000}"', "file:a")
    assert reply.head["code"] == "STORAGE_FAILED"
    assert said(vault, "/fetch x") == "1"
    resource.prlimit(vault.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
    assert said(vault, "/put x 2") == "Put"


@pytest.mark.requirement("data.storage.broken")
def test_broken_store_is_set_aside_and_reported(vault: DaemonProcess) -> None:
    said(vault, "/put x 1")
    vault.stop()
    store = vault.data_dir / "plugins" / "vault" / "store.db"
    store.write_bytes(b"nonsense" * 1000)
    vault.start()
    assert said(vault, "/fetch x") == '"nothing"'
    assert said(vault, "/put x 2") == "Put"
    (aside,) = store.parent.glob("store.db.broken-*")
    assert aside.read_bytes().startswith(b"nonsense")
    notices = vault.request("GET", "/status").json()["notices"]
    assert any("plugin vault starts with an empty store" in it for it in notices)


@pytest.mark.requirement("data.storage.broken")
def test_damaged_value_is_reported(vault: DaemonProcess) -> None:
    said(vault, "/put x 1")
    said(vault, "/put y 2")
    with contextlib.closing(sqlite3.connect(vault.data_dir / "plugins/vault/store.db")) as store, store:
        store.execute("UPDATE entries SET value = '{' WHERE key = 'x'")
    assert vault.exec("/fetch x", "file:a").head["code"] == "STORAGE_FAILED"
    assert said(vault, "/fetch y") == "2"
    assert said(vault, "/put x 3") == "Put"

"""Databases in a running daemon."""

from __future__ import annotations

import sqlite3
import threading
import time

import pytest

from stringd.testing.process import DaemonProcess

TOPIC = "sqlite:shop"


@pytest.fixture
def shop(daemon: DaemonProcess) -> DaemonProcess:
    for sql in (
        "CREATE TABLE fruit (name TEXT NOT NULL, price REAL)",
        "INSERT INTO fruit VALUES ('fig', 0.5), ('plum', NULL)",
        "CREATE VIEW cheap AS SELECT name FROM fruit WHERE price < 1",
    ):
        assert daemon.exec(sql, TOPIC).head["ok"]
    return daemon


def said(daemon: DaemonProcess, text: str, topic: str = TOPIC) -> str:
    return daemon.exec(text, topic).content.partition("\n")[2]


def test_sql_results_are_tables(shop: DaemonProcess) -> None:
    assert said(shop, "SELECT * FROM fruit ORDER BY name DESC;") == (
        "| name | price |\n|---|---|\n| plum | NULL |\n| fig | 0.5 |"
    )
    assert said(shop, "UPDATE fruit SET price = 2 WHERE name = 'plum'") == "OK, 1 row changed"
    assert said(shop, "SELECT name\nFROM fruit\nWHERE price > 1") == "| name |\n|---|\n| plum |"


@pytest.mark.parametrize("slashes", ["/", "//"])
def test_list_tables_and_schema(shop: DaemonProcess, slashes: str) -> None:
    assert said(shop, f"{slashes}tables") == (
        "Tables\n---\n| name | type | rows |\n|---|---|---|\n| cheap | view | 1 |\n| fruit | table | 2 |"
    )
    made = "CREATE TABLE fruit (name TEXT NOT NULL, price REAL);"
    assert said(shop, f"{slashes}schema fruit") == f"Schema: fruit\n---\n```sql\n{made}\n```"
    assert f"{made}\nCREATE VIEW cheap" in said(shop, f"{slashes}schema")
    assert shop.exec(f"{slashes}schema nuts", TOPIC).head["code"] == "NOT_FOUND"


def test_broken_view_is_listed(shop: DaemonProcess) -> None:
    assert said(shop, "DROP TABLE fruit") == "OK"
    assert said(shop, "//tables").endswith("| cheap | view | no such table: main.fruit |")


@pytest.mark.parametrize("text", ["/help", "/open page.md", "/TABLE"])
def test_unknown_command_is_not_run_as_sql(shop: DaemonProcess, text: str) -> None:
    assert shop.exec(text, TOPIC).head["code"] == "COMMAND_UNSUPPORTED"
    assert "//help" in said(shop, text)


def test_leading_comment_is_accepted(shop: DaemonProcess) -> None:
    assert said(shop, "/* one */ SELECT 1 AS x") == "| x |\n|---|\n| 1 |"


@pytest.mark.parametrize(
    ("sql", "shown"),
    [
        ("SELECT 'a|b' AS x", "a\\|b"),
        ("SELECT 'a\nb' AS x", "a<br>b"),
        ("SELECT x'00ff' AS x", "x'00ff'"),
        ("SELECT '' AS x", ""),
        ("SELECT 9223372036854775807 AS x", "9223372036854775807"),
    ],
)
def test_cell_content_cannot_break_the_table(shop: DaemonProcess, sql: str, shown: str) -> None:
    assert said(shop, sql) == f"| x |\n|---|\n| {shown} |"


@pytest.mark.parametrize(
    "sql",
    [
        "SELEC 1",
        "SELECT * FROM nuts",
        "SELECT 1; SELECT 2",
        "/etc/passwd",
        "INSERT INTO fruit VALUES (NULL, 1)",
        "ATTACH DATABASE '/etc/passwd' AS other",
        "SELECT load_extension('x')",
    ],
)
def test_sqlite_errors_are_reported(shop: DaemonProcess, sql: str) -> None:
    reply = shop.exec(sql, TOPIC)
    assert reply.head["code"] == "SQL_ERROR"
    assert "rows" not in said(shop, "SELECT count(*) FROM fruit")


def test_transaction_spans_commands(shop: DaemonProcess) -> None:
    said(shop, "BEGIN")
    said(shop, "DELETE FROM fruit")
    assert "transaction: open" in said(shop, "//info")
    said(shop, "ROLLBACK")
    assert "| 2 |" in said(shop, "SELECT count(*) FROM fruit")


def test_closing_the_topic_closes_the_connection(shop: DaemonProcess) -> None:
    said(shop, "BEGIN")
    said(shop, "DELETE FROM fruit")
    assert said(shop, "//close") == f"Closed: {TOPIC}"
    file = shop.home / "databases" / "shop.db"
    with sqlite3.connect(file, timeout=1) as other:
        assert other.execute("SELECT count(*) FROM fruit").fetchone() == (2,)
        other.execute("DELETE FROM fruit")
    other.close()
    assert "| 0 |" in said(shop, "SELECT count(*) FROM fruit")


def test_database_survives_restart(shop: DaemonProcess) -> None:
    shop.restart()
    assert "| 2 |" in said(shop, "SELECT count(*) FROM fruit")


def test_each_topic_has_its_own_database(shop: DaemonProcess) -> None:
    assert said(shop, "//tables", "sqlite:other") == "Tables\n---\n(none)"
    shop.register("ada")
    assert shop.exec("SELECT * FROM fruit", TOPIC, user="ada").head["code"] == "SQL_ERROR"


@pytest.mark.parametrize("killed", [False, True])
def test_the_chosen_database_is_kept_with_the_topic(shop: DaemonProcess, killed: bool) -> None:
    assert said(shop, "/use stock") == "Using databases/stock.db"
    assert said(shop, "CREATE TABLE nuts (name TEXT)") == "OK"
    if killed:
        shop.kill()
    shop.restart()
    assert "database: databases/stock.db" in said(shop, "//info")
    assert "| nuts | table | 0 |" in said(shop, "//tables")
    assert said(shop, "//close") == f"Closed: {TOPIC}"
    assert "| fruit | table | 2 |" in said(shop, "//tables")


def test_a_database_that_cannot_be_used_changes_nothing(shop: DaemonProcess) -> None:
    (shop.home / "databases" / "torn.db").write_bytes(b"no database" * 100)
    said(shop, "BEGIN")
    said(shop, "DELETE FROM fruit")
    for name, code in (("torn", "SQL_ERROR"), ("../shop", "INVALID_PAYLOAD"), ("", "INVALID_PAYLOAD")):
        assert shop.exec(f"//use {name}", TOPIC).head["code"] == code
    assert "transaction: open" in said(shop, "//info")
    assert said(shop, "//use shop") == "Using databases/shop.db"
    assert "| 2 |" in said(shop, "SELECT count(*) FROM fruit")


def test_long_results_are_truncated(shop: DaemonProcess) -> None:
    numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
    answer = said(shop, numbers)
    assert answer.count("\n| ") == 1000
    assert answer.endswith("[only the first 1000 rows: use LIMIT and OFFSET]")


def test_endless_statement_does_not_block_others(shop: DaemonProcess) -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    thread = threading.Thread(
        target=lambda: shop.request(
            "POST", "/exec", {"cmd": endless, "topic": "sqlite:endless"}, {"X-User-Id": "default"}
        )
    )
    thread.start()
    deadline = time.monotonic() + 10
    while not any(it["executing"] for it in shop.request("GET", "/sessions").json()["sessions"]):
        assert time.monotonic() < deadline
    assert "| 2 |" in said(shop, "SELECT count(*) FROM fruit")
    closed = shop.request("DELETE", "/sessions/default/sqlite:endless")
    thread.join(15)
    assert (closed.json()["deleted"], thread.is_alive()) == (True, False)

"""`stringd token` by real programs, with a real database and no node."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from stringd_cluster.access.tokens import digest_of, is_token, parse_expiry
from tests.cluster.access_tables import make_tables
from tests.cluster.engine import Engine
from tests.programs import run_stringd

pytestmark = pytest.mark.long

Stringd = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def stringd(database: str, tmp_path: Path) -> Stringd:
    """Run `stringd` for the tables of a cluster."""
    asyncio.run(make_tables(database))

    def run(*words: str, url: str = database, **env: str) -> subprocess.CompletedProcess[str]:
        return run_stringd(*words, folder=tmp_path, env={"STRINGD_CLUSTER_URL": url, **env})

    return run


@pytest.mark.requirement("cluster.token.create")
def test_a_token_is_printed_once_and_alone(stringd: Stringd, database: str, postgres: Engine) -> None:
    made = stringd("token", "create", "--user", "ann", "--expires", "30d", "--note", "laptop")
    assert made.returncode == 0, made.stderr
    token = made.stdout.removesuffix("\n")
    assert is_token(token)
    found = re.match(r"(t-[0-9a-f]{8}), a token of user ann for exec, read; expires 20\d\d-", made.stderr)
    assert found, made.stderr
    assert "no user ann yet" in made.stderr
    name = database.partition("@/")[2].partition("?")[0]
    stored = postgres.sql("SELECT encode(digest, 'hex'), id, note FROM stringd.tokens", database=name)
    assert stored == f"{digest_of(token).hex()}\t{found[1]}\tlaptop"
    dump = postgres.sql("SELECT * FROM stringd.tokens", database=name)
    listed = stringd("token", "list").stdout + stringd("token", "list", "--json").stdout
    assert found[1] in listed
    for piece in (token, token[-4:], token[5:9]):
        assert piece not in dump
        assert piece not in listed


@pytest.mark.requirement("cluster.token.list")
def test_tokens_are_listed_and_revoked(stringd: Stringd) -> None:
    ids = []
    for user, scope in (("ann", "read"), ("ann", "exec"), ("bob", "admin"), ("bob", "exec,read")):
        made = stringd("token", "create", "--user", user, "--scope", scope)
        ids.append(made.stderr.split(",")[0])
    lines = stringd("token", "list").stdout.splitlines()
    assert [line.split()[:3] for line in lines if "bob" not in line] == [
        [ids[0], "ann", "read"],
        [ids[1], "ann", "exec"],
    ]
    assert all(line.endswith("never expires") for line in lines)
    assert stringd("token", "revoke", ids[0]).stdout == f"revoked {ids[0]}\n"
    again = stringd("token", "revoke", ids[0])
    assert (again.returncode, again.stdout) == (1, "")
    assert f"no valid token with the id {ids[0]}" in again.stderr
    assert set(stringd("token", "revoke", "--user", "bob").stdout.split()) == {"revoked", ids[2], ids[3]}
    listed = json.loads(stringd("token", "list", "--json").stdout)
    assert [(it["id"], it["scopes"], it["revoked"]) for it in listed] == [(ids[1], ["exec"], None)]
    everything = stringd("token", "list", "--all", "--user", "bob").stdout.splitlines()
    assert len(everything) == 2
    assert all("revoked 20" in line for line in everything)
    assert stringd("token", "list", "--user", "nobody").stdout == "no tokens\n"


@pytest.mark.requirement("cluster.token.misuse")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("create",), "--user"),
        (("create", "--user", "a", "--expires", "yesterday"), "expected a time such as"),
        (("create", "--user", "a", "--expires", "2020-01-01"), "in the past"),
        (("create", "--user", "a", "--expires", "0d"), "expected a time"),
        (("create", "--user", "a", "--expires", "9999-12-31"), "expected a time"),
        (("create", "--user", "a", "--expires", "2026-13-01"), "expected a time"),
        (("create", "--user", "a", "--scope", "root"), "scopes are read, exec, admin"),
        (("create", "--user", "a", "--scope", ","), "scopes are"),
        (("create", "--user", "a", "--note", "a\nb"), "--note is one line"),
        (("revoke",), "give the ID"),
        (("revoke", "t-00000000", "--user", "a"), "give the ID"),
        ((), "action"),
    ],
)
def test_misuse_says_what_is_expected(stringd: Stringd, words: tuple[str, ...], message: str) -> None:
    done = stringd("token", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.requirement("cluster.url.found")
def test_the_url_is_an_option_a_variable_or_a_setting(
    stringd: Stringd, database: str, tmp_path: Path
) -> None:
    option = stringd("--cluster", database, "token", "list", url="")
    assert (option.stdout, option.stderr) == ("no tokens\n", "")
    folder = tmp_path / ".stringd"
    folder.mkdir(exist_ok=True)
    (folder / "config.toml").write_text(f'[cluster]\nurl = "{database}"\n', encoding="utf-8")
    assert stringd("token", "list", url="").stdout == "no tokens\n"
    (folder / "config.toml").unlink()
    without = stringd("token", "list", url="")
    assert without.returncode == 2
    assert "stringd --cluster postgresql://… token list" in without.stderr


@pytest.mark.requirement("cluster.url.errors")
def test_errors_of_the_database_say_what_to_do_and_no_password(stringd: Stringd, database: str) -> None:
    socket = database.partition("host=")[2]
    hidden = "hunter2"
    for url, code, message in (
        (f"mysql://u:{hidden}@db/x", 2, "not the URL of a PostgreSQL database"),
        (f"postgresql://u:{hidden}/x@db/y", 2, "not the URL of a PostgreSQL database"),
        (f"postgresql://u:{hidden}@db:{hidden}/y", 2, "not the URL of a PostgreSQL database"),
        (f"postgresql://u@/y?host=127.0.0.1&port=1&password={hidden}", 1, "can't be reached"),
        (f"postgresql://u:{hidden}@127.0.0.1:1/y", 1, "postgresql://u@127.0.0.1:1/y can't be reached"),
        (f"postgresql://postgres:{hidden}@/none?host={socket}", 1, "no database at"),
        (f"postgresql://stranger:{hidden}@/postgres?host={socket}", 1, "refuses the login"),
        (f"postgresql://postgres:{hidden}@/postgres?host={socket}", 1, "has no cluster of stringd"),
    ):
        done = stringd("token", "list", url=url)
        assert (done.returncode, done.stdout) == (code, ""), url
        assert message in done.stderr
        assert hidden not in done.stderr
        assert len(done.stderr.splitlines()) == 1


@pytest.mark.requirement("cluster.url.errors")
def test_tables_of_a_later_version_are_left_alone(stringd: Stringd, database: str, postgres: Engine) -> None:
    name = database.partition("@/")[2].partition("?")[0]
    postgres.sql("UPDATE stringd.schema_version SET version = 1000", database=name)
    done = stringd("token", "create", "--user", "ann")
    assert (done.returncode, done.stdout) == (1, "")
    assert "upgrade stringd on this machine" in done.stderr


def test_dates_include_their_day() -> None:
    assert str(parse_expiry("2026-12-31")) == "2027-01-01 00:00:00+00:00"
    assert str(parse_expiry("2026-12-31T18:00+02:00")) == "2026-12-31 16:00:00+00:00"
    assert str(parse_expiry("2026-12-31T18:00Z")) == "2026-12-31 18:00:00+00:00"
    assert str(parse_expiry("2w")) == "14 days, 0:00:00"
    assert parse_expiry("never") is None

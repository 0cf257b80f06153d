"""`stringd cluster` by real programs: what it makes, refuses, shows and orders, with a real database."""

from __future__ import annotations

import fcntl
import json
import os
import shlex
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from stringd_cluster.access.tokens import digest_of, is_token
from stringd_cluster.hop.node_identity import NodeIdentity
from tests.cli.terminal import Terminal
from tests.cluster.engine import Engine
from tests.programs import run_stringd
from tests.protocol.waits import eventually

pytestmark = pytest.mark.long

Sql = Callable[..., str]
PROGRAM = str(Path(sys.executable).with_name("stringd"))


class Machine:
    """A folder in which programs run, as on a machine of its own."""

    def __init__(self, folder: Path, url: str) -> None:
        folder.mkdir()
        self.folder = folder
        self.url = url

    def run(self, *words: str, url: str | None = None, **env: str) -> subprocess.CompletedProcess[str]:
        """Run `stringd` for the cluster."""
        return run_stringd(*words, folder=self.folder, env={"STRINGD_CLUSTER_URL": url or self.url, **env})

    def init(self, *words: str) -> dict[str, str]:
        """Make a cluster without starting the node."""
        done = self.run("cluster", "init", self.url, "--no-start", "--json", *words)
        assert done.returncode == 0, done.stderr
        made: dict[str, str] = json.loads(done.stdout)
        return made

    def join(self, name: str, secret: str) -> subprocess.CompletedProcess[str]:
        """Join the cluster without starting the node."""
        words = ("cluster", "join", self.url, "--no-start", "--node", name)
        return self.run(*words, STRINGD_JOIN_SECRET=secret)

    def identity(self) -> NodeIdentity | None:
        """What it keeps of the cluster."""
        return NodeIdentity.load(self.folder / ".stringd")


@pytest.fixture
def first(tmp_path: Path, database: str) -> Machine:
    return Machine(tmp_path / "first", database)


@pytest.fixture
def second(tmp_path: Path, database: str) -> Machine:
    return Machine(tmp_path / "second", database)


@pytest.fixture
def sql(database: str, postgres: Engine) -> Sql:
    name = database.partition("@/")[2].partition("?")[0]
    return lambda *statements: postgres.sql(
        *(f"SET search_path TO stringd; {it}" for it in statements), database=name
    )


def _node(name: str, seconds: float = 60, labels: str = "{}") -> str:
    """Return the statement that adds a node."""
    return (
        "INSERT INTO nodes (id, name, address, labels, version, started, expires) VALUES "
        f"('{name}-1', '{name}', '10.0.0.1:1', '{labels}', '1.0', now(), now() + interval '{seconds} s')"
    )


def _user(name: str, owner: str | None = None, label: str | None = None) -> str:
    """Return the statement that adds a user with a home."""
    texts = [f"'{it}'" if it else "NULL" for it in (owner, label)]
    return (
        f"INSERT INTO users VALUES ('{name}', '/', '{{}}', ''); "
        f"INSERT INTO homes (id, owner, label) VALUES ('{name}', {', '.join(texts)})"
    )


@pytest.mark.requirement("cluster.init.makes")
def test_init_makes_a_cluster_and_shows_its_secrets_once(first: Machine, sql: Sql) -> None:
    done = first.run("cluster", "init", first.url, "--no-start", "--node", "one", "--user", "ann")
    assert done.returncode == 0, done.stderr
    lines = dict(line.split(": ", 1) for line in done.stdout.splitlines() if ": " in line)
    secret, token = lines["Join secret, for other nodes"], lines["Token of user ann with the scope admin"]
    assert is_token(token)
    stored = sql("SELECT encode(digest, 'hex'), user_id, scopes FROM tokens")
    assert stored == f"{digest_of(token).hex()}\tann\t{{admin,exec,read}}"
    identity = first.identity()
    assert identity is not None
    assert (identity.name, identity.url) == ("one", first.url)
    folder = first.folder / ".stringd" / "cluster"
    assert {stat.S_IMODE(it.stat().st_mode) for it in folder.iterdir()} == {0o600}
    everything = b"".join(it.read_bytes() for it in folder.iterdir()) + sql("SELECT * FROM cluster").encode()
    assert secret.encode() not in everything
    assert token.encode() not in everything
    assert sql("SELECT home_policy, id FROM cluster") == f"local\t{identity.cluster_id}"
    # From now on, this data directory knows the cluster.
    listed = run_stringd("token", "list", folder=first.folder)
    assert "the first token" in listed.stdout


@pytest.mark.requirement("cluster.init.refuses")
def test_init_refuses_a_second_cluster_and_leaves_the_first(
    first: Machine, second: Machine, sql: Sql
) -> None:
    first.init()
    before = sql("SELECT * FROM cluster", "SELECT * FROM tokens")
    done = second.run("cluster", "init", second.url, "--no-start")
    assert (done.returncode, done.stdout) == (1, "")
    assert "has a cluster already" in done.stderr
    assert "stringd cluster join" in done.stderr
    assert second.identity() is None
    again = first.run("cluster", "init", first.url, "--no-start")
    assert "belongs to the node" in again.stderr
    assert sql("SELECT * FROM cluster", "SELECT * FROM tokens") == before


@pytest.mark.requirement("cluster.init.repeated")
def test_init_can_be_repeated_if_it_was_killed_before_it_showed_the_secrets(
    first: Machine, second: Machine, sql: Sql
) -> None:
    environment = {name: it for name, it in os.environ.items() if not name.startswith("STRINGD_")}
    reading, writing = os.pipe()
    size = fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4096)
    os.write(writing, b" " * size)
    # It stands still where it shows them, since nobody reads.
    words = (PROGRAM, "cluster", "init", first.url, "--no-start", "--node", "one")
    process = subprocess.Popen(words, cwd=first.folder, env=environment, stdout=writing)
    eventually(lambda: sql("SELECT to_regclass('stringd.cluster')") and sql("SELECT id FROM cluster"))
    process.kill()
    process.wait()
    for it in (reading, writing):
        os.close(it)
    left = sql("SELECT id FROM cluster")
    refused = second.run("cluster", "init", second.url, "--no-start")
    assert f"has a cluster already, {left}" in refused.stderr
    made = first.init("--node", "one")
    assert sql("SELECT id FROM cluster") == made["cluster_id"] != left
    assert sql("SELECT count(*) FROM tokens WHERE revoked IS NULL") == "1"
    assert second.join("two", made["join_secret"]).returncode == 0
    again = first.run("cluster", "init", first.url, "--no-start")
    assert "belongs to the node one" in again.stderr


@pytest.mark.requirement("cluster.url.found")
def test_the_url_may_be_that_of_the_settings(first: Machine, sql: Sql) -> None:
    assert first.run("cluster", "init", "--no-start").returncode == 0
    assert sql("SELECT count(*) FROM cluster") == "1"
    without = run_stringd("cluster", "init", "--no-start", folder=first.folder)
    assert without.returncode == 2
    assert "give the URL of the database" in without.stderr


@pytest.mark.requirement("cluster.init.refuses")
def test_init_writes_nothing_if_the_disk_refuses(first: Machine, sql: Sql) -> None:
    (first.folder / ".stringd").mkdir()
    (first.folder / ".stringd" / "cluster").write_text("in the way", encoding="utf-8")
    done = first.run("cluster", "init", first.url, "--no-start")
    assert (done.returncode, done.stdout) == (1, "")
    assert len(done.stderr.splitlines()) == 1
    assert sql("SELECT to_regclass('stringd.cluster')") == ""


@pytest.mark.requirement("cluster.init.durable")
def test_init_refuses_a_database_that_is_not_durable(
    first: Machine, sql: Sql, database: str, postgres: Engine
) -> None:
    name = database.partition("@/")[2].partition("?")[0]
    postgres.sql(f"ALTER DATABASE {name} SET synchronous_commit = off", database="postgres")
    done = first.run("cluster", "init", first.url, "--no-start")
    assert (done.returncode, done.stdout) == (1, "")
    assert "synchronous_commit = off" in done.stderr
    assert first.identity() is None
    assert sql("SELECT to_regclass('stringd.cluster')") == ""


@pytest.mark.requirement("cluster.join.secret")
def test_a_node_joins_with_the_secret_only(first: Machine, second: Machine, tmp_path: Path) -> None:
    made = first.init("--node", "one")
    join = ("cluster", "join", second.url, "--no-start", "--node", "two")
    for secret in ("join-wrong", made["token"], made["join_secret"][:-1]):
        done = second.run(*join, STRINGD_JOIN_SECRET=secret)
        assert (done.returncode, done.stdout) == (1, "")
        assert "not the join secret" in done.stderr
        assert secret not in done.stderr
    without = second.run(*join)
    assert without.returncode == 2
    assert "STRINGD_JOIN_SECRET" in without.stderr
    assert second.identity() is None
    file = tmp_path / "secret"
    file.write_text(made["join_secret"] + "\n", encoding="utf-8")
    done = second.run(*join, "--secret-file", str(file))
    assert done.stdout == f"Joined the cluster {made['cluster_id']} as the node two.\n", done.stderr
    one, two = first.identity(), second.identity()
    assert one is not None
    assert two is not None
    assert (one.cluster_id, two.name) == (two.cluster_id, "two")
    assert one.fingerprint != two.fingerprint
    # Once more: it gets a new certificate.
    before = two.fingerprint
    assert second.run(*join, STRINGD_JOIN_SECRET=made["join_secret"].upper()).returncode == 0
    assert two.fingerprint != before


@pytest.mark.requirement("cluster.join.terminal")
def test_the_secret_is_typed_without_being_shown(first: Machine, second: Machine) -> None:
    made = first.init()
    command = f"cd {second.folder} && {PROGRAM} cluster join '{second.url}' --no-start --node two"
    with Terminal(f"bash -c {shlex.quote(command)}") as terminal:
        terminal.expect("Join secret of the cluster: ")
        terminal.type(made["join_secret"] + "\r")
        shown = terminal.expect("as the node two.")
    assert made["join_secret"][:9] not in shown
    assert second.identity() is not None


@pytest.mark.requirement("cluster.join.refuses")
def test_join_refuses_what_would_not_work(first: Machine, second: Machine, sql: Sql) -> None:
    done = second.run("cluster", "join", second.url, "--no-start", STRINGD_JOIN_SECRET="x")
    assert "stringd cluster init" in done.stderr
    made = first.init("--node", "one")
    secret = made["join_secret"]
    sql(_node("two"))
    taken = second.run(
        "cluster", "join", second.url, "--no-start", "--node", "two", STRINGD_JOIN_SECRET=secret
    )
    assert (taken.returncode, taken.stdout) == (1, "")
    assert "a node named two runs already" in taken.stderr
    invalid = second.run(
        "cluster", "join", second.url, "--no-start", "--node", "Two", STRINGD_JOIN_SECRET=secret
    )
    assert invalid.returncode == 2
    assert "lower-case letters" in invalid.stderr
    other = first.run(
        "cluster", "join", first.url, "--no-start", "--node", "other", STRINGD_JOIN_SECRET=secret
    )
    assert "belongs to the node one" in other.stderr
    sql("UPDATE nodes SET expires = now()")
    assert second.join("two", secret).returncode == 0


@pytest.mark.requirement("cluster.status")
def test_status_shows_nodes_homes_database_and_certificate(first: Machine, sql: Sql) -> None:
    first.init("--node", "one")
    assert "no node runs" in first.run("cluster", "status").stdout
    sql(_node("one"), _node("two", -5, "{gpu}"))
    sql(_user("ann", "one-1"), _user("bob"), _user("cid", "two-1", "two"), _user("dot", None, "gpu"))
    status = json.loads(first.run("cluster", "status", "--json").stdout)
    assert [(it["name"], it["live"], it["homes"]) for it in status["nodes"]] == [
        ("one", True, 1),
        ("two", False, 1),
    ]
    assert {it["user_id"]: it["available"] for it in status["homes_without_node"]} == {
        "bob": True,
        "cid": False,
        "dot": False,
    }
    assert status["database"]["fsync"] == status["database"]["synchronous_commit"] == "on"
    identity = first.identity()
    assert identity is not None
    assert status["own"]["certificate_sha256"] == identity.fingerprint
    text = first.run("cluster", "status").stdout
    for piece in (
        "node one (one-1): 1 home, lease for ",
        "node two (two-1): 1 home, lease over for ",
        "labels gpu",
        "next request moves to one: 1",
        "home of cid: unavailable, it needs a live node with the label two",
        "fsync on, synchronous_commit on",
        "this node: one, its certificate is valid until 20",
    ):
        assert piece in text, piece


class Ordered:
    """An order in the background, to which a test answers as nodes do."""

    def __init__(self, machine: Machine, *words: str) -> None:
        environment = {name: it for name, it in os.environ.items() if not name.startswith("STRINGD_")}
        self.process = subprocess.Popen(
            [PROGRAM, "cluster", *words],
            cwd=machine.folder,
            env={**environment, "STRINGD_CLUSTER_URL": machine.url},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def end(self) -> tuple[int, str, str]:
        """Return its exit code and output."""
        out, err = self.process.communicate(timeout=20)
        return self.process.returncode, out, err


@pytest.mark.requirement("cluster.orders.drain")
def test_drain_waits_until_the_node_has_no_homes(first: Machine, sql: Sql) -> None:
    first.init()
    sql(_node("one"), _user("ann", "one-1"), _user("bob", "one-1", "one"))
    order = Ordered(first, "drain", "one")
    eventually(lambda: sql("SELECT is_draining FROM nodes") == "t")
    assert order.process.poll() is None
    sql("UPDATE homes SET owner = NULL WHERE id = 'ann'", "UPDATE homes SET owner = NULL")
    code, out, err = order.end()
    assert (code, out) == (0, "one has no homes any more\n")
    assert "1 pinned home: available again" in err
    assert "2 homes left" in err
    undone = first.run("cluster", "drain", "one-1", "--undo")
    assert undone.stdout == "one takes homes again\n"
    assert sql("SELECT is_draining FROM nodes") == "f"
    sql("UPDATE homes SET owner = 'one-1'")
    late = first.run("cluster", "drain", "one", "--seconds", "0.3")
    assert (late.returncode, late.stdout) == (1, "")
    assert "after 0.3 s, 2 homes left" in late.stderr
    sql("UPDATE homes SET owner = NULL WHERE id = 'ann'")
    assert "after 0 s, 1 home left" in first.run("cluster", "drain", "one", "--seconds", "0").stderr
    for seconds in ("-1", "nan", "many"):
        wrong = first.run("cluster", "drain", "one", "--seconds", seconds)
        assert (wrong.returncode, "--seconds" in wrong.stderr) == (2, True)
    unknown = first.run("cluster", "drain", "three")
    assert "no node three runs; those that run: one" in unknown.stderr


@pytest.mark.requirement("cluster.orders.move")
def test_move_waits_until_the_home_has_left(first: Machine, sql: Sql) -> None:
    first.init()
    sql(_node("one"), _node("two"), _user("ann", "one-1"), _user("bob", "one-1", "one"))
    order = Ordered(first, "move", "ann", "two")
    eventually(lambda: sql("SELECT moved_to FROM homes WHERE id = 'ann'") == "two")
    assert order.process.poll() is None
    sql("UPDATE homes SET owner = 'two-1', moved_to = NULL WHERE id = 'ann'")
    assert order.end()[:2] == (0, "the home of ann is with two, from its next request on\n")
    for words, message in (
        (("bob", "two"), "stringd cluster pin bob two"),
        (("nobody", "two"), "there is no user nobody"),
        (("ann", "three"), "no node three"),
    ):
        done = first.run("cluster", "move", *words)
        assert (done.returncode, done.stdout) == (1, "")
        assert message in done.stderr
    sql("UPDATE nodes SET is_draining = true WHERE name = 'one'")
    assert "--undo" in first.run("cluster", "move", "ann", "one").stderr


@pytest.mark.requirement("cluster.orders.pin")
def test_pin_and_limit(first: Machine, sql: Sql) -> None:
    first.init()
    sql(_node("one", 60, "{gpu}"), _user("ann", "one-1"))
    assert first.run("cluster", "pin", "ann", "gpu").returncode == 0
    assert sql("SELECT label FROM homes") == "gpu"
    order = Ordered(first, "pin", "ann", "nowhere")
    eventually(lambda: sql("SELECT label FROM homes") == "nowhere")
    sql("UPDATE homes SET owner = NULL")
    code, _, err = order.end()
    assert code == 0
    assert "no live node has the label nowhere" in err
    assert first.run("cluster", "pin", "ann", "--any").stdout == "any node may have the home of ann\n"
    assert sql("SELECT label IS NULL FROM homes") == "t"
    assert first.run("cluster", "pin", "ann").returncode == 2
    assert first.run("cluster", "pin", "ann", "x", "--any").returncode == 2
    for text, stored in (("2.5", "2.5"), ("0", "0"), ("none", "")):
        assert first.run("cluster", "limit", "ann", text).returncode == 0
        assert sql("SELECT requests_per_second FROM users") == stored
    for text in ("-1", "nan", "inf", "many", "1e-9"):
        assert first.run("cluster", "limit", "ann", "--", text).returncode == 2, text
    assert "no user bob" in first.run("cluster", "limit", "bob", "1").stderr


@pytest.mark.requirement("cluster.leave")
def test_leave_removes_what_a_stopped_node_keeps(first: Machine, sql: Sql) -> None:
    first.init("--node", "one")
    sql(_node("one"), _user("ann", None, "one"))
    assert "stop it first" in first.run("cluster", "leave").stderr
    sql("UPDATE nodes SET expires = now()")
    assert "1 home pinned to one would stay" in first.run("cluster", "leave").stderr
    sql("UPDATE homes SET label = NULL")
    assert first.run("cluster", "leave").stdout.startswith("one has left the cluster ")
    assert first.identity() is None
    assert "belongs to no node" in first.run("cluster", "leave").stderr

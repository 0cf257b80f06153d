"""What a node refuses to start with, and what a daemon that is no node has nothing to do with."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.cluster.engine import Engine, find_programs
from tests.cluster.nodes import Cluster
from tests.programs import run_stringd
from tests.protocol.waits import eventually

pytestmark = pytest.mark.long

_WITHOUT_ASYNCPG = """
import importlib.util
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "asyncpg" else found(name, *rest)
"""


@pytest.fixture
def own_engine() -> Iterator[Engine]:
    """A PostgreSQL that the test may configure; the fixture `postgres` has checked that there is one."""
    programs = find_programs()
    assert programs
    engine = Engine(programs)
    engine.start()
    yield engine
    engine.close()


def _refusal(cluster: Cluster, *arguments: str, name: str = "one") -> str:
    """Start a node that was set up, with further arguments; return why it ends."""
    node = cluster.node(name, arguments=arguments, start=False)
    node.start(ready=False)
    assert node.process.wait(20) != 0
    return node.stderr()


@pytest.mark.requirement("cluster.node.durable")
@pytest.mark.parametrize("setting", ["fsync", "synchronous_commit"])
def test_a_database_that_loses_acknowledged_writes_is_refused(
    setting: str, postgres: Engine, own_engine: Engine, tmp_path: Path
) -> None:
    cluster = Cluster(own_engine, own_engine.create_database(), tmp_path)
    node = cluster.node("one")
    node.leave()
    own_engine.kill()
    own_engine.configure(setting, "off")
    own_engine.start()
    node.start(ready=False)
    assert node.process.wait(20) != 0
    assert f"{setting} = off and would lose acknowledged writes" in node.stderr()
    cluster.close()


@pytest.mark.requirement("cluster.node.durable")
def test_a_database_that_becomes_unsafe_is_left(postgres: Engine, own_engine: Engine, tmp_path: Path) -> None:
    cluster = Cluster(own_engine, own_engine.create_database(), tmp_path)
    # It outlasts a restart of the database.
    node = cluster.node("one", lease_seconds=5.0)
    cluster.register("ann")
    unsafe = "fsync = off and would lose acknowledged writes"
    own_engine.kill()
    own_engine.configure("fsync", "off")
    own_engine.start()
    eventually(lambda: re.search(f"the lease can't be renewed: .*{unsafe}", node.stderr()))
    eventually(lambda: re.search(f"can't join its cluster again yet: .*{unsafe}", node.stderr()))
    cluster.await_owner("ann", lambda name: name is None)
    own_engine.kill()
    own_engine.configure("fsync", "on")
    own_engine.start()
    eventually(lambda: "has joined its cluster again" in node.stderr())
    cluster.register("ann")
    assert cluster.owner("ann") == "one"
    cluster.close()


@pytest.mark.requirement("cluster.node.set_up")
def test_a_data_directory_of_no_node_is_refused(database: str, tmp_path: Path) -> None:
    done = run_stringd("--cluster", database, "--port", "0", "--data-dir", "data", folder=tmp_path)
    assert done.returncode != 0
    assert "belongs to no node: `stringd cluster init URL` makes a cluster" in done.stderr


@pytest.mark.requirement("cluster.node.set_up")
def test_a_node_has_the_name_that_it_joined_with(cluster: Cluster) -> None:
    assert "belongs to the node one, not to two" in _refusal(cluster, "--node", "two")


@pytest.mark.requirement("cluster.node.set_up")
def test_the_database_of_another_cluster_is_refused(cluster: Cluster, database: str, tmp_path: Path) -> None:
    made = run_stringd(
        *("--cluster", database, "--data-dir", "other", "cluster", "init", "--no-start"), folder=tmp_path
    )
    assert made.returncode == 0, made.stderr
    refusal = _refusal(cluster, "--cluster", database)
    assert "the database has another cluster than" in refusal


@pytest.mark.requirement("cluster.node.set_up")
def test_a_database_that_cannot_be_reached_is_named_without_its_password(cluster: Cluster) -> None:
    refusal = _refusal(cluster, "--cluster", "postgresql://me:hidden@127.0.0.1:1/none")
    assert "postgresql://me@127.0.0.1:1/none can't be reached" in refusal
    assert "hidden" not in refusal


@pytest.mark.requirement("cluster.node.set_up")
def test_a_url_that_can_be_read_in_two_ways_is_refused_without_its_password(cluster: Cluster) -> None:
    refusal = _refusal(cluster, "--cluster", "postgresql://me:hid/den@127.0.0.1:1/none")
    assert "this is not the URL of a PostgreSQL database" in refusal
    assert not {"hid", "den"} & set(re.findall(r"\w+", refusal))


@pytest.mark.requirement("cluster.node.address")
def test_a_node_that_listens_everywhere_needs_an_address_for_the_others(cluster: Cluster) -> None:
    refusal = _refusal(cluster, "--node-listen", "0.0.0.0:0", "--advertise", "")
    assert "set --advertise HOST:PORT" in refusal


@pytest.mark.requirement("cluster.node.address")
def test_the_address_for_the_others_has_a_port(cluster: Cluster) -> None:
    assert "--advertise is HOST:PORT" in _refusal(cluster, "--advertise", "nohost")


@pytest.mark.requirement("cluster.node.name")
def test_two_nodes_of_one_name_do_not_run_together(cluster: Cluster, tmp_path: Path) -> None:
    first = cluster.node("one", lease_seconds=1.0, start=False)
    first.data_dir.rename(tmp_path / "copy")
    shutil.copytree(tmp_path / "copy", first.data_dir)
    first.start()
    second = DaemonProcess(
        tmp_path / "second",
        ("--cluster", first.database_url, "--listen", "127.0.0.1:0", "--lease-seconds", "1"),
        {},
        port=0,
        data_dir=tmp_path / "copy",
    )
    second.start(ready=False)
    assert second.process.wait(20) != 0
    assert "another node named one runs" in second.stderr()
    first.kill()
    first.start()
    cluster.register("ann")
    assert cluster.owner("ann") == "one"


@pytest.mark.requirement("cluster.node.unsafe")
def test_a_node_without_safeguards_says_so(cluster: Cluster) -> None:
    node = cluster.node("one", env={"CLUSTER_WITHOUT_SAFEGUARDS": "no-fences"})
    assert "this node runs with no-fences: it may lose what it acknowledges" in node.stderr()


@pytest.mark.requirement("cluster.node.rejoin")
def test_a_lost_lease_gives_the_node_another_id(cluster: Cluster) -> None:
    node = cluster.node("one", lease_seconds=1.0)
    first = eventually(lambda: cluster.sql("SELECT id FROM stringd.nodes"), 10)
    node.engine_cut.drop()
    eventually(lambda: "has lost its lease" in node.stderr(), 10)
    node.engine_cut.heal()
    alive = "SELECT id FROM stringd.nodes WHERE ended IS NULL AND expires > clock_timestamp()"
    eventually(lambda: cluster.sql(alive) not in ("", first), 10)
    cluster.register("ann")
    assert cluster.owner("ann") == "one"


@pytest.mark.requirement("cluster.single.untouched")
def test_a_daemon_that_is_no_node_loads_nothing_of_clusters(
    start_daemon: Callable[..., DaemonProcess],
) -> None:
    daemon = start_daemon(program=(sys.executable, "-m", "stringd"))
    daemon.register()
    daemon.exec("/info")
    loaded = Path(f"/proc/{daemon.process.pid}/maps").read_text(encoding="utf-8")
    for package in ("asyncpg", "aiohttp", "cryptography"):
        assert f"/{package}/" not in loaded
    assert "protocol" not in daemon.request("GET", "/health").json()


@pytest.mark.requirement("cluster.extra")
def test_a_node_says_which_package_is_missing(database: str, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(_WITHOUT_ASYNCPG, encoding="utf-8")
    daemon = DaemonProcess(
        tmp_path,
        ("--cluster", database),
        {"PYTHONPATH": os.pathsep.join((str(tmp_path), *sys.path))},
        port=0,
        data_dir=None,
        program=(sys.executable, "-m", "stringd"),
    )
    daemon.start(ready=False)
    assert daemon.process.wait(20) != 0
    assert "clusters need the Python package asyncpg: pip install 'stringd[cluster]'" in daemon.stderr()

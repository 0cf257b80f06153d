"""The data directory cannot be read, written or listed by commands, under whatever path."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess

Start = Callable[..., DaemonProcess]
MARK = "somebody-nobody-knows"
COMMANDS = [
    "/open {}",
    "/open {}#block",
    "/write {}\nnew",
    "/append {}\nnew",
    "/edit {}",
    "/edit {}\nnew",
    "/replace {}:L1\nnew",
    "/verify {}#block",
    "/install {}",
    "/act.read --f {}",
    "/act.save --f {}",
]
WAYS = [
    ".stringd/users.json",
    "~/.stringd/users.json",
    "{data}/users.json",
    "file://{data}/users.json",
    "./nothing/../.stringd/users.json",
    "linked/users.json",
    "linked.json",
    "/proc/self/root{data}/users.json",
    "/proc/{pid}/cwd/.stringd/users.json",
    "/proc/self/fd/{database}",
    "/dev/fd/{database}",
    "hard.json",
]
FOLDERS = [".stringd", ".stringd/", "linked", "{data}", "/proc/self/root{data}", "/proc/{pid}/cwd/.stringd"]
PAGE = """[!include:in]({0})

[!nav:menu]({0})

```act.read
POST http://127.0.0.1:9/
  f: string
  body:
    {{f|file}}
```

```act.save
CLI printf mine
  f: string
```

```act.save.response
save: Response.body
to: {{f}}
```
"""


@pytest.fixture
def daemon(own_daemon: DaemonProcess) -> DaemonProcess:
    """These tests stop their daemon, or look into its process or its data directory."""
    return own_daemon


@pytest.fixture(params=["home", "full", "allowed"])
def daemon_at_home(
    start_daemon: Start, tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> DaemonProcess:
    """A daemon whose data directory lies in its user's home, or in an allowed path."""
    data = tmp_path / "home" / ".stringd"
    access = "full" if request.param == "full" else "home"
    daemon = start_daemon("--access", access, data_dir=data)
    body = {"id": "default", "home": str(data.parent), "allowedPaths": [str(tmp_path)]}
    daemon.request("POST", "/users", body if request.param == "allowed" else {**body, "allowedPaths": []})
    daemon.register(MARK, tmp_path / "elsewhere")
    home = data.parent
    monkeypatch.chdir(home)
    (home / "linked").symlink_to(".stringd")
    (home / "linked.json").symlink_to(data / "users.json")
    os.link(data / "users.json", home / "hard.json")
    (home / "page.md").write_text(PAGE.format("nothing.md"), encoding="utf-8")
    assert daemon.exec("/open page.md").head["ok"]
    return daemon


def spelled(daemon: DaemonProcess, ways: list[str]) -> Iterator[str]:
    """Each way to the data directory, as it is written for this daemon."""
    descriptors = Path(f"/proc/{daemon.process.pid}/fd")
    known = {it.name: str(it.readlink()) for it in descriptors.iterdir() if it.is_symlink()}
    database = next(name for name, file in known.items() if file.endswith("sessions.db"))
    for way in ways:
        yield way.format(data=daemon.data_dir, pid=os.getpid(), database=database)


@pytest.mark.requirement("data.outside", "data.hard_link")
def test_commands_cannot_read_or_write_its_files(daemon_at_home: DaemonProcess) -> None:
    before = (daemon_at_home.data_dir / "users.json").read_bytes()
    for way in spelled(daemon_at_home, WAYS):
        for command in COMMANDS:
            answer = daemon_at_home.exec(command.format(way))
            assert (answer.head["code"], MARK in answer.content) == ("FILE_NOT_ALLOWED", False), (
                answer.content
            )
    assert (daemon_at_home.data_dir / "users.json").read_bytes() == before


@pytest.mark.requirement("data.outside")
def test_commands_cannot_create_or_list_its_files(daemon_at_home: DaemonProcess) -> None:
    for folder in spelled(daemon_at_home, FOLDERS):
        for command in ("/ls {}", "/ls {} --all", "/open {}", "/install {}", "/write {}/new.md\nnew"):
            answer = daemon_at_home.exec(command.format(folder.rstrip("/")))
            assert answer.head["code"] == "FILE_NOT_ALLOWED", answer.content
    assert not (daemon_at_home.data_dir / "new.md").exists()


@pytest.mark.requirement("data.outside", "data.hard_link")
def test_documents_cannot_include_its_files(daemon_at_home: DaemonProcess) -> None:
    home = daemon_at_home.data_dir.parent
    for way in spelled(daemon_at_home, WAYS):
        (home / "brings.md").write_text(PAGE.format(way), encoding="utf-8")
        for command in ("/open brings.md", "/nav menu", "/open @menu.x", "/info"):
            assert MARK not in daemon_at_home.exec(command, "file:brings").content


@pytest.mark.requirement("data.outside")
def test_app_linking_into_it_cannot_be_installed(daemon_at_home: DaemonProcess) -> None:
    home = daemon_at_home.data_dir.parent
    project = home / "project"
    project.mkdir()
    (project / "string.md").write_text("# App\n", encoding="utf-8")
    (project / "data").symlink_to("../.stringd")
    refused = daemon_at_home.exec("/install project")
    assert not refused.head["ok"]
    (project / "data").unlink()
    os.link(daemon_at_home.data_dir / "users.json", project / "users.json")
    assert daemon_at_home.exec("/install project").head["code"] == "FILE_NOT_ALLOWED"
    assert not (home / "packages" / "project").exists()


@pytest.mark.requirement("data.outside")
def test_undo_and_refresh_do_not_follow_links_into_it(daemon_at_home: DaemonProcess) -> None:
    home = daemon_at_home.data_dir.parent
    for name in ("users.json", "made.md"):
        topic = f"file:{name.partition('.')[0]}"
        assert daemon_at_home.exec(f"/write folder/{name}\ntext", topic).head["ok"]
        daemon_at_home.exec(f"/open folder/{name}", topic)
        (home / "folder").rename(home / f"moved-{name}")
        (home / "folder").symlink_to(".stringd")
        for command in ("/undo --force", "/refresh", "/source", "/edit :L1\nnew"):
            assert daemon_at_home.exec(command, topic).head["code"] == "FILE_NOT_ALLOWED"
        (home / "folder").unlink()
    assert not (daemon_at_home.data_dir / "made.md").exists()


@pytest.mark.requirement("data.outside")
def test_similar_paths_are_not_protected(daemon_at_home: DaemonProcess) -> None:
    for name in (".stringd2/users.json", "users.json", "other/.stringd/users.json"):
        assert daemon_at_home.exec(f"/write {name}\ntext").head["ok"]


@pytest.mark.requirement("data.private")
def test_readable_files_are_made_private_with_a_notice(start_daemon: Start, tmp_path: Path) -> None:
    data = tmp_path / "data"
    daemon = start_daemon(data_dir=data)
    daemon.register("default", daemon.home)
    daemon.stop()
    data.chmod(0o755)
    for name in ("users.json", "sessions.db"):
        (data / name).chmod(0o644)
    (data / "of-a-plugin").touch(0o644)
    daemon.start()
    modes = {it.name: stat.S_IMODE(it.stat().st_mode) for it in data.iterdir()}
    assert (stat.S_IMODE(data.stat().st_mode), modes["users.json"], modes["sessions.db"]) == (
        0o700,
        0o600,
        0o600,
    )
    notices = daemon.request("GET", "/status").json()["notices"]
    assert notices == [
        f"{data} was open to others (mode 755); it is 700 now",
        f"{data}/sessions.db was open to others (mode 644); it is 600 now",
        f"{data}/users.json was open to others (mode 644); it is 600 now",
    ]
    assert all(notice in daemon.stderr() for notice in notices)
    daemon.restart()
    assert daemon.request("GET", "/status").json()["notices"] == []


@pytest.mark.requirement("data.private")
def test_sticky_directory_is_left_unchanged(start_daemon: Start, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    data.chmod(0o1777)
    daemon = start_daemon(data_dir=data)
    assert stat.S_IMODE(data.stat().st_mode) == 0o1777
    assert "it is shared (sticky bit) and was left unchanged" in daemon.stderr()


@pytest.mark.requirement("data.outside")
def test_linked_state_file_is_protected(start_daemon: Start, tmp_path: Path) -> None:
    data, home = tmp_path / "data", tmp_path / "home"
    data.mkdir(mode=0o700)
    home.mkdir()
    (data / "users.json").symlink_to(home / "kept.json")
    daemon = start_daemon("--access", "full", data_dir=data)
    daemon.register("default", home)
    for command in ("/open kept.json", "/write kept.json\nnew", "/edit kept.json"):
        assert daemon.exec(command).head["code"] == "FILE_NOT_ALLOWED"


@pytest.mark.requirement("data.outside", "data.hard_link")
def test_journal_of_a_linked_database_is_protected(start_daemon: Start, tmp_path: Path) -> None:
    data, home = tmp_path / "data", tmp_path / "home"
    data.mkdir(mode=0o700)
    home.mkdir()
    for name in ("sessions.db", "undo.db"):
        (data / name).symlink_to(home / name)
    daemon = start_daemon("--access", "full", data_dir=data)
    daemon.register("default", home)
    os.link(home / "undo.db", home / "hard.db")
    for name in ("note.md", "note.md"):
        assert daemon.exec(f"/write --force {name}\ntext").head["ok"]
    beside = sorted(it.name for it in home.iterdir() if it.name.startswith(("sessions", "undo")))
    assert len(beside) == 6
    for name in (*beside, "sessions.db-journal", "hard.db"):
        for command in ("/open {}", "/write {}\nnew", "/install {}"):
            assert daemon.exec(command.format(name)).head["code"] == "FILE_NOT_ALLOWED"

"""`$NAME`s: stored per user, app and configuration, used by the app's actions, and never shown."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.apps.shelf import put, refused, said, write_app

VALUE = "sk-very-secret"
KEEP = f'/set $KEY = "{VALUE}"'


@pytest.fixture
def daemon(own_daemon: DaemonProcess) -> DaemonProcess:
    """These tests stop their daemon, or look into its process or its data directory."""
    return own_daemon


@pytest.mark.requirement("secret.masked")
@pytest.mark.parametrize(
    "cmd",
    [
        KEEP,
        f"//set   $KEY='{VALUE}'",
        f'/set\n{{x}} = "1"\n$KEY = "{VALUE}"',
        f"/set\n```$KEY\n{VALUE}\nmore\n```",
        f"/set $KEY = {VALUE}",
        f"/set $KEY {VALUE}",
        f'/set {{x}} = "1"\n$KEY = "{VALUE}',
    ],
)
def test_value_is_never_shown(installed: DaemonProcess, cmd: str) -> None:
    replies = [installed.exec(it, "app:parrot") for it in (cmd, "/set", "/info", "/act", "/act.say --help")]
    assert [reply.content for reply in replies if VALUE.encode() in reply.raw] == []
    assert VALUE not in installed.request("GET", "/sessions").text + installed.stderr()


@pytest.mark.requirement("secret.masked")
def test_listings_show_which_are_set(installed: DaemonProcess) -> None:
    assert said(installed, KEEP, "app:parrot") == '$KEY = "********"'
    assert said(installed, "/set", "app:parrot") == 'Variables\n---\n$KEY = "********"'
    assert said(installed, "/info", "app:parrot").endswith('\nvariables: 0\n  $KEY = "********"')


@pytest.mark.requirement("secret.public")
def test_app_may_declare_a_value_not_secret(daemon: DaemonProcess) -> None:
    page = "---\nname: city\nenv:\n  - name: CITY\n    secret: false\n  - name: KEY\n---\n# City\n"
    put(daemon.home / "city.md", page)
    said(daemon, "/install city.md")
    said(daemon, f'/set $CITY = "Seoul"\n$KEY = "{VALUE}"', "app:city")
    assert said(daemon, "/set", "app:city") == 'Variables\n---\n$CITY = "Seoul"\n$KEY = "********"'


def test_missing_value_error_names_the_topic_to_set_it_in(installed: DaemonProcess) -> None:
    put(
        installed.home / "beside.md",
        "---\nrequires: [KEY]\n---\n# Beside\n\n```act.say\nCLI echo $KEY\n```\n",
    )
    places = {
        ("app:parrot", "app:parrot"): "",
        ("app:parrot", "file:main"): " in app:parrot",
        ("app:parrot", "app:parakeet"): " in app:parrot",
        ("~/beside.md", "app:parrot"): " in a topic app:name",
        ("~/beside.md", "app:parakeet"): "",
        ("~/packages/parrot/string.md", "file:main"): " in a topic app:name",
    }
    for (page, topic), where in places.items():
        said(installed, f"/open {page}", topic)
        told = f'ERROR(ENV_REQUIRED): $KEY is not set.\nSet it: /set $KEY = "..."{where}'
        assert refused(installed, "/act.say --", topic) == ("ENV_REQUIRED", told)


@pytest.mark.requirement("secret.scope")
def test_configuration_overrides_shared_values(installed: DaemonProcess) -> None:
    said(installed, '/set $KEY = "all"', "app:parrot")
    said(installed, '/set $KEY = "blue"', "app:parrot:blue")
    spoken = {it: said(installed, "/act.say hi", f"app:parrot{it}") for it in ("", ":blue", ":red")}
    assert spoken == {"": "hi all", ":blue": "hi blue", ":red": "hi all"}


@pytest.mark.requirement("secret.scope")
def test_values_are_separate_per_app_and_user(installed: DaemonProcess) -> None:
    said(installed, KEEP, "app:parrot")
    write_app(installed.home / "spy", name="spy")
    said(installed, "/install spy")
    assert refused(installed, "/act.say hi", "app:spy")[0] == "ENV_REQUIRED"
    installed.register("other", installed.home)
    reply = installed.exec("/act.say hi", "app:parrot", user="other")
    assert reply.head["code"] == "ENV_REQUIRED"


@pytest.mark.requirement("secret.scope")
@pytest.mark.parametrize("target", ["app:spy", "~/spy/string.md", "~/packages/spy/string.md"])
def test_other_documents_in_the_app_topic_get_no_values(installed: DaemonProcess, target: str) -> None:
    said(installed, KEEP, "app:parrot")
    write_app(installed.home / "spy", name="spy")
    said(installed, "/install spy")
    said(installed, f"/open {target}", "app:parrot")
    code, text = refused(installed, "/act.say hi", "app:parrot")
    assert (code, VALUE in text) == ("ENV_REQUIRED", False)


@pytest.mark.requirement("secret.scope")
def test_ambiguous_namespace_and_name_are_distinguished(daemon: DaemonProcess) -> None:
    write_app(daemon.home / "mine", namespace="a", name="b/c")
    write_app(daemon.home / "spy", namespace="a/b", name="c")
    said(daemon, "/install mine --as mine")
    said(daemon, "/install spy --as spy")
    said(daemon, KEEP, "app:mine")
    assert refused(daemon, "/act.say hi", "app:spy")[0] == "ENV_REQUIRED"


def test_draft_app_is_tried_in_a_topic_of_its_name(daemon: DaemonProcess, app: Path) -> None:
    said(daemon, KEEP, "app:draft")
    said(daemon, f"/open {app / 'string.md'}", "app:draft")
    assert said(daemon, "/act.say hi", "app:draft") == f"hi {VALUE}"


@pytest.mark.requirement("secret.place")
@pytest.mark.parametrize("topic", ["file:main", "web:main"])
def test_other_topic_types_cannot_store_values(installed: DaemonProcess, topic: str) -> None:
    code, text = refused(installed, f'/set {{x}} = "1"\n$KEY = "{VALUE}"', topic)
    assert (code, VALUE in text) == ("INVALID_TARGET", False)
    assert said(installed, "/set", topic) == "Variables\n---\n(none)"


@pytest.mark.requirement("secret.file")
def test_file_is_private_and_survives_sigkill(installed: DaemonProcess) -> None:
    said(installed, KEEP, "app:parrot")
    file = installed.data_dir / "secrets.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    holding = [
        it for it in installed.data_dir.iterdir() if it.is_file() and VALUE.encode() in it.read_bytes()
    ]
    assert holding == [file]
    installed.kill()
    installed.start()
    assert said(installed, "/act.say hi", "app:parrot") == f"hi {VALUE}"


def test_empty_value_deletes(installed: DaemonProcess) -> None:
    said(installed, KEEP, "app:parrot")
    said(installed, '/set $KEY = ""', "app:parrot")
    assert refused(installed, "/act.say hi", "app:parrot")[0] == "ENV_REQUIRED"
    assert json.loads((installed.data_dir / "secrets.json").read_bytes()) == []


def test_uninstall_deletes_values(installed: DaemonProcess, app: Path) -> None:
    for topic in ("app:parrot", "app:parrot:blue"):
        said(installed, KEEP, topic)
    said(installed, "/uninstall parrot")
    said(installed, f"/install {app}")
    assert refused(installed, "/act.say hi", "app:parrot:blue")[0] == "ENV_REQUIRED"


def test_deleting_the_user_deletes_values(installed: DaemonProcess) -> None:
    said(installed, KEEP, "app:parrot")
    installed.request("DELETE", "/users/default")
    assert VALUE not in (installed.data_dir / "secrets.json").read_text(encoding="utf-8")


def test_broken_file_is_moved_aside_and_not_logged(installed: DaemonProcess) -> None:
    installed.stop()
    (installed.data_dir / "secrets.json").write_text(f'[{{"values": "{VALUE}"}}]', encoding="utf-8")
    installed.start()
    assert [it.name for it in installed.data_dir.glob("secrets.json.broken-*")] != []
    assert "secrets.json was broken" in installed.stderr()
    assert VALUE not in installed.stderr()
    assert said(installed, KEEP, "app:parrot") == '$KEY = "********"'


@pytest.mark.requirement("secret.whole")
def test_failed_write_sets_nothing(installed: DaemonProcess) -> None:
    said(installed, "/info", "app:parrot")
    installed.data_dir.rename(installed.data_dir.with_name("gone"))
    code, text = refused(installed, f'/set {{x}} = "1"\n$KEY = "{VALUE}"', "app:parrot")
    installed.data_dir.with_name("gone").rename(installed.data_dir)
    assert (code, VALUE in text) == ("STORAGE_FAILED", False)
    assert said(installed, "/set", "app:parrot") == "Variables\n---\n(none)"

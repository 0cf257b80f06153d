"""Ownership of `$NAME`s by an app's source, against all other ways to get at them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable

import pytest

from stringd.testing.process import DaemonProcess
from tests.apps.shelf import put, refused, said, write_app
from tests.apps.site import Site
from tests.protocol.waits import eventually

VALUE = "sk-of-the-bank"
Start = Callable[..., DaemonProcess]
KEEP = f'/set $KEY = "{VALUE}"'
RECORD = ".stringd-package.json"
READS_AND_WRITES = """# Page

```act.read
GET http://127.0.0.1:9/?x={f|file}
  f: string
```

```act.save
CLI echo x
  f: string
```

```act.save.response
save: Response.body
to: {f}
```
"""


@pytest.fixture
def bank(daemon: DaemonProcess) -> DaemonProcess:
    """A daemon with an app that has a key, for all its configurations and for one."""
    write_app(daemon.home / "apps" / "bank", name="bank")
    write_app(daemon.home / "evil" / "bank", name="bank", title="Evil")
    said(daemon, "/install apps/bank")
    for topic in ("app:bank", "app:bank:work"):
        assert said(daemon, KEEP, topic).startswith("$KEY = ")
    return daemon


def says(daemon: DaemonProcess, topic: str) -> str:
    return daemon.exec("/act.say hi", topic).content


def has_key(daemon: DaemonProcess, *topics: str) -> bool:
    return any(VALUE in says(daemon, topic) for topic in topics)


@pytest.mark.requirement("app.install.record")
@pytest.mark.parametrize("access", ["home", "full"])
def test_app_record_cannot_be_read_or_written(start_daemon: Start, access: str) -> None:
    """The record contains the key of the app's `$NAME`s; anyone who knew it could impersonate the app."""
    daemon = start_daemon("--access", access)
    daemon.register("default", daemon.home)
    write_app(daemon.home / "apps" / "bank", name="bank")
    said(daemon, "/install apps/bank")
    record = daemon.home / "packages" / "bank" / RECORD
    before = record.read_text(encoding="utf-8")
    put(daemon.home / "page.md", READS_AND_WRITES)
    (daemon.home / "linked.json").symlink_to(record)
    typed = f"packages/bank/{RECORD}"
    said(daemon, "/open page.md")
    for command in (
        f"/open {typed}",
        "/open linked.json",
        f"/open {record}",
        f"/write {typed}\n{{}}",
        f"/append {typed}\n{{}}",
        f"/edit {typed}",
        f"/write packages/new/{RECORD}\n{{}}",
        f"/act.read --f {typed}",
        f"/act.save --f {typed}",
        f"/install {typed}",
    ):
        code, text = refused(daemon, command)
        assert code == "FILE_NOT_ALLOWED", (command, text)
    assert record.read_text(encoding="utf-8") == before
    assert not (daemon.home / "packages" / "new").exists()


@pytest.mark.requirement("app.install.source")
def test_different_source_is_refused(bank: DaemonProcess) -> None:
    code, text = refused(bank, "/install evil/bank")
    assert (code, text.splitlines()) == (
        "CONFLICT",
        [
            "ERROR(CONFLICT): app:bank has another source (apps/bank), not evil/bank.",
            "--replace puts this one in its place, without the $NAMEs of the other, which are forgotten.",
        ],
    )
    assert says(bank, "app:bank").endswith(f"hi {VALUE}")


@pytest.mark.requirement("app.install.source", "secret.source")
def test_replaced_source_starts_without_keys(bank: DaemonProcess) -> None:
    assert "Installed app:bank" in said(bank, "/install evil/bank --replace")
    assert "# Evil" in said(bank, "/open app:bank", "app:bank")
    assert not has_key(bank, "app:bank", "app:bank:work")
    assert VALUE not in (bank.data_dir / "secrets.json").read_text(encoding="utf-8")
    # Nor does the first one get them back, which somebody may have changed meanwhile.
    assert "Installed app:bank" in said(bank, "/install apps/bank --replace")
    assert not has_key(bank, "app:bank", "app:bank:work")


@pytest.mark.requirement("app.install.source", "secret.source")
@pytest.mark.parametrize(
    "typed",
    ["apps/bank", "~/apps/bank", "{home}/apps/bank", "apps/bank/string.md", "linked", "./evil/../apps/bank"],
)
def test_same_source_in_any_spelling_keeps_keys(bank: DaemonProcess, typed: str) -> None:
    (bank.home / "linked").symlink_to("apps/bank")
    write_app(bank.home / "apps" / "bank", name="bank", title="Newer")
    assert "Installed app:bank" in said(bank, f"/install {typed.format(home=bank.home)}")
    assert "# Newer" in said(bank, "/open app:bank", "app:bank")
    assert has_key(bank, "app:bank")
    assert has_key(bank, "app:bank:work")


@pytest.mark.requirement("app.install.source", "secret.source")
def test_different_url_path_is_a_different_source(daemon: DaemonProcess, site: Site) -> None:
    page = b"---\nname: bank\n---\n# Bank\n\n```act.say\nCLI echo {word} $KEY\n  word: string\n```\n"
    site.pages |= {"/a/bank.md": page, "/b/bank.md": page, "/a/bank.md?x": page}
    said(daemon, f"/install {site.url}/a/bank.md")
    said(daemon, KEEP, "app:bank")
    assert "Installed" in said(daemon, f"/install {site.url.replace('http', 'HTTP')}/x/../a/bank.md#top")
    assert has_key(daemon, "app:bank")
    for other in (f"{site.url}/b/bank.md", f"{site.url}/a/bank.md?x"):
        assert refused(daemon, f"/install {other}")[0] == "CONFLICT"
    assert "Installed" in said(daemon, f"/install {site.url}/b/bank.md --replace")
    assert not has_key(daemon, "app:bank")


@pytest.mark.requirement("secret.source")
@pytest.mark.parametrize("again", ["evil/bank", "apps/bank"])
def test_uninstall_deletes_keys(bank: DaemonProcess, again: str) -> None:
    said(bank, "/uninstall bank")
    said(bank, f"/install {again}")
    assert not has_key(bank, "app:bank", "app:bank:work")


@pytest.mark.requirement("secret.source")
def test_other_name_or_namespace_gets_no_keys(bank: DaemonProcess) -> None:
    assert refused(bank, "/install evil/bank --as bank2")[0] == "CONFLICT"
    write_app(bank.home / "near", name="bank", namespace="jungle")
    assert refused(bank, "/install near")[0] == "CONFLICT"
    assert refused(bank, "/install near --as bank --replace")[0] == "CONFLICT"
    said(bank, "/install near --as bank2")
    assert not has_key(bank, "app:bank2", "app:bank2:work")
    assert has_key(bank, "app:bank")


@pytest.mark.requirement("secret.source")
@pytest.mark.parametrize("forged", [True, False])
def test_manually_copied_app_gets_no_keys(bank: DaemonProcess, forged: bool) -> None:
    """Even if it contains a forged record, since the key of the real one cannot be guessed."""
    packages = bank.home / "packages"
    noted = json.loads((packages / "bank" / RECORD).read_text(encoding="utf-8"))
    shutil.copytree(bank.home / "evil" / "bank", packages / "bank2")
    for key in ("", "x", "0" * 32) if forged else ():
        put(packages / "bank2" / RECORD, json.dumps({**noted, "key": key}))
        assert not has_key(bank, "app:bank2", "app:bank2:work")
    assert not has_key(bank, "app:bank2", "app:bank2:work")
    shutil.rmtree(packages / "bank")
    (packages / "bank2").rename(packages / "bank")
    assert not has_key(bank, "app:bank", "app:bank:work")


@pytest.mark.requirement("secret.source")
def test_record_shipped_with_an_app_is_ignored(bank: DaemonProcess) -> None:
    shutil.copy(bank.home / "packages" / "bank" / RECORD, bank.home / "evil" / "bank" / RECORD)
    said(bank, "/install evil/bank --replace")
    assert not has_key(bank, "app:bank")


@pytest.mark.requirement("secret.source")
def test_file_gets_no_keys_of_a_deleted_app(bank: DaemonProcess) -> None:
    shutil.rmtree(bank.home / "packages" / "bank")
    for topic in ("app:bank", "app:bank:work"):
        said(bank, f"/open {bank.home}/evil/bank/string.md", topic)
        assert not has_key(bank, topic)


@pytest.mark.requirement("secret.source")
def test_keys_of_a_draft_are_not_given_to_the_installed_app(daemon: DaemonProcess) -> None:
    write_app(daemon.home / "bank", name="bank")
    said(daemon, KEEP, "app:bank")
    said(daemon, "/install bank")
    assert not has_key(daemon, "app:bank")


def earlier(owner: str, config: str | None = None) -> dict[str, object]:
    return {"user_id": "default", "owner": owner, "config": config, "values": {"KEY": VALUE}}


def restarted_with(daemon: DaemonProcess, change: Callable[[], None], *records: dict[str, object]) -> None:
    """Restart a daemon with what an earlier version has left."""
    daemon.stop()
    (daemon.data_dir / "secrets.json").write_text(json.dumps(records), encoding="utf-8")
    change()
    daemon.start()


def forget_source(daemon: DaemonProcess, *names: str) -> Callable[[], None]:
    """Let the notes beside apps be those of an earlier version."""

    def change() -> None:
        for name in names:
            note = daemon.home / "packages" / name / RECORD
            noted = json.loads(note.read_text(encoding="utf-8"))
            note.write_text(json.dumps({it: noted[it] for it in ("namespace", "name", "source")}))

    return change


@pytest.mark.requirement("secret.earlier")
@pytest.mark.parametrize("again", ["apps/bank", "evil/bank --replace"])
def test_keys_of_an_earlier_version_go_to_the_installed_app(bank: DaemonProcess, again: str) -> None:
    records = earlier("installed:zoo/bank"), earlier("installed:zoo/bank", "work")
    restarted_with(bank, forget_source(bank, "bank"), *records)
    eventually(lambda: has_key(bank, "app:bank"))
    eventually(lambda: has_key(bank, "app:bank:work"))
    assert "Installed" in said(bank, f"/install {again}")
    assert has_key(bank, "app:bank", "app:bank:work") == (again == "apps/bank")


@pytest.mark.requirement("secret.earlier")
def test_keys_of_an_earlier_version_are_not_given_to_later_apps(bank: DaemonProcess) -> None:
    said(bank, "/uninstall bank")
    restarted_with(bank, lambda: None, earlier("installed:zoo/bank"))
    eventually(lambda: "belong to 0 apps: forgotten" in bank.stderr())
    shutil.copytree(bank.home / "evil" / "bank", bank.home / "packages" / "bank")
    assert not has_key(bank, "app:bank")
    bank.restart()
    assert not has_key(bank, "app:bank")


@pytest.mark.requirement("secret.earlier")
def test_ambiguous_keys_of_an_earlier_version_are_forgotten(bank: DaemonProcess) -> None:
    def change() -> None:
        forget_source(bank, "bank")()
        shutil.copytree(bank.home / "packages" / "bank", bank.home / "packages" / "other")

    restarted_with(bank, change, earlier("installed:zoo/bank"))
    assert not has_key(bank, "app:bank", "app:other")
    eventually(lambda: "forgotten" in bank.stderr())
    assert "the $NAMEs of zoo/bank of user default belong to 2 apps: forgotten" in bank.stderr()

"""Descriptions are installed from files and URLs, updated, and removed like any app."""

from __future__ import annotations

import json

import pytest

from stringd.testing.process import DaemonProcess
from tests.actions.service import Service
from tests.apps.shelf import put, refused
from tests.openapi.conftest import Install
from tests.openapi.zoo import operation, zoo

APP = "app:zoo"


@pytest.mark.requirement("openapi.install", "openapi.install.files")
def test_a_file_becomes_an_ordinary_app(daemon: DaemonProcess, install: Install, service: Service) -> None:
    shown = install(zoo(), "--server", f"{service.url}/other/")
    assert "Installed app:zoo" in shown
    assert "Zoo: 8 operations" in shown
    package = daemon.home / "packages" / "zoo"
    files = {str(it.relative_to(package)) for it in package.rglob("*") if it.is_file()}
    assert {"string.md", "openapi.json", "tags/pets.md", "tags/photos.md"} <= files
    daemon.exec("/open app:zoo/tags/pets.md", APP)
    assert daemon.exec("/act.listpets", APP).head["ok"]
    assert service.last.target == "/other/pets"
    entry = package / "string.md"
    put(entry, entry.read_text().replace("/other", "/mine"))
    assert daemon.exec("/act.listpets", APP).head["ok"]
    assert service.last.target == "/mine/pets"
    assert daemon.exec("/uninstall zoo").head["ok"]
    assert not package.exists()


@pytest.mark.requirement("openapi.install", "openapi.references", "openapi.formats")
def test_a_url_in_yaml_brings_the_documents_beside_it(daemon: DaemonProcess, service: Service) -> None:
    text = "openapi: 3.1.0\ninfo: {title: Yam}\nservers: [{url: /v2}]\npaths:\n  /a: {$ref: ./b.yaml#/x}\n"
    other = "x: {get: {operationId: geta, parameters: [{$ref: '#/p'}]}}\np: {name: q, in: query, schema: {}}"
    service.answer("/d/openapi.yaml", text)
    service.answer("/d/b.yaml", other)
    assert daemon.exec(f"/install {service.url}/d/openapi.yaml").head["ok"]
    daemon.exec("/open app:yam/tags/a.md", "app:yam")
    assert daemon.exec("/act.geta 5", "app:yam").head["ok"]
    assert service.last.target == "/v2/a?q=5"


@pytest.mark.requirement("openapi.references")
def test_a_local_description_reads_only_what_its_user_may(daemon: DaemonProcess) -> None:
    secret = daemon.home.parent / "secret.json"
    put(secret, '{"get": {"operationId": "leaked"}}')
    put(daemon.home / "api" / "a.json", '{"get": {"operationId": "own", "tags": ["pets"]}}')
    references = {
        "/a": {"$ref": "a.json"},
        "/b": {"$ref": "../../secret.json"},
        "/c": {"$ref": "/etc/passwd"},
    }
    put(daemon.home / "api" / "openapi.json", json.dumps(zoo(paths=references)))
    reply = daemon.exec("/install api/openapi.json --as zoo")
    assert reply.head["ok"], reply.content
    assert reply.content.count("[!] Missing document: ") == 2
    text = (daemon.home / "packages" / "zoo" / "openapi.json").read_text()
    assert "own" in text
    assert "leaked" not in text


@pytest.mark.requirement("openapi.install.update")
def test_an_update_shows_what_changed(daemon: DaemonProcess, install: Install) -> None:
    install(zoo())
    changed = zoo()
    changed["paths"]["/new"] = {"get": operation("brandNew")}
    put(daemon.home / "api.json", json.dumps(changed))
    reply = daemon.exec("/install --update zoo")
    assert reply.head["ok"], reply.content
    assert "Updated app:zoo" in reply.content
    assert "act.brandnew" in reply.content


@pytest.mark.requirement("openapi.install", "openapi.hostile")
@pytest.mark.parametrize(
    ("text", "options", "fault"),
    [
        ("openapi: 3.0.0\na: [3", "", "Not YAML"),
        ('{"openapi": "3.0.0", "paths": {"/a": }', "", "Not JSON"),
        ('{"openapi": "3.0.0"}', "--server ftp://x", "--server: expected an http(s) URL"),
        ("openapi: 3.0.0\na: &a [*a]\n", "", "stands for nothing"),
    ],
)
def test_what_cannot_be_installed_is_refused(
    daemon: DaemonProcess, text: str, options: str, fault: str
) -> None:
    put(daemon.home / "api.yaml", text)
    assert fault in refused(daemon, f"/install api.yaml --as zoo {options}")[1]
    assert not (daemon.home / "packages" / "zoo").exists()


@pytest.mark.requirement("openapi.call.zone")
def test_a_description_from_the_network_leads_no_nearer(
    daemon: DaemonProcess, install: Install, service: Service
) -> None:
    install(zoo(service.url))
    entry = daemon.home / "packages" / "zoo" / "string.md"
    # As it is written for a description that came from the network.
    put(entry, entry.read_text().replace("\nserver:", "\nzone: public\nserver:", 1))
    daemon.exec("/open app:zoo/tags/pets.md", APP)
    assert refused(daemon, "/act.listpets", APP)[0] == "NOT_TRUSTED"
    assert not service.received


@pytest.mark.requirement("openapi.find")
def test_operations_are_found_and_called_from_any_page(
    daemon: DaemonProcess, install: Install, service: Service
) -> None:
    install(zoo(service.url))
    daemon.exec("/open app:zoo", APP)
    shown = daemon.exec("/find photo", APP).content
    assert "getphoto" in shown
    assert "putphoto" in shown
    assert daemon.exec("/act.getpet 7", APP).head["ok"]
    assert service.last.target == "/pets/7"

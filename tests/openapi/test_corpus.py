"""Real descriptions: every operation is listed, and a sample of the calls is right.

The requests are checked by openapi-core, which shares no code with the plugin.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from stringd_openapi.reading.description_text import read_text
from tests.actions.service import Service
from tests.openapi.descriptions import DESCRIPTIONS, RealDescription

pytestmark = [pytest.mark.long, pytest.mark.requirement("openapi.corpus")]

SAMPLE = 8
LEAST_RIGHT = 0.95
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
EXPLAINED = {
    "Formatter not found": "the library knows no such `format`",
    "is not of type 'object'": "the library decodes no JSON within a query",
    "is not of type 'boolean'": "the library reads the parts of a form as texts",
    "is not of type 'number'": "the same",
    "is not of type 'integer'": "the same, and the description has an infinite default",
    "Missing required path parameter": "the library does not find labels in a path",
    "expected a text that matches": "the example in the description breaks its own pattern",
    "expected at least": "the sample fits the pattern, but is shorter than the description allows",
    "is not one of [": "the description lists numbers for a text",
    "is not of type 'string'": "the library compares the bytes of a file with the type string",
    "is not a 'byte'": "the same, for a file in base64",
    "('pipeDelimited'": "the library decodes this style in queries only",
    "('spaceDelimited'": "the same",
    "is a required property": "the library cannot read lists as deepObject in forms",
    "is not a 'email'": "the sample fits the bounds of a text, but not its format, which is not checked",
    "expected a part of the URL's path": "an empty object as a label is a dot, which no path can have",
    "is not a 'date'": "the example in the description is a time, although its format is a date",
    "Missing required query parameter": "an empty object has no pairs in a query",
    "expected exactly one of the alternatives": "the sample mixes alternatives that exclude one another",
}
"""Why some sampled calls count as wrong although they are not, by a part of what the library says."""
_SCHEMES = re.compile(r"^  - name: (\w+)$", re.MULTILINE)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    """A daemon for all descriptions."""
    daemon = DaemonProcess(tmp_path_factory.mktemp("corpus"), (), {}, port=0, data_dir=None)
    daemon.start()
    daemon.register("default", daemon.home)
    (daemon.home / "file.bin").write_bytes(b"\x00\x01x")
    yield daemon
    daemon.stop(60)


def install(daemon: DaemonProcess, description: RealDescription, server: str) -> Path:
    """Install a description, and return the directory of its app."""
    file = daemon.home / f"{description.name}{Path(description.member).suffix}"
    file.write_bytes(description.read())
    reply = daemon.exec(f"/install {file.name} --as {description.name} --replace --server {server}")
    assert reply.head["ok"], reply.content
    return daemon.home / "packages" / description.name


def uninstall(daemon: DaemonProcess, description: RealDescription) -> None:
    """Uninstall an app: several descriptions have the same title, by which apps are told apart."""
    assert daemon.exec(f"/uninstall {description.name}").head["ok"]


@pytest.mark.parametrize("description", DESCRIPTIONS, ids=lambda it: it.name)
def test_every_operation_is_listed(installed: DaemonProcess, description: RealDescription) -> None:
    package = install(installed, description, "http://127.0.0.1:9/api")
    source = read_text(description.read())
    expected = {
        (method.upper(), path)
        for path, item in source["paths"].items()
        for method in METHODS
        if method in item and "$ref" not in item
    }
    pages = [it.read_text(encoding="utf-8") for it in (package / "tags").iterdir()]
    shown = {
        (found[1], found[2])
        for it in pages
        for found in re.finditer(r"^([A-Z]+) `([^`]+)`", it, re.MULTILINE)
    }
    assert expected <= shown
    names = [found for it in pages for found in re.findall(r"^```act\.(\S+)$", it, re.MULTILINE)]
    assert len(names) == len(set(names)) >= len(expected)
    assert installed.exec(f"/open app:{description.name}", f"app:{description.name}").head["ok"]
    uninstall(installed, description)


@pytest.mark.timeout(900)
def test_sampled_calls_are_right(
    installed: DaemonProcess, service: Service, record_property: Callable[[str, object], None]
) -> None:
    # It takes a second to import.
    from tests.openapi.sampled_calls import sampled_calls

    wrong: list[str] = []
    unexplained: list[str] = []
    count = 0
    for it in DESCRIPTIONS:
        package = install(installed, it, f"{service.url}/api")
        set_secrets(installed, it.name, (package / "string.md").read_text(encoding="utf-8"))
        document = json.loads((package / "openapi.json").read_bytes())
        for call in sampled_calls(installed, service, it.name, document, SAMPLE):
            count += 1
            if call.faults:
                line = f"{it.name} {call.command[:300]}\n    {call.faults[0][:300]}"
                wrong.append(line)
                unexplained += [] if any(known in call.faults[0] for known in EXPLAINED) else [line]
        uninstall(installed, it)
    record_property("told", f"{count - len(wrong)} of {count} sampled calls are right\n" + "\n".join(wrong))
    assert len(wrong) <= (1 - LEAST_RIGHT) * count, "\n".join(wrong)
    assert not unexplained, "\n".join(unexplained)


def set_secrets(daemon: DaemonProcess, name: str, page: str) -> None:
    """Set every `$NAME` that an app needs."""
    for secret in _SCHEMES.findall(page):
        if not secret.endswith(("_EXPIRES_AT", "_REFRESH_TOKEN")):
            assert daemon.exec(f'/set ${secret} = "s3cret"', f"app:{name}").head["ok"]

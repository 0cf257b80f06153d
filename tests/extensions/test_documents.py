"""A third-party loader and renderer, used by a command."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from stringd.testing.process import DaemonProcess
from tests.extensions.conftest import StartGarden


def test_a_uri_is_loaded_and_rendered(garden: DaemonProcess) -> None:
    opened = garden.exec("/leaf SEED:Carrot")
    assert opened.content == "re: /leaf SEED:Carrot\nOpened seed:carrot\n---\n# Carrot of default"
    meta = {"uri": "seed:carrot", "title": "A seed", "current_block": None}
    assert opened.head["meta"] == meta
    assert garden.request("GET", "/sessions").json()["sessions"][0]["doc"] == meta


def test_document_is_shown_by_string(string: Callable[..., str]) -> None:
    assert string("file:main", "/leaf seed:beet") == "Opened seed:beet\n---\n# beet of default\n"


@pytest.mark.parametrize(
    ("uri", "code", "said"),
    [
        ("seed:stone", "NOT_FOUND", "No such seed: stone"),
        (
            "stone:beet",
            "INVALID_TARGET",
            "No plugin loads stone: URIs.\nschemes: app, http, https, mcp, seed",
        ),
    ],
)
def test_load_failure_is_reported(uri: str, code: str, said: str, garden: DaemonProcess) -> None:
    refused = garden.exec(f"/leaf {uri}")
    assert refused.content == f"re: /leaf {uri}\nERROR({code}): {said}"
    assert refused.head["meta"] is None


def test_missing_renderer_is_reported(start_garden: StartGarden) -> None:
    daemon = start_garden("--without", "web")
    daemon.register("default", daemon.home)
    refused = daemon.exec("/leaf seed:gravel")
    said = "ERROR(LOAD_ERROR): No plugin renders text/x-gravel: seed:gravel"
    assert refused.content == f"re: /leaf seed:gravel\n{said}"

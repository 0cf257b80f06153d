"""Fixtures of the tests of providers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.runs.providers.streaming_server import Providers
from tests.web.server import Site, serving


@pytest.fixture(autouse=True)
def _no_keys_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "LOCAL_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def site() -> Iterator[Site]:
    """A server of models that serves nothing yet."""
    with serving() as running:
        yield running


@pytest.fixture
def providers(site: Site) -> Providers:
    """The providers of a daemon whose servers are the site."""
    return Providers(site)

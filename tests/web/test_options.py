"""Options of `/open` behind a URL."""

from __future__ import annotations

import pytest

from tests.actions.acting import Stage
from tests.web.server import Site


@pytest.mark.requirement("web.options")
@pytest.mark.parametrize(("typed", "nearest"), [("--brwoser", "--browser"), ("--ful", "--full")])
def test_mistyped_option_is_refused_with_the_nearest(
    stage: Stage, site: Site, typed: str, nearest: str
) -> None:
    url = site.page("/page", "<p>Words</p>")
    first, options, hint = stage.send(f"/open {url} {typed}").splitlines()
    assert first == f"ERROR(INVALID_PAYLOAD): Unknown option: {typed}"
    assert nearest in options
    assert hint == f"nearest: {nearest}"
    assert site.received == []


@pytest.mark.requirement("web.options")
def test_mistyped_option_behind_a_link_or_block(stage: Stage, site: Site) -> None:
    stage.send(f"/open {site.page('/page', '<h1>Top</h1><p><a href=/other>Next</a></p>')}")
    for target in ("@next", "#top"):
        assert stage.code(f"/open {target} --cofirm") == "INVALID_PAYLOAD"

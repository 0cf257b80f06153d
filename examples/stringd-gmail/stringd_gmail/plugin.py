"""The additions of this distribution to stringd."""

from __future__ import annotations

from collections.abc import Iterable

from stringd.plugin import hookimpl
from stringd_app import App
from stringd_gmail.actions import read, send


@hookimpl
def stringd_apps() -> Iterable[App]:
    """Add `app:gmail`."""
    return [App(name="gmail", package="stringd_gmail", actions=(read, send))]

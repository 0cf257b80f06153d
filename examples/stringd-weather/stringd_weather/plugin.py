"""The additions of this distribution to stringd."""

from __future__ import annotations

from collections.abc import Iterable

from stringd.plugin import hookimpl
from stringd_app import App
from stringd_weather.actions import now


@hookimpl
def stringd_apps() -> Iterable[App]:
    """Add `app:weather`."""
    return [App(name="weather", package="stringd_weather", actions=(now,))]

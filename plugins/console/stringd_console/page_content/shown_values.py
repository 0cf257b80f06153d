"""Filters of templates: times, durations, sizes and long texts as a person reads them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from markupsafe import Markup, escape

from stringd.plugin.text import shortened
from stringd_console.page_content.shown_text import shown_text

_MINUTE, _HOUR, _DAY = 60, 3600, 86400
_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")
_STEP = 1024


def moment(seconds: float) -> Markup:
    """Return a point in time as an element that the page's script shows in the browser's own time zone."""
    when = datetime.fromtimestamp(seconds, UTC)
    return Markup('<time datetime="{}">{}</time>').format(
        when.isoformat(timespec="milliseconds"), when.strftime("%Y-%m-%d %H:%M:%S UTC")
    )


def since(seconds: float) -> Markup:
    """Return a point in time as an element in which the page's script counts how long ago it is."""
    when = datetime.fromtimestamp(seconds, UTC)
    return Markup('<time data-since="{}">since {}</time>').format(
        when.isoformat(timespec="milliseconds"), when.strftime("%H:%M:%S UTC")
    )


def path_of_topic(user_id: str, topic: str) -> str:
    """Return the path of a topic's page."""
    return f"/console/topics/{quote(user_id, safe='')}/{quote(topic, safe=':')}"


def duration(seconds: float) -> str:
    """Return a length of time in one or two units."""
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < _MINUTE:
        return f"{seconds:.1f} s"
    if seconds < _HOUR:
        return f"{seconds // _MINUTE:.0f} min {seconds % _MINUTE:.0f} s"
    if seconds < _DAY:
        return f"{seconds // _HOUR:.0f} h {seconds % _HOUR // _MINUTE:.0f} min"
    return f"{seconds // _DAY:.0f} d {seconds % _DAY // _HOUR:.0f} h"


def size(count: float) -> str:
    """Return a number of bytes in the largest unit that fits."""
    for unit in _UNITS[:-1]:
        if count < _STEP:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= _STEP
    return f"{count:.1f} {_UNITS[-1]}"


def clipped(text: str, most: int = 200) -> Markup:
    """Return a text of one line; if it is longer, its beginning, and all of it on demand."""
    shown = shown_text(text)
    if len(shown) <= most:
        return escape(shown)
    return Markup(
        '<details class="clipped"><summary>{}'
        '<span class="more">… {} more characters</span></summary>{}</details>'
    ).format(shown[:most], f"{len(shown) - most:,}", shown[most:])


FILTERS: Mapping[str, Callable[..., Any]] = {
    "clipped": clipped,
    "duration": duration,
    "moment": moment,
    "shortened": shortened,
    "since": since,
    "size": size,
}

"""The settings of web topics."""

from __future__ import annotations

from dataclasses import dataclass

from stringd.plugin import LEAST_PART, PART_CHARACTERS, setting


@dataclass(frozen=True, slots=True, kw_only=True)
class WebSettings:
    """What a person can set."""

    keep_cookies: bool = setting(False, "Keep the cookies of topics when the daemon restarts.", option=True)
    part: int = setting(
        PART_CHARACTERS,
        "How long a part of a long page is.",
        unit="characters",
        least=LEAST_PART,
        most=10 * 1024 * 1024,
        option=True,
    )

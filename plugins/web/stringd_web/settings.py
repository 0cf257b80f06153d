"""The settings of web topics."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from stringd.plugin import setting


class PrivateAddresses(StrEnum):
    """When private networks and this machine are reached."""

    TYPED = "typed"
    NEVER = "never"


@dataclass(frozen=True, slots=True, kw_only=True)
class WebSettings:
    """What a person can set."""

    keep_cookies: bool = setting(False, "Keep the cookies of topics when the daemon restarts.", option=True)
    download: int = setting(
        1024,
        "The size limit of files that are saved from the web.",
        unit="MiB",
        least=1,
        most=1024 * 1024,
        option=True,
    )
    private: PrivateAddresses = setting(
        PrivateAddresses.TYPED,
        "Whether private networks and this machine are reached if a URL there is typed, or never.",
        option=True,
    )

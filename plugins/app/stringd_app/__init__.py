"""The `app` topic type: apps from files, from directories, and from anyone's package."""

from __future__ import annotations

from stringd_app.context import Context
from stringd_app.functions import Param
from stringd_app.records import App

__all__ = ["App", "Context", "Param"]

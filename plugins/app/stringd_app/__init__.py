"""The `app` topic type: apps from files, directories, archives, URLs and other plugins."""

from __future__ import annotations

from stringd_app.app_hook import App
from stringd_app.functions import Context, Param

__all__ = ["App", "Context", "Param"]

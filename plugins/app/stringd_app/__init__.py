"""The `app` topic type: apps from files, directories, archives, URLs and other plugins."""

from __future__ import annotations

from stringd_app.app_hook import App
from stringd_app.app_sources import AppFile, AppSource, SourceApp, SourceFile, SourceRequest
from stringd_app.functions import Context, Param
from stringd_app.installed_files import rewrite_files

__all__ = [
    "App",
    "AppFile",
    "AppSource",
    "Context",
    "Param",
    "SourceApp",
    "SourceFile",
    "SourceRequest",
    "rewrite_files",
]

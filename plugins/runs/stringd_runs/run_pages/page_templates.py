"""The templates of the pages of runs."""

from __future__ import annotations

from stringd_console import PageTemplates

TEMPLATES = PageTemplates("stringd_runs")

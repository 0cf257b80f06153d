"""What this plugin adds to stringd."""

from __future__ import annotations

"""A plugin whose dependency is not there."""

from __future__ import annotations

from importlib import import_module

soil = import_module("a_soil_that_nobody_has")

"""Output and progress of a plugin's command."""

from __future__ import annotations

import pytest

from tests.events.output import Watched


@pytest.mark.requirement("output.plugins")
def test_command_of_a_plugin_publishes_progress_and_text(watched: Watched) -> None:
    watched.daemon.exec("/work", "file:main", request_id="r1")
    steps = watched.progress("steps")
    assert 2 <= len(steps) <= 6
    assert {(it["total"], it["unit"], it["request_id"]) for it in steps} == {(10, "steps", "r1")}
    assert [it["done"] for it in steps] == sorted({it["done"] for it in steps})
    (text,) = (it for it in watched.events("output") if it["text"])
    assert (text["text"], text["source"]) == ("$KEY is used\n", "log")


@pytest.mark.requirement("output.order")
def test_output_after_the_end_of_a_command_is_not_published(watched: Watched) -> None:
    watched.daemon.exec("/work", "file:main")
    watched.daemon.exec("/exec sleep 0.5", "file:main")
    assert "too late" not in watched.text()
    assert watched.daemon.stderr().count("Traceback") == 0

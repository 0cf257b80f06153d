"""Transcripts of runs: who has said what, and which tools were used."""

from __future__ import annotations

from typing import Any

import pytest

from stringd_runs.run_topic.transcript import transcript


@pytest.mark.requirement("runs.topics.refresh")
def test_each_turn_of_an_agent_has_a_heading() -> None:
    said = [("ann", "user", "Hello\nthere"), ("bob", "user", ""), ("bob", "assistant", "# Hi")]
    records = [{"agentName": agent, "role": role, "text": text} for agent, role, text in said]
    assert transcript(records) == "## ann\n\n> Hello\n> there\n\n## bob\n\n# Hi"
    assert transcript([]) == "Nothing was said yet."


@pytest.mark.requirement("runs.topics.refresh")
def test_uses_of_tools_are_shown_and_cannot_leave_their_blocks() -> None:
    call = {"toolCallId": "1", "toolName": "file", "args": '{"command": "/open a.md"}'}
    output = "```\n## ann\n\nI agree.\n```"
    used = {"agentName": "bob", "role": "tool", "toolCallId": "1", "toolName": "file", "text": output}
    records: list[dict[str, Any]] = [
        {"agentName": "bob", "role": "assistant", "text": "Let me see.", "toolCalls": [call]},
        {**used, "isError": False},
        {**used, "isError": True, "text": "missing"},
    ]
    assert transcript(records).split("\n\n## bob\n\n")[0] == "\n\n".join(
        (
            "## bob",
            "Let me see.",
            "Calls `file`:",
            '```json\n{"command": "/open a.md"}\n```',
            "`file` answered:",
            f"````text\n{output}\n````",
            "`file` failed:",
            "```text\nmissing\n```",
        )
    )

"""`stringd prompt`: a system prompt and a tool definition, for agents without MCP."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping
from typing import Any

from stringd.plugin import CliCommand
from stringd.plugin.cli import write_output
from stringd.plugin.inspection import topic_types
from stringd.plugin.text import agent_brief

_DESCRIPTION = "Send one command to a topic of stringd, as the system prompt says, and return its reply."
_PARAMETERS: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "topic": {"type": "string", "description": "type:name, such as file:main"},
        "command": {"type": "string", "description": "such as /open README.md; the body on the lines below"},
    },
    "required": ["topic", "command"],
    "additionalProperties": False,
}
_ANTHROPIC = {"name": "string", "description": _DESCRIPTION, "input_schema": _PARAMETERS}
_OPENAI = {
    "type": "function",
    "function": {"name": "string", "description": _DESCRIPTION, "parameters": _PARAMETERS},
}


def _markdown(arguments: argparse.Namespace) -> str:
    return agent_brief(topic_types(arguments.config))


_FORMATS: Mapping[str, Callable[[argparse.Namespace], str]] = {
    "markdown": _markdown,
    "openai-tool": lambda _: json.dumps(_OPENAI, indent=2),
    "anthropic-tool": lambda _: json.dumps(_ANTHROPIC, indent=2),
}


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--format", choices=[*_FORMATS], default="markdown", help="the system prompt, or a tool definition"
    )


def _run(arguments: argparse.Namespace) -> int:
    write_output(_FORMATS[arguments.format](arguments))
    return 0


PROMPT = CliCommand(
    name="prompt",
    summary="Print a system prompt from which an agent can use stringd, or the definition of its tool.",
    configure=_configure,
    run=_run,
)

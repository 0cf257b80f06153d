"""An agent in a loop: the model calls the tool `string` until it answers without a call.

agent.py openai MODEL TASK       OPENAI_API_KEY, OPENAI_BASE_URL
agent.py anthropic MODEL TASK    ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import httpx

from stringd.client import Client


def prompt(kind: str) -> str:
    """Return what `stringd prompt` prints in a format."""
    command = [sys.executable, "-m", "stringd", "prompt", "--format", kind]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def post(url: str, body: dict[str, Any], headers: dict[str, str]) -> Any:
    """Send JSON, and return the JSON that answers it."""
    return httpx.post(url, json=body, headers=headers, timeout=600).raise_for_status().json()


def openai(model: str, task: str, client: Client) -> str:
    """Run the loop with an API that is compatible with OpenAI's."""
    url = os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1") + "/chat/completions"
    key = {"authorization": f"Bearer {os.environ['OPENAI_API_KEY']}"}
    tools = [json.loads(prompt("openai-tool"))]
    messages: list[Any] = [
        {"role": "system", "content": prompt("markdown")},
        {"role": "user", "content": task},
    ]
    while True:
        said = post(url, {"model": model, "messages": messages, "tools": tools}, key)["choices"][0]["message"]
        messages.append(said)
        for call in said.get("tool_calls") or ():
            result = client.exec(**arguments(json.loads(call["function"]["arguments"]))).content
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})
        if not said.get("tool_calls"):
            return str(said["content"])


def anthropic(model: str, task: str, client: Client) -> str:
    """Run the loop with Anthropic's API."""
    url = os.environ.get("ANTHROPIC_BASE_URL", "https://api.anthropic.com") + "/v1/messages"
    key = {"x-api-key": os.environ["ANTHROPIC_API_KEY"], "anthropic-version": "2023-06-01"}
    fixed = {"model": model, "max_tokens": 8192, "system": prompt("markdown")}
    tools, messages = [json.loads(prompt("anthropic-tool"))], [{"role": "user", "content": task}]
    while True:
        said = post(url, {**fixed, "tools": tools, "messages": messages}, key)["content"]
        calls = [it for it in said if it["type"] == "tool_use"]
        messages.append({"role": "assistant", "content": said})
        if not calls:
            return "".join(it["text"] for it in said if it["type"] == "text")
        replies = [(it["id"], client.exec(**arguments(it["input"]))) for it in calls]
        results = [
            {"tool_use_id": number, "content": it.content, "is_error": not it.ok} for number, it in replies
        ]
        messages.append({"role": "user", "content": [{"type": "tool_result", **it} for it in results]})


def arguments(given: dict[str, str]) -> dict[str, str]:
    """Return the arguments of the client for those of the tool."""
    return {"topic": given.get("topic", "file:main"), "cmd": given.get("command", "/help --brief")}


if __name__ == "__main__":
    with Client() as user:
        print({"openai": openai, "anthropic": anthropic}[sys.argv[1]](*sys.argv[2:4], user))

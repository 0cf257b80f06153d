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

from stringd.client import Client, StringdError


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
            _, result = answer(client, call["function"]["arguments"])
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
        replies = [(it["id"], *answer(client, json.dumps(it["input"]))) for it in calls]
        results = [{"tool_use_id": it, "content": text, "is_error": not ok} for it, ok, text in replies]
        messages.append({"role": "user", "content": [{"type": "tool_result", **it} for it in results]})


def answer(client: Client, given: str) -> tuple[bool, str]:
    """Run the command of a call; a model that is told what is wrong with its call repeats it."""
    try:
        arguments = json.loads(given)
        result = client.exec(topic=arguments["topic"], cmd=arguments["command"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        return False, f"The tool takes a JSON object with `topic` and `command`: {error}"
    except StringdError as error:
        return False, str(error)
    return result.ok, result.content


if __name__ == "__main__":
    apis = {"openai": openai, "anthropic": anthropic}
    if len(sys.argv) != 4 or sys.argv[1] not in apis:
        sys.exit(__doc__)
    with Client() as user:
        print(apis[sys.argv[1]](*sys.argv[2:], user))

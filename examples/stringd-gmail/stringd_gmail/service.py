"""Requests to Gmail, with the user's token."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import httpx

from stringd.plugin import Refusal
from stringd_app import Context

SECONDS = 30.0


async def call(context: Context, method: str, *path: str, json: object = None) -> dict[str, Any]:
    """Send a request about the user's messages and return the response, or refuse with Gmail's message."""
    place = "/".join(quote(part, safe="") for part in path)
    url = f"{context.secrets['GMAIL_API']}/gmail/v1/users/me/messages/{place}"
    headers = {"Authorization": f"Bearer {context.secrets['GMAIL_TOKEN']}"}
    try:
        async with httpx.AsyncClient(timeout=SECONDS, headers=headers) as client:
            response = await client.request(method, url, json=json)
    except httpx.HTTPError as error:
        raise Refusal("ACTION_FAILED", f"No answer from Gmail: {error}") from error
    if response.is_error:
        raise Refusal("ACTION_FAILED", f"{response.status_code} from Gmail", response.text[:500])
    answer: dict[str, Any] = response.json()
    return answer

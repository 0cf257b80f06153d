"""How far the actions of a page from the network may reach: not from a public page into a private network."""

from __future__ import annotations

import asyncio
import socket
from dataclasses import replace
from ipaddress import ip_address
from urllib.parse import urlsplit

from stringd.contracts.http import HttpRequest
from stringd.errors import Refusal


async def within_reach(request: HttpRequest, *, private: bool) -> HttpRequest:
    """Return the request bound to an address that a page's actions may reach: is that a `private` page?"""
    addresses = await _addresses(request.origin)
    if not all(map(_is_public, addresses)) and not private:
        host = urlsplit(request.origin).hostname
        message = f"A page from the network may not reach {host}, which is in a private network."
        raise Refusal("NOT_TRUSTED", message, "Save the page to a file, and open that.")
    # Looked up once: the same name can't lead elsewhere when it is connected to.
    return replace(request, address=addresses[0])


async def _addresses(uri: str) -> list[str]:
    url = urlsplit(uri)
    try:
        found = await asyncio.get_running_loop().getaddrinfo(
            url.hostname, url.port or url.scheme, type=socket.SOCK_STREAM
        )
    except OSError as error:
        raise Refusal("ACTION_FAILED", f"No such host: {url.hostname}") from error
    return [str(it[4][0]) for it in found]


def _is_public(address: str) -> bool:
    return ip_address(address.partition("%")[0]).is_global

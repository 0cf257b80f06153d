"""Web pages to fetch: Python's documentation from the Debian package python3-doc."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.responses import HTMLResponse
from starlette.routing import Route

from bench.serve import serve

if TYPE_CHECKING:
    from starlette.requests import Request

NUMBER = 120


@cache
def pages() -> list[str]:
    """Return pages of the library reference; raise RuntimeError if the package is missing."""
    found = sorted(Path("/usr/share/doc").glob("python3.*/html/library/*.html"))[:NUMBER]
    if len(found) < NUMBER:
        raise RuntimeError("there are no pages: .ci/debian installs python3-doc")
    return [path.read_text(encoding="utf-8") for path in found]


async def _serve_page(request: Request) -> HTMLResponse:
    return HTMLResponse(pages()[request.path_params["number"] % NUMBER])


if __name__ == "__main__":
    pages()
    serve(Starlette(routes=[Route("/{number:int}.html", _serve_page)]), "pages")

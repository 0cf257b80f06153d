"""Tasks on the web, served on loopback, and how each tool does them."""

from __future__ import annotations

import json
import re
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Protocol
from urllib.parse import parse_qs

from bench.agent_tools import Stringd, ToolServer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_CLUTTER = "<nav>" + "".join(f'<a href="/n{number}">Topic {number}</a>' for number in range(150)) + "</nav>"
_PARAGRAPH = "<p>The ferry leaves the harbour in the morning and returns before the evening.</p>"
_LONG = "".join(f"<h2>Chapter {number}</h2>{_PARAGRAPH * 30}" for number in range(120))
_FACT = "<p>The secret ingredient is cardamom-77.</p>"
_FORM = (
    '<form action="/login" method="post" id="login"><input name="name"><input name="word" type="password">'
)
_PAGES = {
    "/article": f"<title>Tea</title>{_CLUTTER}<main><h1>Tea</h1>{_PARAGRAPH * 5}{_FACT}</main>",
    "/long": f"<title>Log</title><main><h1>Log</h1>{_LONG}{_FACT}{_LONG}</main>",
    "/index": '<title>Index</title><main><h1>Index</h1><p>See <a href="/article">the recipe</a>.</p></main>',
    "/enter": f"<title>Enter</title><main><h1>Enter</h1>{_FORM}<button>Log in</button></form></main>",
}
_LONGEST = 100


class WebTool(Protocol):
    """What an agent needs of the web."""

    def open(self, url: str) -> str:
        """Open a page."""

    def find(self, url: str, text: str) -> str:
        """Find a text in a long page."""

    def follow(self, label: str, shown: str) -> str:
        """Follow a link of the page that was shown."""

    def log_in(self, name: str, word: str, shown: str) -> str:
        """Fill in the form of the page that was shown, and send it."""


class StringdWeb(Stringd):
    """A web topic."""

    def open(self, url: str) -> str:
        """Open a page."""
        return self.send(f"/open {url}")

    def find(self, url: str, text: str) -> str:
        """Find a text in a long page."""
        self.open(url)
        return self.send(f"/find {text}")

    def follow(self, label: str, shown: str) -> str:
        """Follow a link of the page that was shown."""
        return self.send(f"/open @{shown.partition(f'[{label}][@')[2].partition(']')[0]}")

    def log_in(self, name: str, word: str, shown: str) -> str:
        """Fill in the form of the page that was shown, and send it."""
        return self.send(f"/act.login --name {name} --word {word}") if shown else ""


class Fetch(ToolServer):
    """The reference MCP server for web pages."""

    _url = ""

    def open(self, url: str) -> str:
        """Open a page."""
        self._url = url
        return self.call("fetch", url=url)

    def find(self, url: str, text: str) -> str:
        """Find a text in a long page: it is read piece by piece."""
        start = 0
        for _ in range(_LONGEST):
            shown = self.call("fetch", url=url, start_index=start, max_length=50_000)
            if text in shown or "No more content" in shown:
                return shown
            start += 50_000
        return ""

    def follow(self, label: str, shown: str) -> str:
        """Follow a link of the page that was shown."""
        path = shown.partition(f"[{label}](")[2].partition(")")[0]
        return self.open(re.sub(r"^(http://[^/]*).*", r"\1", self._url) + re.sub(r"^http://[^/]*", "", path))

    def log_in(self, name: str, word: str, shown: str) -> str:
        """Give up: there are no forms."""
        return ""


class Playwright(ToolServer):
    """A browser, which shows pages as trees with references."""

    def open(self, url: str) -> str:
        """Open a page."""
        return self.call("browser_navigate", url=url) + self.call("browser_snapshot")

    def find(self, url: str, text: str) -> str:
        """Find a text in a long page: the whole tree is read."""
        return self.open(url) if text else ""

    def follow(self, label: str, shown: str) -> str:
        """Follow a link of the page that was shown."""
        self.call(
            "browser_click", element=label, ref=_reference(shown, f'link "{label}"'), **_target(shown, label)
        )
        return self.call("browser_snapshot")

    def log_in(self, name: str, word: str, shown: str) -> str:
        """Fill in the form of the page that was shown, and send it."""
        boxes = re.findall(r"textbox[^\n]*\[ref=(\w+)\]", shown)
        for box, text in zip(boxes, (name, word), strict=False):
            self.call("browser_type", element="field", ref=box, target=box, text=text)
        button = _reference(shown, 'button "Log in"')
        self.call("browser_click", element="Log in", ref=button, target=button)
        return self.call("browser_snapshot")


def article(tool: WebTool, base: str) -> bool:
    """Read a fact in an article."""
    return "cardamom-77" in tool.open(f"{base}/article")


def long_page(tool: WebTool, base: str) -> bool:
    """Find a fact in the middle of a page of 600 KB."""
    return "cardamom-77" in tool.find(f"{base}/long", "cardamom")


def link(tool: WebTool, base: str) -> bool:
    """Follow a link."""
    return "cardamom-77" in tool.follow("the recipe", tool.open(f"{base}/index"))


def login(tool: WebTool, base: str) -> bool:
    """Log in, and read what only members see."""
    tool.log_in("ann", "open-sesame", tool.open(f"{base}/enter"))
    return "for members: 4711" in tool.open(f"{base}/members")


def data(tool: WebTool, base: str) -> bool:
    """Read a value of an API."""
    return bool(re.search(r'"depth\W{1,4} 42', tool.open(f"{base}/data")))


WEB_TASKS: tuple[Callable[[WebTool, str], bool], ...] = (article, long_page, link, login, data)


@contextmanager
def site() -> Iterator[str]:
    """Serve the pages, and yield their address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path == "/data":
            self._answer(json.dumps({"sea": {"depth": 42}}, indent=1), "application/json")
        elif self.path == "/members":
            is_member = "member=ann" in self.headers.get("cookie", "")
            self._answer(
                f"<main><p>{'This is for members: 4711' if is_member else 'Log in first.'}</p></main>"
            )
        elif self.path in _PAGES:
            self._answer(_PAGES[self.path])
        else:
            self.send_error(404)

    def do_POST(self) -> None:
        form = parse_qs(self.rfile.read(int(self.headers["content-length"])).decode())
        is_right = form.get("word") == ["open-sesame"]
        cookie = f"member={form['name'][0]}" if is_right else "member=nobody"
        self._answer("<main><p>Welcome.</p></main>", cookie=cookie)

    def log_message(self, *_: object) -> None:
        """Print nothing."""

    def _answer(self, text: str, media_type: str = "text/html; charset=utf-8", cookie: str = "") -> None:
        body = text.encode()
        self.send_response(200)
        self.send_header("content-type", media_type)
        self.send_header("content-length", str(len(body)))
        if cookie:
            self.send_header("set-cookie", cookie)
        self.end_headers()
        self.wfile.write(body)


def _reference(shown: str, element: str) -> str:
    found = re.search(rf"{re.escape(element)}[^\n]*\[ref=(\w+)\]", shown)
    return found[1] if found else ""


def _target(shown: str, label: str) -> dict[str, str]:
    return {"target": _reference(shown, f'link "{label}"')}

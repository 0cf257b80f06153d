"""Three commands whose walks are measured: a document opened, an HTTP action called, a web page opened."""

from __future__ import annotations

import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from bench.trace import SAMPLE, Called, figures, trace

_HEADINGS = 60
_APP = """---
name: Forecasts
---
# Forecasts

```act.forecast
GET {url}/forecast.json?city={{city}}
  city: string (required) "Which city"
```

```act.forecast.response
{{Response.body.city}}: {{Response.body.sky}}
```
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """A command to trace, the topic that it is sent to, and a text that its answer contains."""

    name: str
    topic: str
    cmd: str
    expected: str
    before: tuple[str, ...] = ()


class _Site(BaseHTTPRequestHandler):
    """A page and the answer to an action."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        is_page = self.path.endswith(".html")
        self.send_response(200)
        body = _page() if is_page else b'{"city": "Oslo", "sky": "clear"}'
        self.send_header("Content-Type", "text/html; charset=utf-8" if is_page else "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


def _page() -> bytes:
    sections = "".join(
        f"<h2>Section {number}</h2><p>{'Some words about it. ' * 30}"
        f'<a href="/{number}.html">Page {number}</a></p>'
        for number in range(_HEADINGS)
    )
    page = f"<html><head><title>Guide</title></head><body><h1>Guide</h1>{sections}</body></html>"
    return page.encode()


@contextmanager
def walks() -> Iterator[tuple[Path, Sequence[Walk]]]:
    """Serve a site; yield a user's home and the commands to trace there."""
    site = ThreadingHTTPServer(("127.0.0.1", 0), _Site)
    thread = threading.Thread(target=site.serve_forever, daemon=True)
    thread.start()
    url = f"http://127.0.0.1:{site.server_port}"
    try:
        with tempfile.TemporaryDirectory() as folder:
            home = Path(folder).resolve()
            (home / "a.md").write_text(SAMPLE, encoding="utf-8")
            (home / "b.md").write_text("# Another\n", encoding="utf-8")
            app = home / "packages" / "forecasts"
            app.mkdir(parents=True)
            (app / "string.md").write_text(_APP.format(url=url), encoding="utf-8")
            yield home, _walks(url)
    finally:
        site.shutdown()
        site.server_close()
        thread.join()


def _walks(url: str) -> Sequence[Walk]:
    return (
        Walk(
            name="document",
            topic="file:main",
            before=("/open b.md",),
            cmd="/open a.md#x",
            expected="The section X.",
        ),
        Walk(
            name="action",
            topic="app:forecasts",
            before=("/act.forecast --city Bergen",),
            cmd="/act.forecast --city Oslo",
            expected="Oslo: clear",
        ),
        Walk(
            name="page",
            topic="web:main",
            before=(f"/open {url}/other.html",),
            cmd=f"/open {url}/guide.html",
            expected="Section 1",
        ),
    )


def walked(walk: Walk, home: Path) -> list[Called]:
    """Return the functions that a command calls, or raise if it fails."""
    answer, called = trace(walk.topic, [*walk.before, walk.cmd], home)
    if walk.expected not in answer:
        raise RuntimeError(f"{walk.cmd} fails: {answer[:500]}")
    return called


def main() -> int:
    """Print the figures of each walk."""
    with walks() as (home, known):
        for walk in known:
            print(f"{walk.name}: {figures(walked(walk, home))}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

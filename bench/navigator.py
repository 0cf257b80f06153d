"""Documents to measure with, and a daemon's topic that opens and edits them."""

from __future__ import annotations

import json
import time
from contextlib import contextmanager
from http.client import HTTPConnection
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from bench.servers import USER, daemon
from bench.targets import accepted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bench.servers import Server

TOPIC = "file:main"
OK = '"ok":true'
PAGE = "page.md"
OPEN = f"/open {PAGE}"
_PATIENCE = 60.0

_SECTION = """
## Part {number}

What part {number} is about, in *a few words* with `code` and **weight**, as people write them. It links to
[the part before](part-{number}.md#top), and to [a page elsewhere](https://example.org/parts/{number}).

<!-- #block-{number} -->
- first, do what part {number} asks for
- then look at what came of it, and say so
<!-- /block-{number} -->

| name | value |
| --- | --- |
| size | {number} |

```python
print("part", {number})
```
"""


class DocumentNavigator:
    """A daemon with a topic that opens and edits, over one connection that stays."""

    def __init__(self, server: Server) -> None:
        self.server = server
        users = json.loads(accepted(server.call("GET", "/users")).body)["users"]
        self.page = Path(next(user["home"] for user in users if user["id"] == USER), PAGE)
        self._versions = count()
        self._connection = HTTPConnection("127.0.0.1", server.port, timeout=_PATIENCE)

    def seconds(self, cmd: str) -> float:
        """How long a command takes from its request to the last byte of its answer."""
        body = json.dumps({"cmd": cmd, "topic": TOPIC})
        start = time.perf_counter()
        self._connection.request(
            "POST", "/exec", body, {"content-type": "application/json", "x-user-id": USER}
        )
        answer = self._connection.getresponse().read()
        seconds = time.perf_counter() - start
        if OK.encode("ascii") not in answer:
            raise RuntimeError(f"{cmd[:80]!r} fails: {answer[:500]!r}")
        return seconds

    def first_open(self, size: int) -> float:
        """How long a document takes that this daemon never saw."""
        self.page.write_text(document(size, next(self._versions)), encoding="utf-8")
        return self.seconds(OPEN)

    def close(self) -> None:
        """Hang up."""
        self._connection.close()


@contextmanager
def new_navigator() -> Iterator[DocumentNavigator]:
    """A fresh daemon's topic, which has opened nothing yet."""
    with daemon() as server:
        opened = DocumentNavigator(server)
        try:
            yield opened
        finally:
            opened.close()


def document(size: int, version: int) -> str:
    """A text of so many bytes as people write it, cut off at the end; each version is another text."""
    parts, length, number = [f"# Version {version}\n"], 0, 0
    while length < size:
        parts.append(_SECTION.format(number=number))
        length += len(parts[-1])
        number += 1
    return "".join(parts)[:size]

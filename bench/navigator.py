"""Generated documents, and a topic of a daemon that opens and edits them."""

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
    """A topic of a daemon, used over one persistent connection."""

    def __init__(self, server: Server) -> None:
        self.server = server
        users = json.loads(accepted(server.call("GET", "/users")).body)["users"]
        self.page = Path(next(user["home"] for user in users if user["id"] == USER), PAGE)
        self._versions = count()
        self._connection = HTTPConnection("127.0.0.1", server.port, timeout=_PATIENCE)

    def seconds(self, cmd: str) -> float:
        """Return the time of a command from its request to the last byte of the response."""
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
        """Return the time to open a new document."""
        self.page.write_text(document(size, next(self._versions)), encoding="utf-8")
        return self.seconds(OPEN)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


@contextmanager
def new_navigator(*options: str) -> Iterator[DocumentNavigator]:
    """Start a daemon and return a topic without a document."""
    with daemon(*options) as server:
        opened = DocumentNavigator(server)
        try:
            yield opened
        finally:
            opened.close()


def document(size: int, version: int) -> str:
    """Return a realistic text of a size in bytes; each version has other words."""
    parts, length, number = [f"# Version {version}\n"], 0, 0
    while length < size:
        parts.append(_SECTION.format(number=number))
        length += len(parts[-1])
        number += 1
    return "".join(parts)[:size]

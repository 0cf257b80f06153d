"""A recorded HTTP response, saved in a file for the reference servers."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A response: status, headers with lower-case names, body."""

    status: int
    headers: dict[str, str]
    body: bytes

    def save(self, path: Path) -> None:
        """Write the response to a file."""
        body = base64.b64encode(self.body).decode("ascii")
        record = {"status": self.status, "headers": self.headers, "body": body}
        path.write_text(json.dumps(record), encoding="utf-8")


def load_answer(path: Path) -> Answer:
    """Read a file that `Answer.save` wrote."""
    record = json.loads(path.read_text(encoding="utf-8"))
    return Answer(status=record["status"], headers=record["headers"], body=base64.b64decode(record["body"]))

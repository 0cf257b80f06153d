"""The answer of an action, whether a service, a program, a function or a plugin gave it."""

from __future__ import annotations

import json
from collections.abc import Mapping

from msgspec import Struct, field

from stringd.api.outputs import PrintedText
from stringd.api.sessions import NamedValue
from stringd.api.zones import Zone

_JSON_STARTS = ("{", "[", '"')


class Answer(Struct, frozen=True, kw_only=True):
    """An answer; `body` is the decoded JSON of its text, or else the text itself.

    `data` holds the received bytes if the text does not preserve them, such as those of an image. `status` is
    None and `uri` empty unless the answer came over HTTP. `zone` is the network zone of the answering host.
    `as_markdown` shows the objects and lists of a JSON body as Markdown if no template shows them.
    `markdown` is shown in place of the text unless there is a template; whoever makes it escapes the texts of
    the service, and says which values and links it names. `notices` are shown above the answer in any case.
    `whole` is all that a program has printed, if the text is only its beginning and end.
    """

    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    body: object = ""
    text: str = ""
    data: bytes = b""
    media_type: str = "text/plain"
    uri: str = ""
    zone: Zone = Zone.LOOPBACK
    as_markdown: bool = False
    markdown: str = ""
    values: Mapping[str, NamedValue] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)
    saved: Mapping[str, str] = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    whole: PrintedText | None = None


def read_json(text: str) -> object:
    """Return the decoded JSON of a text, or the text itself if it is not JSON."""
    if not text.lstrip().startswith(_JSON_STARTS):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text

"""E-mail messages: who wrote what to whom, and what is attached."""

from __future__ import annotations

import re
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from io import BytesIO

from stringd.plugin import LoadedBytes
from stringd.plugin.text import counted
from stringd_documents.html_markdown import markdown_of_html
from stringd_documents.inline_text import cleaned, escaped, plain
from stringd_documents.markdown_blocks import MarkdownBlocks
from stringd_documents.text_decoding import decoded

_SHOWN = ("From", "To", "Cc", "Date", "Reply-To")
_HEADING = re.compile(r"^(\s{0,3})(#{1,6})(?=\s|$)", re.MULTILINE)
_TEXTS = {"text/plain", "text/html"}
_MESSAGE = "message/rfc822"
_MOST_ATTACHMENTS = 100


def read(loaded: LoadedBytes, blocks: MarkdownBlocks) -> str | None:
    """Add the subject as a heading, the headers that people read, the text, and a list of attachments."""
    message = _parsed(loaded.body)
    if not message.keys():
        raise ValueError("it has no headers")
    _add_message(message, blocks, 1)
    return _subject(message) or None


def _parsed(data: bytes) -> EmailMessage:
    return BytesParser(EmailMessage, policy=policy.default).parse(BytesIO(data))


def _subject(message: EmailMessage) -> str:
    return " ".join(cleaned(str(message["Subject"] or "")).split())


def _add_message(message: EmailMessage, blocks: MarkdownBlocks, level: int) -> None:
    """Add a message below a heading of a level, and the messages that are attached to it below that."""
    blocks.heading(_subject(message) or "(no subject)", level)
    known = ((name, " ".join(str(message[name]).split())) for name in _SHOWN if message[name])
    blocks.verbatim("\n".join(f"- {name}: {value}" for name, value in known))
    body = message.get_body(("plain", "html"))
    if isinstance(body, EmailMessage):
        _add_body(body, blocks)
    attached = _add_attachments(message, blocks, level + 1)
    for inner in filter(None, map(_attached_message, attached)):
        _add_message(inner, blocks, level + 1)


def _add_body(body: EmailMessage, blocks: MarkdownBlocks) -> None:
    payload = body.get_payload(decode=True)
    text = decoded(payload if isinstance(payload, bytes) else b"", str(body["Content-Type"] or ""))
    if body.get_content_subtype() == "html":
        blocks.parsed(markdown_of_html(text))
    else:
        # Quotes and items mean the same in both.
        blocks.verbatim(_HEADING.sub(r"\1\\\2", escaped(text)))


def _add_attachments(message: EmailMessage, blocks: MarkdownBlocks, level: int) -> list[EmailMessage]:
    """Add further texts, such as the footer of a mailing list, and a list of what else is attached.

    Return what is listed.
    """
    parts = [it for it in message.iter_attachments() if isinstance(it, EmailMessage)]
    for part in filter(_is_text, parts):
        _add_body(part, blocks)
    attached = [it for it in parts if not _is_text(it)]
    if attached:
        blocks.heading("Attachments", level)
    listed = attached[:_MOST_ATTACHMENTS]
    for part in listed:
        payload = part.get_payload(decode=True)
        size = f", {counted(len(payload), 'byte')}" if isinstance(payload, bytes) else ""
        blocks.item(plain(f"{_name(part)} ({part.get_content_type()}{size})"))
    if len(attached) > len(listed):
        blocks.notice(f"… and {len(attached) - len(listed):,} more")
    return listed


def _is_text(part: EmailMessage) -> bool:
    """Whether a part continues the text: it has no name, and is not meant as a file."""
    is_file = part.get_filename() or part.is_attachment()
    return part.get_content_type() in _TEXTS and not is_file


def _name(part: EmailMessage) -> str:
    """Return the name of an attached file, or the subject of an attached message."""
    inner = _attached_message(part)
    return cleaned(str(part.get_filename() or (inner and _subject(inner)) or "(no name)"))


def _attached_message(part: EmailMessage) -> EmailMessage | None:
    """Return the message that a part is; some programs encode it, though no standard allows that."""
    inner = part.get_payload(0) if part.get_content_type() == _MESSAGE and part.is_multipart() else None
    if not isinstance(inner, EmailMessage):
        return None
    encoding = part["Content-Transfer-Encoding"]
    return inner if inner.keys() or not encoding else _parsed(_decoded(inner.get_payload(), encoding))


def _decoded(payload: object, encoding: str) -> bytes:
    part = EmailMessage()
    part["Content-Transfer-Encoding"] = encoding
    part.set_payload(str(payload))
    decoded_payload = part.get_payload(decode=True)
    return decoded_payload if isinstance(decoded_payload, bytes) else b""

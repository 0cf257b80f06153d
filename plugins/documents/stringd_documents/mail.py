"""E-mail messages: who wrote what to whom, and what is attached."""

from __future__ import annotations

from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from io import BytesIO

from stringd.plugin import LoadedBytes
from stringd.plugin.text import counted
from stringd_documents.inline_text import cleaned, plain
from stringd_documents.markdown_blocks import MarkdownBlocks
from stringd_documents.parsed_markdown import markdown_of_html
from stringd_documents.text_decoding import decoded

_SHOWN = ("From", "To", "Cc", "Date", "Reply-To")
_MOST_ATTACHMENTS = 100


def read(loaded: LoadedBytes, blocks: MarkdownBlocks) -> str | None:
    """Add the subject as a heading, the headers that people read, the text, and a list of attachments."""
    message = BytesParser(EmailMessage, policy=policy.default).parse(BytesIO(loaded.body))
    if not message.keys():
        raise ValueError("it has no headers")
    subject = " ".join(cleaned(str(message["Subject"] or "")).split())
    blocks.heading(subject or "(no subject)", 1)
    for name in _SHOWN:
        if message[name]:
            blocks.item(plain(f"{name}: {' '.join(str(message[name]).split())}"))
    body = message.get_body(("plain", "html"))
    if isinstance(body, EmailMessage):
        _add_body(body, blocks)
    _add_attachments(message, blocks)
    return subject or None


def _add_body(body: EmailMessage, blocks: MarkdownBlocks) -> None:
    payload = body.get_payload(decode=True)
    text = decoded(payload if isinstance(payload, bytes) else b"", str(body["Content-Type"] or ""))
    if body.get_content_subtype() == "html":
        blocks.parsed(markdown_of_html(text))
    else:
        blocks.verbatim(text)


def _add_attachments(message: EmailMessage, blocks: MarkdownBlocks) -> None:
    attached = list(message.iter_attachments())
    if not attached:
        return
    blocks.heading("Attachments", 2)
    for part in attached[:_MOST_ATTACHMENTS]:
        payload = part.get_payload(decode=True)
        size = f", {counted(len(payload), 'byte')}" if isinstance(payload, bytes) else ""
        blocks.item(plain(f"{part.get_filename() or '(no name)'} ({part.get_content_type()}{size})"))
    if len(attached) > _MOST_ATTACHMENTS:
        blocks.notice(f"… and {len(attached) - _MOST_ATTACHMENTS:,} more")

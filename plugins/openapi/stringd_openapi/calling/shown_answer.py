"""What an answer shows: JSON as Markdown, files as links, and failures as the description explains them."""

from __future__ import annotations

import hashlib
import json
import mimetypes
import re
from collections.abc import Mapping
from email.message import Message
from urllib.parse import unquote, urlsplit

from msgspec.structs import replace

from stringd.plugin import ErrorCode, HttpResponse, Refusal
from stringd.plugin.actions import ActionCall, Answer, Environment
from stringd.plugin.documents import Names, json_markdown
from stringd.plugin.http import response_answer
from stringd.plugin.text import shortened, visible_line
from stringd_openapi.app_pages.description_lines import inline
from stringd_openapi.model.operations import Operation

FOLDER = "~/downloads"
_EXCERPT = 500
_DESCRIPTION = 300
_TEXTS = ("text/", "application/json", "application/xml", "application/yaml", "application/javascript")
# They are shown as pages of the web are; other texts are shown as they are, without being markup.
_PAGES = frozenset({"text/html", "application/xhtml+xml"})
_UNFIT = re.compile(r"[^\w.-]+")
_UNAUTHORIZED = frozenset({401, 403})


def masked_answer(answer: Answer, response: HttpResponse, environment: Environment) -> Answer:
    """Return the answer of a response with the secrets masked that it echoes; files that are no text stay."""
    headers = {name: environment.mask(it) for name, it in answer.headers.items()}
    text = answer.text if answer.data else environment.mask(answer.text)
    if text != answer.text:
        masked = replace(response, body=text.encode(), charset="utf-8")
        answer = response_answer(answer.uri, masked)
    return replace(answer, headers=headers, uri=environment.mask(answer.uri))


async def shown_answer(call: ActionCall, answer: Answer, notices: tuple[str, ...]) -> Answer:
    """Return an answer as it is shown, after its file is saved if it is one."""
    if not answer.text and not answer.data:
        text = f"Done: {answer.status}, without content."
        return replace(answer, markdown=text, notices=notices)
    if isinstance(answer.body, dict | list):
        return replace(answer, as_markdown=True, notices=notices)
    if _is_file(answer):
        return await _saved(call, answer, notices)
    if answer.media_type in _PAGES:
        return replace(answer, notices=notices)
    return replace(answer, markdown=json_markdown(answer.text).text, notices=notices)


def _is_file(answer: Answer) -> bool:
    disposition = answer.headers.get("content-disposition", "").lower()
    is_text = answer.media_type.startswith(_TEXTS) or answer.media_type.endswith(("+json", "+xml", "+yaml"))
    return bool(answer.data) or disposition.startswith("attachment") or not is_text


async def _saved(call: ActionCall, answer: Answer, notices: tuple[str, ...]) -> Answer:
    data = answer.data or answer.text.encode()
    path = f"{FOLDER}/{file_name(answer, data)}"
    await call.save(path, data)
    name = Names(call.taken_names()).take("file")
    text = f"Saved {len(data):,} bytes of {inline(answer.media_type, 80)}: {path} (@{name})"
    return replace(answer, markdown=text, links={name: path}, text=path, body=path, data=b"", notices=notices)


def file_name(answer: Answer, data: bytes) -> str:
    """Return a name for the file of an answer: the one it has, and a few letters that tell its content."""
    message = Message()
    message["content-disposition"] = answer.headers.get("content-disposition", "")
    given = message.get_filename() or unquote(urlsplit(answer.uri).path.rpartition("/")[2])
    stem, dot, extension = _UNFIT.sub("-", given[-100:]).strip(".-").rpartition(".")
    if not dot or not extension or len(extension) > 10:
        stem, extension = f"{stem}{dot}{extension}".strip("."), _extension(answer.media_type)
    digest = hashlib.sha256(data).hexdigest()[:8]
    return f"{stem or 'answer'}-{digest}.{extension}"


def _extension(media_type: str) -> str:
    return (mimetypes.guess_extension(media_type) or ".bin").removeprefix(".")


def failure(
    call: ActionCall, operation: Operation, answer: Answer, reason: str, hints: tuple[str, ...]
) -> Refusal:
    """Return the refusal for an answer with a status of failure, with what the description says of it."""
    status = answer.status or 0
    described = visible_line(" ".join(_described(operation.responses, status).split()))
    line = f"act.{operation.id}: {status} {reason}".rstrip()
    if described and described.lower() != reason.lower():
        line += f" — {shortened(described, _DESCRIPTION)}"
    # Masking must come before shortening, which could leave the start of a secret.
    excerpt = call.environment.mask_beginning(_excerpt(answer), _EXCERPT)
    hints = hints if status in _UNAUTHORIZED else ()
    return Refusal(ErrorCode.ACTION_FAILED, line, *([excerpt] if excerpt else []), *hints)


def _described(responses: Mapping[str, str], status: int) -> str:
    by_status = {it.upper(): text for it, text in responses.items()}
    names = (str(status), f"{status // 100}XX", "DEFAULT")
    return next((by_status[it] for it in names if by_status.get(it)), "")


def _excerpt(answer: Answer) -> str:
    if isinstance(answer.body, dict | list):
        return visible_line(json.dumps(answer.body, ensure_ascii=False))
    return visible_line(" ".join(answer.text.split()))


def reason_of(response: HttpResponse) -> str:
    """Return the reason phrase of a response on one line."""
    return visible_line(response.reason)

"""`/open url --save path`: store what a URL leads to in a new file."""

from __future__ import annotations

from typing import BinaryIO

from stringd.api.commands import Invocation
from stringd.api.documents import LoadRequest
from stringd.api.replies import Reply
from stringd.documents.paths.text_files import new_file
from stringd.documents.paths.user_files import UserFiles
from stringd.documents.targets import Target
from stringd.errors import ErrorCode, Refusal
from stringd.text.formatting import counted
from stringd.text.media_type_detection import detect_media_type
from stringd.workers.threads import STORAGE

SAVE = "--save"
_AT_ONCE = 1024 * 1024
_HEAD = 4096


async def save(invocation: Invocation, target: Target, typed: str) -> Reply:
    """Store what a target leads to in a new file at a typed path, within the boundary of the user."""
    if not target.uri or target.block:
        raise Refusal(ErrorCode.INVALID_PAYLOAD, f"{SAVE} stores what a URL leads to, not {target.shown}")
    path = UserFiles(invocation).resolve(typed)
    async with invocation.runtime.editing(path), STORAGE.within(new_file(path, typed)) as opened:
        file = _File(opened)
        request = LoadRequest(
            uri=target.uri,
            session=invocation.session,
            topic=invocation.topic,
            options=target.options,
            save=file.write,
        )
        loaded = await invocation.runtime.save(request)
        await file.flush()
    kind = detect_media_type(loaded.media_type, file.head, loaded.uri)
    return Reply.confirmation(f"Saved: {typed} ({counted(file.size, 'byte')}, {kind}) from {loaded.uri}")


class _File:
    """A new file that threads write, in large pieces; flush it at the end."""

    def __init__(self, opened: BinaryIO) -> None:
        self.size = 0
        self.head = b""
        self._opened = opened
        self._pending = bytearray()

    async def write(self, piece: bytes) -> None:
        """Take the next piece."""
        self.size += len(piece)
        self.head += piece[: _HEAD - len(self.head)]
        self._pending += piece
        if len(self._pending) >= _AT_ONCE:
            await self.flush()

    async def flush(self) -> None:
        """Write what was taken."""
        pending, self._pending = self._pending, bytearray()
        await STORAGE.run(self._opened.write, pending)

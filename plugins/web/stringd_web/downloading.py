"""Downloads: responses of any size that go into a file, as long as something arrives."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from stringd.plugin import BodySink, ErrorCode, LoadedBytes, LoadRequest, Refusal, Runtime, WritePiece

if TYPE_CHECKING:
    from stringd_web.browsing_state import BrowsingState

STALL_SECONDS = 20.0


async def save_over_http(
    wanted: LoadRequest, write: WritePiece, runtime: Runtime, state: BrowsingState, limit: int
) -> LoadedBytes:
    """Load a URL and pass its bytes on, up to a limit; refuse if nothing arrives for a while."""
    from stringd_web.page_fetching import fetch_page

    loop = asyncio.get_running_loop()

    async def pass_on(piece: bytes) -> None:
        # The time that the disk takes does not count.
        deadline.reschedule(None)
        await write(piece)
        deadline.reschedule(loop.time() + STALL_SECONDS)

    try:
        async with asyncio.timeout(STALL_SECONDS) as deadline:
            return await fetch_page(runtime.http, state, wanted, BodySink(write=pass_on, limit=limit))
    except TimeoutError:
        message = f"Nothing arrives for {STALL_SECONDS:g} s: {wanted.uri}"
        raise Refusal(ErrorCode.LOAD_ERROR, message) from None

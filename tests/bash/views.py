"""Show output without a shell."""

from __future__ import annotations

import asyncio

from stringd.plugin.text import HeadTailBuffer
from stringd.workers.confinement import Seal
from stringd.workers.pool import WorkerPool
from stringd_bash.output_view import View
from stringd_bash.terminal_size import Size

SIZE = Size(columns=80, rows=24)


async def replies(*parts: bytes, limit: int = 1024 * 1024) -> list[str]:
    """Return what each reply shows when output arrives in parts."""
    pool = WorkerPool(Seal.READING)
    view, buffer, replies_shown = View(SIZE, pool, "user:topic"), HeadTailBuffer(limit), []
    try:
        for number, part in enumerate(parts, 1):
            buffer.add(part)
            replies_shown.append((await view.show(buffer, final=number == len(parts))).text)
    finally:
        pool.close()
    return replies_shown


def shown(*parts: bytes, limit: int = 1024 * 1024) -> list[str]:
    """Do the same without an event loop."""
    return asyncio.run(replies(*parts, limit=limit))

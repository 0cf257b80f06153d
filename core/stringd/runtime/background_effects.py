"""Effects outside of commands, which interceptors permit or refuse."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from stringd.api.commands import BackgroundEffect, Interceptor
from stringd.errors import ErrorCode, Refusal
from stringd.workers.guarded_calls import call_async

log = logging.getLogger(__name__)


async def permit_in_background(interceptors: Iterable[Interceptor], asked: BackgroundEffect) -> None:
    """Ask the interceptors in order; raise the `Refusal` of the first that refuses, or that fails."""
    for interceptor in interceptors:
        if interceptor.permit is None:
            continue
        try:
            await call_async(interceptor.permit, asked)
        except Refusal:
            raise
        except Exception as error:
            log.exception("interceptor %s failed", interceptor.name)
            message = f"The interceptor {interceptor.name} failed, so nothing was done."
            raise Refusal(ErrorCode.INTERNAL_ERROR, message) from error

"""Add to the refusal of a mistyped path, for commands that take one, which path is nearest."""

from __future__ import annotations

from functools import wraps

from stringd.api.commands import Invocation, Run
from stringd.api.replies import Reply
from stringd.documents.paths.missing_files import missing_file
from stringd.errors import NoSuchFile


def with_nearest_path(run: Run) -> Run:
    """Add to a command's refusal of a typed path that names nothing what helps to retry."""

    @wraps(run)
    async def explained(invocation: Invocation) -> Reply:
        try:
            return await run(invocation)
        except NoSuchFile as missing:
            # A page's link that leads nowhere was not typed.
            if missing.context or missing.shown not in invocation.line.arguments:
                raise
            raise await with_nearest(missing, invocation) from None

    return explained


async def with_nearest(missing: NoSuchFile, invocation: Invocation) -> NoSuchFile:
    """Return the refusal of a typed path that names nothing, with what helps to retry."""
    full_access = invocation.runtime.config.full_access
    return await missing_file(missing.shown, invocation.session, full_access=full_access)

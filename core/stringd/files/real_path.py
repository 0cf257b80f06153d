"""Resolve paths to real ones, following all links."""

from __future__ import annotations

import os
from pathlib import Path

from stringd.errors import ErrorCode, Refusal

# A link may be removed while it is being resolved; retry, but not forever.
_ATTEMPTS = 50


def real_path(path: Path | str) -> Path:
    """Return the real path, whether anything exists there or not; refuse what cannot be resolved."""
    for _ in range(_ATTEMPTS):
        try:
            return Path(os.path.realpath(path))
        except RecursionError:
            raise Refusal(ErrorCode.INVALID_TARGET, "Too many levels of symbolic links.") from None
        except OSError:
            continue
    raise Refusal(ErrorCode.CONFLICT, "The symbolic links in the path are being changed by another process.")

"""The real path of a name: where it leads at this moment, all links followed."""

from __future__ import annotations

import os
from pathlib import Path

from stringd.errors import Refusal

# A link that is taken away between two looks at it is no failure, and it can't be taken away forever.
_LOOKS = 50


def real_path(path: Path | str) -> Path:
    """Return where a path leads, whether anything is there or not; or refuse what can't be told."""
    for _ in range(_LOOKS):
        try:
            return Path(os.path.realpath(path))
        except RecursionError:
            raise Refusal("INVALID_TARGET", "Too many levels of symbolic links.") from None
        except OSError:
            continue
    raise Refusal("CONFLICT", "The symbolic links in the path are being changed by another process.")

"""The regions of a page at one moment, and the patch that a browser needs to show them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from itertools import count
from typing import Any

from markupsafe import Markup

from stringd_console.console_page import Item, Regions

_NUMBERS = count()


@dataclass(frozen=True)
class Snapshot:
    """What a page shows; a patch is computed once for all browsers that show the same earlier snapshot."""

    regions: Regions
    # By the numbers of the earlier snapshots, which are not kept for that.
    _patches: dict[int, bytes] = field(default_factory=dict, compare=False)
    _number: int = field(default_factory=lambda: next(_NUMBERS), compare=False)

    @cached_property
    def digest(self) -> str:
        """Identify what is shown, also across connections."""
        digest = blake2b(digest_size=12)
        for name, region in self.regions.items():
            digest.update(f"\0{name}\0{joined(region)}".encode(errors="replace"))
        return digest.hexdigest()

    def patch_from(self, earlier: Snapshot) -> bytes:
        """Return the changes since an earlier snapshot as JSON, empty if there are none."""
        patch = self._patches.get(earlier._number)
        if patch is None:
            self._patches.clear()
            patch = self._patches[earlier._number] = _encoded(earlier.regions, self.regions)
        return patch


NOTHING = Snapshot({})


def joined(region: Markup | tuple[Item, ...]) -> Markup:
    """Return the HTML of a region."""
    return region if isinstance(region, Markup) else Markup("").join(it.html for it in region)


def _encoded(earlier: Regions, later: Regions) -> bytes:
    changes = {name: _change(earlier.get(name), region) for name, region in later.items()}
    changes = {name: change for name, change in changes.items() if change is not None}
    return json.dumps(changes, ensure_ascii=False).encode(errors="replace") if changes else b""


def _change(earlier: Markup | tuple[Item, ...] | None, later: Markup | tuple[Item, ...]) -> Any:
    """Return a region's new HTML, or the changed items of a list, with the order if that has changed."""
    if earlier == later:
        return None
    if isinstance(later, Markup):
        return later
    known = {it.key: it.html for it in earlier} if isinstance(earlier, tuple) else {}
    change: dict[str, Any] = {"items": {it.key: it.html for it in later if known.get(it.key) != it.html}}
    order = [it.key for it in later]
    if [*known] != order:
        change["order"] = order
    return change

"""How many descriptors this process may have: as many as it is allowed, its children as many as before."""

from __future__ import annotations

import contextlib
import resource

# Programs that go through all possible descriptors one by one would take minutes where there is no limit.
MOST = 65_536


class DescriptorLimit:
    """The limit of open descriptors, raised for this process alone."""

    def __init__(self) -> None:
        self._before = resource.getrlimit(resource.RLIMIT_NOFILE)

    @property
    def current(self) -> int:
        """How many descriptors may be open now."""
        soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        return MOST if soft == resource.RLIM_INFINITY else soft

    def raise_to_most(self) -> None:
        """Raise the soft limit to the hard one, where that is possible."""
        soft, hard = self._before
        most = MOST if hard == resource.RLIM_INFINITY else min(hard, MOST)
        if soft != resource.RLIM_INFINITY and soft < most:
            with contextlib.suppress(OSError, ValueError):
                resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))

    def restore(self) -> None:
        """Go back to the limit of the start: what a child calls before it becomes another program."""
        resource.setrlimit(resource.RLIMIT_NOFILE, self._before)


DESCRIPTORS = DescriptorLimit()

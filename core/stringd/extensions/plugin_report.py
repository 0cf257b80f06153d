"""What became of a plugin when it was loaded."""

from __future__ import annotations

from msgspec import Struct

from stringd.extensions.discovery import Candidate


class PluginReport(Struct, frozen=True, kw_only=True):
    """What a plugin adds and what of it is left out, or why it was skipped."""

    candidate: Candidate
    adds: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    skipped: str | None = None
    waits_for: str = ""
    """The hook or the kind of events that no plugin has added so far, for lack of which it was skipped."""

    @property
    def name(self) -> str:
        """The name of the plugin."""
        return self.candidate.name

    @property
    def distribution(self) -> str:
        """The distribution that it belongs to, or the path of its file."""
        return self.candidate.distribution

    @property
    def version(self) -> str:
        """The version of the distribution; empty for a file."""
        return self.candidate.version

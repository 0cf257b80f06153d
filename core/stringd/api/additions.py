"""What a running daemon says of its plugins, and of what they add."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from stringd.api.replies import Reply


class CommandHelp(Protocol):
    """The description of a command in `/help`."""

    @property
    def group(self) -> str:
        """What the command is for, in a word; empty if its plugin does not say."""

    @property
    def name(self) -> str:
        """The name of the command."""

    @property
    def summary(self) -> str:
        """What the command does, in one sentence."""

    @property
    def usage(self) -> str:
        """The syntax of the command."""

    def explained(self, title: str = ..., slash: str = ...) -> Reply:
        """Return the reply to `/help` for this command; `title` is its system line.

        `slash` is what commands begin with in the topic: `/` or `//`.
        """


class TopicTypeHelp(Protocol):
    """The description of a topic type."""

    @property
    def summary(self) -> str:
        """What topics of this type are, in one sentence."""

    @property
    def slash(self) -> str:
        """The prefix of commands: `/`, or `//` if topics of this type take plain text."""

    @property
    def brief(self) -> str:
        """What an agent must know to use topics of this type, in a few lines; empty if nothing."""


class PluginSummary(Protocol):
    """An installed plugin: what it adds, or why it was skipped."""

    @property
    def name(self) -> str:
        """The name of the plugin."""

    @property
    def distribution(self) -> str:
        """The distribution that it belongs to, or the path of its file."""

    @property
    def version(self) -> str:
        """The version of the distribution; empty for a file."""

    @property
    def adds(self) -> Sequence[str]:
        """What it adds, each as a kind and a name, such as `command edit`."""

    @property
    def left_out(self) -> Sequence[str]:
        """What of it was left out, each with the reason."""

    @property
    def skipped(self) -> str | None:
        """Why it was skipped; None if it was loaded."""

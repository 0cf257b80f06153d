"""Who asks the gate: a command of a topic, or a plugin outside of commands."""

from __future__ import annotations

from msgspec import Struct

from stringd.plugin import BackgroundEffect, Disconnected, Invocation, Runtime, User


class Asker(Struct, frozen=True, kw_only=True):
    """Somebody on whose behalf something is about to happen; `label` says what, on one line."""

    user: User
    topic: str
    label: str
    runtime: Runtime
    request_id: str | None = None
    disconnected: Disconnected | None = None

    @classmethod
    def of_command(cls, invocation: Invocation) -> Asker:
        """Return who asks for a command."""
        return cls(
            user=invocation.session.user,
            topic=str(invocation.session.name),
            label=invocation.label,
            runtime=invocation.runtime,
            request_id=invocation.request_id,
            disconnected=invocation.disconnected,
        )

    @classmethod
    def of_effect(cls, asked: BackgroundEffect) -> Asker:
        """Return who asks for an effect outside of commands."""
        return cls(user=asked.user, topic=asked.topic, label=asked.purpose, runtime=asked.runtime)

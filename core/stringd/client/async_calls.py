"""The functions of the asynchronous client that are one request each."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import stringd.client.endpoints as endpoints
from stringd.client.defaults import REPLY_SECONDS
from stringd.errors import QuestionClosed, QuestionNotFound

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stringd.client.records import Call, JsonObject, Parsed


class AsyncCalls(ABC):
    """Calls of endpoints, as the user of a client."""

    user: str

    async def status(self) -> JsonObject:
        """Return the answer of `/status`."""
        return await self._call(endpoints.status())

    async def users(self) -> list[JsonObject]:
        """Return the registered users."""
        return await self._call(endpoints.users())

    async def remove_user(self) -> bool:
        """Remove this client's user with all sessions; return whether it existed."""
        return await self._call(endpoints.remove_user(self.user))

    async def sessions(self, *, everyone: bool = False) -> list[JsonObject]:
        """Return the sessions of this client's user, or of everyone."""
        return await self._call(endpoints.sessions(None if everyone else self.user))

    async def open_session(self, topic: str) -> bool:
        """Create a session for a topic of this client's user; return whether it is new."""
        return await self._call(endpoints.open_session(self.user, topic))

    async def close_session(self, topic: str) -> bool:
        """End a topic of this client's user; return whether it existed."""
        return await self._call(endpoints.close_session(self.user, topic))

    async def cancel(self, topic: str, request_id: str | None = None) -> str | None:
        """Cancel the running command of a topic, or that of a request, which may still wait.

        Returns what was cancelled, once it has ended; None if there was nothing to cancel.
        """
        return await self._call(endpoints.cancel(self.user, topic, request_id))

    async def questions(self, *, everyone: bool = False) -> JsonObject:
        """Return the open `questions` of this user, or of all, and the state of the `operator`."""
        return await self._call(endpoints.questions(None if everyone else self.user))

    async def answer_question(
        self,
        question_id: str,
        answer: bool | str,
        *,
        token: str | None = None,
        comment: str | None = None,
        through: str = "Python",
        extras: Mapping[str, Any] | None = None,
    ) -> None:
        """Answer a question as this client's user or, with a token, as the operator."""
        fields = endpoints.answer_fields(answer, comment, through, extras)
        await self._call(endpoints.answer_question(self.user, question_id, fields, token))

    async def mark_question_shown(self, question_id: str, token: str) -> bool:
        """Note that the operator is shown a question, whose time begins to run; return whether it is open."""
        try:
            await self._call(endpoints.mark_question_shown(question_id, token))
        except (QuestionClosed, QuestionNotFound):
            return False
        return True

    async def secrets(self) -> list[JsonObject]:
        """Return the names of the secrets for plugins, with their users and plugins."""
        return await self._call(endpoints.secrets())

    async def set_secret(
        self, name: str, value: str, *, user: str | None = None, plugin: str | None = None
    ) -> bool:
        """Store a secret, for all users and plugins or for one; return whether it is new."""
        return await self._call(endpoints.set_secret(name, value, user, plugin))

    async def remove_secret(self, name: str, *, user: str | None = None, plugin: str | None = None) -> bool:
        """Remove a secret of the same user and plugin; return whether it existed."""
        return await self._call(endpoints.remove_secret(name, user, plugin))

    async def request(
        self,
        method: str,
        path: str,
        fields: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> JsonObject:
        """Return the JSON object that an endpoint of a plugin answers with."""
        return await self._call(endpoints.plugin_request(method, path, fields, headers or {}))

    @abstractmethod
    async def _call(self, call: Call[Parsed], silence: float | None = REPLY_SECONDS) -> Parsed:
        """Send one request and read its reply."""

"""What a person does with topics: open, send, cancel, interrupt, take back, and close."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from stringd.plugin import ErrorCode, Refusal, Runtime, TopicName
from stringd.plugin.text import counted
from stringd.plugin.workers import READING
from stringd_console.console_page import Act, ActionResult
from stringd_console.page_content.shown_values import path_of_topic
from stringd_console.topic_pages.command_completion import completions
from stringd_console.topic_pages.exchange_html import whole_html
from stringd_console.topic_pages.journal import journal_of
from stringd_console.topic_pages.sending import require_text, sender_of


class TopicActions:
    """Carries out the actions of the topics' pages; each names its user and topic in its fields."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._sender = sender_of(runtime)

    @property
    def acts(self) -> Mapping[str, Act]:
        """The actions by name."""
        return {
            "back": self._command("back"),
            "cancel": self.cancel,
            "cancel-waiting": self.cancel_waiting,
            "close": self.close,
            "complete": self.complete,
            "interrupt": self._command("interrupt"),
            "jobs": self._command("jobs"),
            "open": self.open,
            "send": self.send,
            "undo": self._command("undo"),
            "whole": self.whole,
        }

    async def open(self, fields: Mapping[str, str]) -> ActionResult:
        """Open a topic by asking it for `/info`, and go to its page."""
        kind, typed = fields.get("type", ""), fields.get("name", "").strip()
        is_whole = not kind or typed.partition(":")[0] in self._runtime.topic_types
        user_id, topic = self._target({**fields, "topic": typed if is_whole else f"{kind}:{typed}"})
        is_new = self._runtime.session(user_id, topic) is None
        outcome = await self._sender.result(user_id, topic, f"{self._slash(topic)}info")
        if outcome.reply.code and is_new:
            await self._runtime.end_session(user_id, topic)
            raise Refusal(outcome.reply.code, outcome.reply.system, *outcome.reply.context)
        return ActionResult(go=path_of_topic(user_id, topic.text))

    async def send(self, fields: Mapping[str, str]) -> ActionResult:
        """Send what was typed."""
        user_id, topic = self._target(fields)
        await self._sender.send(
            user_id, topic, require_text(self._runtime, user_id, topic, fields.get("text", ""))
        )
        return ActionResult()

    async def cancel(self, fields: Mapping[str, str]) -> ActionResult:
        """Cancel what runs, or a command that waits."""
        user_id, topic = self._target(fields)
        label = await self._runtime.cancel(user_id, topic, fields.get("request") or None)
        return ActionResult(notice="It was cancelled." if label else "Nothing runs that could be cancelled.")

    async def cancel_waiting(self, fields: Mapping[str, str]) -> ActionResult:
        """Cancel all commands from the console that wait."""
        user_id, topic = self._target(fields)
        waiting = self._sender.waiting(user_id, topic.text)
        cancelled = [await self._runtime.cancel(user_id, topic, it.request_id) for it in reversed(waiting)]
        return ActionResult(notice=f"{counted(sum(map(bool, cancelled)), 'command')} cancelled.")

    async def close(self, fields: Mapping[str, str]) -> ActionResult:
        """End a topic and all that it knows."""
        user_id, topic = self._target(fields)
        if not await self._runtime.end_session(user_id, topic):
            raise Refusal(ErrorCode.NOT_FOUND, f"{topic} has already ended.")
        return ActionResult(notice=f"{topic} was closed.")

    async def complete(self, fields: Mapping[str, str]) -> ActionResult:
        """Return what the beginning of a command can become."""
        user_id, topic = self._target(fields)
        found = await completions(self._runtime, self._runtime.user(user_id), topic, fields.get("text", ""))
        return ActionResult(data=[{"value": it.value, "label": it.label, "about": it.about} for it in found])

    async def whole(self, fields: Mapping[str, str]) -> ActionResult:
        """Return all of a reply that is kept."""
        found = journal_of(self._runtime).find(fields.get("number", ""))
        if found is None:
            raise Refusal(
                ErrorCode.NOT_FOUND, "The console has forgotten this reply: it keeps the last ones only."
            )
        return ActionResult(
            data=await READING.run(lambda: whole_html(found, plain=fields.get("as") == "text"))
        )

    def _command(self, name: str) -> Callable[[Mapping[str, str]], Awaitable[ActionResult]]:
        """Return the action that sends a command without arguments."""

        async def act(fields: Mapping[str, str]) -> ActionResult:
            user_id, topic = self._target(fields)
            await self._sender.send(user_id, topic, f"{self._slash(topic)}{name}")
            return ActionResult()

        return act

    def _target(self, fields: Mapping[str, str]) -> tuple[str, TopicName]:
        """Return the user and the topic that fields name, in two fields or in one; both are checked."""
        if "at" in fields:
            user_id, _, topic = fields["at"].partition("/")
            return self._target({"user": user_id, "topic": topic})
        return self._runtime.user(fields.get("user", "")).id, self._runtime.topic_name(
            fields.get("topic", "")
        )

    def _slash(self, topic: TopicName) -> str:
        return self._runtime.topic_types[topic.type].slash

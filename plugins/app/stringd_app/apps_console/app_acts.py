"""What the console's page of apps does: the commands of this plugin, and setting `$NAME`s."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from stringd.plugin import ErrorCode, Outcome, Refusal, Runtime, TopicName, User
from stringd_app.apps_console.app_secrets import set_secret
from stringd_console import Act, ActionResult

_TOPIC_NAME = "console"
_INSTALL = "install"


class Report(Struct, frozen=True, kw_only=True):
    """What the last installation, update or removal for a user said."""

    command: str
    text: str
    has_failed: bool


class AppActs:
    """Runs the commands in a topic of the console's own, so that they are in its log like any other."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._reports: dict[str, Report] = {}

    @property
    def acts(self) -> Mapping[str, Act]:
        """The actions by name."""
        return {
            "install": self.install,
            "update": self.update,
            "remove": self.remove,
            "set-secret": self.set_secret,
            "forget-report": self.forget_report,
        }

    def report(self, user_id: str) -> Report | None:
        """Return what the last command for a user said."""
        return self._reports.get(user_id)

    async def install(self, fields: Mapping[str, str]) -> ActionResult:
        """Install from what was typed, as `/install` takes it."""
        source = fields.get("source", "").strip()
        if not source or "\n" in source:
            raise Refusal(ErrorCode.INVALID_PAYLOAD, "Type a path, a URL, or `mcp` and a command.")
        return await self._run(fields, f"{_INSTALL} {source}")

    async def update(self, fields: Mapping[str, str]) -> ActionResult:
        """Fetch the source of an app again."""
        return await self._run(fields, f"{_INSTALL} --update {_name(fields)}")

    async def remove(self, fields: Mapping[str, str]) -> ActionResult:
        """Remove an app with its `$NAME`s."""
        return await self._run(fields, f"uninstall {_name(fields)}")

    async def set_secret(self, fields: Mapping[str, str]) -> ActionResult:
        """Set a `$NAME`, or delete its value; not by a command, of which there would be traces."""
        user, value = self._user(fields), fields.get("value", "")
        app, name, deletes = _name(fields), fields.get("name", ""), fields.get("delete") == "yes"
        if not value and not deletes:
            raise Refusal(ErrorCode.INVALID_PAYLOAD, f"Type a value for ${name}.")
        await set_secret(user, app, name, "" if deletes else value, self._runtime)
        return ActionResult(notice=f"${name} of app:{app} was {'deleted' if deletes else 'set'}.")

    async def forget_report(self, fields: Mapping[str, str]) -> ActionResult:
        """Stop showing what the last command said."""
        self._reports.pop(self._user(fields).id, None)
        return ActionResult(go=fields.get("page", "/console/apps"))

    async def _run(self, fields: Mapping[str, str], command: str) -> ActionResult:
        user = self._user(fields)
        topic = self._topic()
        slash = self._runtime.topic_types[topic.type].slash
        outcome = await self._runtime.execute(user.id, topic, f"{slash}{command}")
        self._reports[user.id] = _report(outcome)
        return ActionResult(notice="" if outcome.reply.code else outcome.reply.system)

    def _user(self, fields: Mapping[str, str]) -> User:
        return self._runtime.user(fields.get("user", ""))

    def _topic(self) -> TopicName:
        """Return the topic for commands: of the first type in which apps can be installed."""
        for kind in sorted(self._runtime.topic_types):
            if kind != "app" and _INSTALL in self._runtime.commands(kind):
                return self._runtime.topic_name(f"{kind}:{_TOPIC_NAME}")
        raise Refusal(ErrorCode.INVALID_TARGET, "No loaded plugin has topics in which apps can be installed.")


def _name(fields: Mapping[str, str]) -> str:
    name = fields.get("app", "")
    if not name or not name.replace("-", "").replace("_", "").replace(".", "").isalnum():
        raise Refusal(ErrorCode.INVALID_PAYLOAD, "This is no name of an app.")
    return name


def _report(outcome: Outcome) -> Report:
    reply = outcome.reply
    parts = [reply.system, reply.content or "", *reply.context]
    text = "\n".join(it for it in parts if it)
    return Report(command=outcome.label, text=text, has_failed=reply.code is not None)

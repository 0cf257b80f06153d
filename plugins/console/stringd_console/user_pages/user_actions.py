"""What the page of users does."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from stringd.plugin import ErrorCode, Refusal, Runtime
from stringd.plugin.workers import READING
from stringd_console.access.signed_in_browsers import SignedInBrowsers
from stringd_console.console_page import Act, ActionResult


class UserActions:
    """Adds and removes users and their directories, and signs browsers out."""

    def __init__(self, runtime: Runtime, browsers: SignedInBrowsers) -> None:
        self._runtime = runtime
        self._browsers = browsers

    @property
    def acts(self) -> Mapping[str, Act]:
        """The actions by name."""
        return {
            "add": self.add,
            "allow": self.allow,
            "disallow": self.disallow,
            "remove": self.remove,
            "sign-out": self.sign_out,
        }

    async def add(self, fields: Mapping[str, str]) -> ActionResult:
        """Register a user; one that exists keeps its home."""
        user_id, home = fields.get("id", "").strip(), fields.get("home", "").strip()
        if any(it.id == user_id for it in self._runtime.users):
            raise Refusal(ErrorCode.CONFLICT, f"There is a user {user_id} already.")
        user = await self._runtime.register_user(user_id, home)
        if not await READING.run(user.home.is_dir):
            return ActionResult(notice=f"{user.id} was added, but its home could not be created.")
        return ActionResult(notice=f"{user.id} was added.")

    async def remove(self, fields: Mapping[str, str]) -> ActionResult:
        """Remove a user with its topics and secrets."""
        user_id = fields.get("user", "")
        if not await self._runtime.remove_user(user_id):
            raise Refusal(ErrorCode.NOT_FOUND, f"There is no user {user_id} any more.")
        return ActionResult(notice=f"{user_id} was removed; the files of its home are still there.")

    async def allow(self, fields: Mapping[str, str]) -> ActionResult:
        """Let a user access a directory besides the home."""
        user, typed = self._runtime.user(fields.get("user", "")), fields.get("directory", "").strip()
        directory = Path(typed)
        if not directory.is_absolute() or not await READING.run(_is_directory, directory):
            raise Refusal(ErrorCode.INVALID_TARGET, f"This is no directory, or not an absolute path: {typed}")
        if directory not in user.allowed_paths:
            await self._runtime.register_user(user.id, str(user.home), (*map(str, user.allowed_paths), typed))
        return ActionResult(notice=f"{user.id} may access {directory}.")

    async def disallow(self, fields: Mapping[str, str]) -> ActionResult:
        """Take a directory back."""
        user, directory = self._runtime.user(fields.get("user", "")), fields.get("directory", "")
        left = [str(it) for it in user.allowed_paths if str(it) != directory]
        await self._runtime.register_user(user.id, str(user.home), left)
        return ActionResult(notice=f"{user.id} may not access {directory} any more.")

    async def sign_out(self, fields: Mapping[str, str]) -> ActionResult:
        """Sign a browser out, perhaps the one that asks."""
        browser_id = fields.get("browser", "")
        if all(it.id != browser_id for it in self._browsers.listed()):
            raise Refusal(ErrorCode.NOT_FOUND, "This browser is signed out already.")
        self._browsers.sign_out(browser_id)
        return ActionResult(notice="The browser was signed out.")


def _is_directory(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False

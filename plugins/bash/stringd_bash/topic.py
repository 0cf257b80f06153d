"""One `bash:name` topic: what can be done with its shell and with the program that runs in it."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Mapping

from stringd.plugin import Invocation, Refusal, Reply, Topic
from stringd.plugin.text import LONGEST_HEAD, MASK, label, masked_in_shell, parse_command
from stringd_bash.console import Console
from stringd_bash.evaluation import Evaluation, Standing
from stringd_bash.keys import encode_keys
from stringd_bash.replies import idle, told_elsewhere
from stringd_bash.settings import Settings

_URGENT_SECONDS = 2.0
_COMMANDS = frozenset({"close", "help", "info", "interrupt", "kill", "reset", "set", "topics", "wait"})


class BashTopic(Topic):
    """Answers each request with how things stand; who waits for a program first gets its output."""

    def __init__(self, console: Console, settings: Settings) -> None:
        self._console = console
        self._settings = settings
        self._followed = asyncio.Lock()

    def info(self) -> Mapping[str, str]:
        """Tell where the shell is and what it is busy with."""
        console = self._console
        return {
            "cwd": console.cwd,
            "shell": str(console.shell.pid) if console.shell else "(none)",
            "program": label(masked_in_shell(console.running.text)) if console.running else "(none)",
        }

    @property
    def _hides_typing(self) -> bool:
        program, view = self._console.running, self._console.view
        if program is None:
            # An answer may come when whoever asked has ended.
            late = self._console.program
            return late is not None and late.told is Standing.WAITING and late.hid_typing
        terminal = program.shell.terminal
        return (terminal.is_silent() and not view.is_editor) or (view.asks_secret and not terminal.echoes())

    def masked(self, text: str) -> str:
        """Hide what is typed while the terminal doesn't show it."""
        if not self._hides_typing:
            return text
        if not text.startswith("//"):
            return MASK
        word = parse_command(text[:LONGEST_HEAD]).word
        if word == "keys":
            return f"//keys {MASK}"
        return text if word in _COMMANDS else MASK

    def check_variables(self, variables: Mapping[str, str]) -> None:
        """Refuse a limit or a size that no text could be run with."""
        self._settings.check(variables)

    def advice(self) -> str:
        """Tell how a text that looks like a command gets into a program."""
        return 'A text that begins with // is typed by //keys "//text" Enter.'

    async def take(self, invocation: Invocation) -> Reply:
        """Evaluate a text, or type it into the program that the shell is busy with."""
        text, seconds = invocation.line.text, self._settings.seconds_of(invocation.session)
        if "\0" in text:
            raise Refusal("INVALID_PAYLOAD", "A text can't hold a NUL character.")
        async with self._followed:
            program = self._console.program
            if program and program.is_running:
                _refuse_unknowing(program, invocation.arrived)
                self._console.resize()
                self._console.type_line(text)
            else:
                if program:
                    await self._settle(program)
                program = await self._console.begin(text)
            return await self._follow(program, seconds, invocation)

    async def wait(self, invocation: Invocation, seconds: float | None) -> Reply:
        """Return when the program ends or asks for input; with seconds, when it says something new."""
        program = self._console.program
        if program is None:
            return self._idle()
        self._console.resize()
        limit = self._settings.seconds_of(invocation.session) if seconds is None else seconds
        for_news = seconds is not None and program.told is Standing.WAITING
        return await self._look(program, limit, invocation, for_news=for_news)

    async def signal(self, invocation: Invocation, number: signal.Signals) -> Reply:
        """Send a signal to what runs in the foreground."""
        program = self._console.running
        if program is None:
            return self._idle()
        program.shell.terminal.signal(number)
        return await self._look(program, _URGENT_SECONDS, invocation)

    async def press(self, invocation: Invocation) -> Reply:
        """Send keys to what runs in the foreground."""
        keys = encode_keys(invocation.line.arguments, application=self._console.view.application_keys)
        program = self._console.running
        if program is None:
            raise Refusal("CONFLICT", "No program is running that could take keys.")
        self._console.resize()
        program.shell.terminal.type(keys)
        return await self._look(program, _URGENT_SECONDS, invocation)

    async def reset(self) -> Reply:
        """End everything that runs here, and start a new shell at home."""
        await self._console.reset()
        return idle(0, self._console.cwd, "a new shell")

    async def close(self) -> None:
        """End everything that runs here."""
        await self._console.close()

    async def _look(
        self, program: Evaluation, seconds: float, invocation: Invocation, *, for_news: bool = False
    ) -> Reply:
        if not self._followed.locked():
            async with self._followed:
                return await self._follow(program, seconds, invocation, for_news=for_news)
        standing = await program.follow(seconds, invocation.disconnected)
        if not self._followed.locked() and self._console.program is program:
            # Whoever was to get the output has left meanwhile.
            async with self._followed:
                return await self._tell(program, standing)
        program.tell(standing)
        ending = program.ending.result() if standing is Standing.ENDED else None
        return told_elsewhere(standing, ending, self._console.cwd)

    async def _follow(
        self, program: Evaluation, seconds: float, invocation: Invocation, *, for_news: bool = False
    ) -> Reply:
        standing = await program.follow(seconds, invocation.disconnected, for_news=for_news)
        if standing is Standing.FORSAKEN:
            return told_elsewhere(standing, None, self._console.cwd)
        return await self._tell(program, standing)

    async def _tell(self, program: Evaluation, standing: Standing) -> Reply:
        reply = await self._console.tell(program, standing)
        program.hid_typing = self._hides_typing
        return reply

    async def _settle(self, program: Evaluation) -> None:
        """Deal with a program that ended untold: what was meant as an answer must not become a command."""
        if program.told is not Standing.WAITING:
            await self._console.keep(program)
            return
        reply = await self._console.tell(program, Standing.ENDED)
        message = "The program that waited for input has ended meanwhile; nothing was done with this text."
        raise Refusal("CONFLICT", message, reply.system, "---", reply.content or "")

    def _idle(self) -> Reply:
        return idle(self._console.status, self._console.cwd, "no program is running")


def _refuse_unknowing(program: Evaluation, arrived: float) -> None:
    """Refuse a text whose sender could not know that it would be typed into a program (runtime.md 10)."""
    if program.known is None or arrived < program.known:
        program.tell(program.told or Standing.RUNNING)
        message = (
            f"A program is running, which this text was not meant for: {label(masked_in_shell(program.text))}"
        )
        raise Refusal("CONFLICT", message, "//wait tells how it stands; text sent from now on is its input.")

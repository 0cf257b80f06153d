"""`bash:name` topics: how plain text and commands become calls of its shell."""

from __future__ import annotations

import asyncio
import re
import signal
from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import replace

from stringd.plugin import ErrorCode, Invocation, Refusal, Reply, Topic
from stringd.plugin.effects import Effect, ShellRun, TypedInput, permit
from stringd.plugin.processes import exported
from stringd.plugin.text import LONGEST_HEAD, MASK, label, masked_in_shell, parse_command
from stringd_bash.evaluation import Evaluation, Progress, idle_reply, state_reply
from stringd_bash.jobs_command import JobReplies
from stringd_bash.key_presses import KeyPresses, PressedKeys
from stringd_bash.password_question import PasswordQuestion
from stringd_bash.stopping import stop
from stringd_bash.text_refusals import refusal_with, require_known
from stringd_bash.topic_settings import Settings
from stringd_bash.topic_shell import TopicShell

_URGENT_SECONDS = 2.0
_SCREEN_SECONDS = 0.5
_RUN = "run"
_TYPING = frozenset({"keys", _RUN, "type"})
_HAS_TEXT = re.compile(r"//\s*\w+\s+\S+\s+\S.*", re.DOTALL)
_NOT_TYPED = "Nothing was typed."


class BashTopic(Topic):
    """Answers each request with the state of the shell; the first request that waits gets the output."""

    help_title = "Bash Session"

    def __init__(self, topic_shell: TopicShell, settings: Settings) -> None:
        self.topic_shell = topic_shell
        self.jobs = JobReplies(topic_shell)
        """What `//jobs` answers."""
        self._settings = settings
        self._password = PasswordQuestion(topic_shell, lambda: self._hides_typing)
        self._presses = KeyPresses(topic_shell, lambda: self._hides_typing)
        self._output_lock = asyncio.Lock()
        self._stop_lock = asyncio.Lock()
        self._missed: Refusal | None = None
        """What to say to the next text: the program that it may be meant for has ended."""

    def info(self) -> Mapping[str, str]:
        """Return the shell's directory and process id, and the program that it runs."""
        topic_shell = self.topic_shell
        shell = topic_shell.shell
        return {
            "cwd": topic_shell.cwd,
            "shell": str(shell.pid) if shell and shell.is_alive else "(none)",
            "program": self.program or "(none)",
        }

    @property
    def has_shell(self) -> bool:
        """Whether a shell runs."""
        return self.topic_shell.shell is not None

    @property
    def program(self) -> str | None:
        """The label of the running program; None if there is none."""
        running = self.topic_shell.running
        return label(masked_in_shell(running.text)) if running else None

    @property
    def hides_keys(self) -> bool:
        """Whether a program runs that does not show what is typed."""
        return self.topic_shell.running is not None and self._hides_typing

    @property
    def _hides_typing(self) -> bool:
        running, recent = self.topic_shell.running, self.topic_shell.recent
        if running is None:
            # An answer may arrive after the program that asked has ended.
            ended = self.topic_shell.evaluation
            if ended is None:
                return self.topic_shell.losses.hides_typing
            return ended.last_reported is Progress.WAITING and ended.hid_typing
        terminal = running.shell.terminal
        return not terminal.echoes() and (
            (terminal.is_silent() and not recent.is_editor) or recent.asks_secret
        )

    def masked(self, text: str) -> str:
        """Mask what is typed while the terminal doesn't echo."""
        if not self._hides_typing:
            return text
        if not text.startswith("//"):
            return MASK
        word = parse_command(text[:LONGEST_HEAD]).word
        if word in _TYPING or (word == "wait" and _HAS_TEXT.fullmatch(text)):
            return f"//{word} {MASK}"
        return text if word in self.topic_shell.command_names else MASK

    def require_told(self, arrived: float) -> None:
        """Refuse what was sent before its sender could know that the shell has ended with its daemon."""
        self.topic_shell.losses.require_told(self.topic_shell.cwd, arrived)

    def check_variables(self, variables: Mapping[str, str]) -> None:
        """Refuse a time limit or a terminal size that no text could be run with."""
        self._settings.check(variables)

    def advice(self) -> str:
        """Say how a text that looks like a command is typed into a program."""
        return 'A text that begins with // is typed by //keys "//text" Enter.'

    def takes_empty_text(self) -> bool:
        """Whether a program runs, to which an empty line can be typed."""
        return self.topic_shell.running is not None

    async def take(
        self, invocation: Invocation, text: str, seconds: float | None = None, *, for_shell: bool = False
    ) -> Reply:
        """Evaluate a text, or type it into the running program unless it is only meant for the shell.

        `seconds` override the topic's limit.
        """
        seconds = self._settings.seconds_of(invocation.session) if seconds is None else seconds
        if "\0" in text:
            raise Refusal(ErrorCode.INVALID_PAYLOAD, "A text can't hold a NUL character.")
        async with self._output_lock:
            program = self.topic_shell.running
            if for_shell and program:
                message = f"A program is running: {label(masked_in_shell(program.text))}"
                raise Refusal(ErrorCode.CONFLICT, message, "Nothing was evaluated, and nothing was typed.")
            await self._permit(text, invocation)
            try:
                evaluation = await self._evaluate_or_type(text, invocation, for_shell=for_shell)
                return await self._wait_and_report(evaluation, seconds, invocation)
            except asyncio.CancelledError:
                running = self.topic_shell.running
                if running is None or invocation.session.is_ending:
                    raise
                raise await self._cancelled(running, has_typed=running is program) from None

    async def wait(self, invocation: Invocation, seconds: float | None) -> Reply:
        """Wait until the program ends or asks for input, at most for some seconds."""
        evaluation = self.topic_shell.evaluation
        if evaluation is None:
            return self._idle()
        self.topic_shell.resize()
        limit = self._settings.seconds_of(invocation.session) if seconds is None else seconds
        for_output = seconds is not None and evaluation.last_reported is Progress.WAITING
        return await self._wait_beside(evaluation, limit, invocation, for_output=for_output)

    async def show_screen(self, invocation: Invocation) -> Reply:
        """Return all of the screen that the running program has drawn."""
        evaluation = self.topic_shell.running
        if evaluation is None:
            return self._idle()
        self.topic_shell.resize()
        self.topic_shell.view.forget_rows()
        reply = await self._wait_beside(evaluation, _SCREEN_SECONDS, invocation)
        screen = self.topic_shell.view.screen()
        if screen is None:
            return reply
        return replace(reply, content=screen)

    async def signal(self, invocation: Invocation, number: signal.Signals) -> Reply:
        """Send a signal to the foreground process group."""
        evaluation = self.topic_shell.running
        if evaluation is None:
            return self._idle()
        evaluation.shell.terminal.signal(number)
        return await self._wait_beside(evaluation, _URGENT_SECONDS, invocation)

    async def press(self, invocation: Invocation, keys: PressedKeys) -> Reply:
        """Send keys to the running program; without waiting, its output stays for the next reply."""
        evaluation = await self._presses.press(invocation, keys)
        if keys.waits:
            return await self._wait_beside(evaluation, _URGENT_SECONDS, invocation)
        return Reply.confirmation("The keys were typed.")

    async def reset(self) -> Reply:
        """End the shell and everything it has started, and start a new one in the home directory."""
        await self.topic_shell.reset()
        return idle_reply(0, self.topic_shell.cwd, "a new shell")

    async def cancel(self) -> str | None:
        """Stop the program that no request waits for; the next reply shows what it has printed."""
        evaluation = self.topic_shell.running
        if evaluation is None:
            return None
        async with self._stop_lock:
            if evaluation.is_running:
                await stop(evaluation)
        # Whoever cancels a program knows that it waits no more.
        evaluation.mark_reported(Progress.RUNNING)
        return label(masked_in_shell(evaluation.text))

    async def close(self) -> None:
        """End the shell and everything it has started."""
        await self._password.close()
        await self.topic_shell.close()

    async def _permit(self, text: str, invocation: Invocation) -> None:
        """Have a text permitted; refuse it if it would do something else by then."""
        topic_shell = self.topic_shell
        effect, program, shell = self._effect_of(text, invocation), topic_shell.running, topic_shell.shell
        await permit(effect)
        if program is not topic_shell.running:
            raise Refusal(ErrorCode.CONFLICT, "The program has ended or begun meanwhile.", _NOT_TYPED)
        if shell is not topic_shell.shell or effect != self._effect_of(text, invocation):
            raise Refusal(ErrorCode.CONFLICT, "The shell is not the same any more.", _NOT_TYPED)

    def _effect_of(self, text: str, invocation: Invocation) -> Effect:
        """Return what a text does: the shell evaluates it, or the running program reads it."""
        shown = self.masked(text)
        if self.topic_shell.running:
            return TypedInput(text=shown)
        directory = Path(self.topic_shell.cwd)
        return ShellRun(text=shown, directory=directory, values=exported(invocation.session))

    async def _evaluate_or_type(self, text: str, invocation: Invocation, *, for_shell: bool) -> Evaluation:
        evaluation = self.topic_shell.evaluation
        if self._missed and not for_shell:
            missed, self._missed = self._missed, None
            raise missed
        if evaluation and evaluation.is_running:
            require_known(evaluation, invocation.arrived)
            self.topic_shell.resize()
            self.topic_shell.type_line(text)
            return evaluation
        if evaluation:
            await self._settle(evaluation, for_shell=for_shell)
        return await self.topic_shell.evaluate(text)

    async def _cancelled(self, evaluation: Evaluation, *, has_typed: bool) -> Refusal:
        """Stop what a request runs; a program that it has typed into may go on waiting for input."""
        async with self._stop_lock:
            progress = await stop(evaluation, may_wait=has_typed) if evaluation.is_running else Progress.ENDED
        reply = await self._report(evaluation, progress)
        return refusal_with(reply, ErrorCode.CANCELLED, "The command was cancelled.")

    async def _wait_beside(
        self, evaluation: Evaluation, seconds: float, invocation: Invocation, *, for_output: bool = False
    ) -> Reply:
        """Wait for an evaluation; report its output unless another request is waiting for that."""
        if not self._output_lock.locked():
            async with self._output_lock:
                return await self._wait_and_report(evaluation, seconds, invocation, for_output=for_output)
        progress = await evaluation.wait(seconds, invocation.disconnected)
        if not self._output_lock.locked() and self.topic_shell.evaluation is evaluation:
            # The client of the other request has disconnected meanwhile.
            async with self._output_lock:
                return await self._report(evaluation, progress)
        evaluation.mark_reported(progress)
        result = evaluation.result.result() if progress is Progress.ENDED else None
        return state_reply(progress, result, self.topic_shell.cwd)

    async def _wait_and_report(
        self, evaluation: Evaluation, seconds: float, invocation: Invocation, *, for_output: bool = False
    ) -> Reply:
        with self.topic_shell.publishing_for(invocation.request_id):
            progress = await evaluation.wait(seconds, invocation.disconnected, for_output=for_output)
        evaluation.is_awaited = evaluation.is_awaited or invocation.line.word != _RUN
        if progress is Progress.DISCONNECTED:
            self._note_shell(evaluation)
            return state_reply(progress, None, self.topic_shell.cwd)
        return await self._report(evaluation, progress)

    async def _report(self, evaluation: Evaluation, progress: Progress) -> Reply:
        reply = await self.topic_shell.report(evaluation, progress)
        evaluation.hid_typing = self._hides_typing
        self._note_shell(evaluation)
        if progress is Progress.WAITING and evaluation.hid_typing:
            self._password.ask(evaluation, reply.content or "")
        return reply

    def _note_shell(self, evaluation: Evaluation) -> None:
        """Have the next daemon know what is lost if this one ends now."""
        if evaluation.shell.is_alive:
            self.topic_shell.losses.note(
                self.topic_shell.cwd, self.program, hides_typing=self.hides_keys and evaluation.hid_typing
            )

    async def _settle(self, evaluation: Evaluation, *, for_shell: bool) -> None:
        """Handle an end that was not reported: a text meant as input must not be evaluated as a command."""
        if evaluation.last_reported is not Progress.WAITING or not evaluation.is_awaited:
            await self.topic_shell.keep_output(evaluation)
            return
        reply = await self.topic_shell.report(evaluation, Progress.ENDED)
        message = "The program that waited for input has ended meanwhile; nothing was done with this text."
        self._missed = refusal_with(reply, ErrorCode.CONFLICT, message)
        if not for_shell:
            missed, self._missed = self._missed, None
            raise missed

    def _idle(self) -> Reply:
        return idle_reply(self.topic_shell.status, self.topic_shell.cwd, "no program is running")

"""`bash:name` topics: how plain text and commands become calls of its shell."""

from __future__ import annotations

import asyncio
import re
import signal
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from stringd.plugin import ErrorCode, Invocation, Refusal, Reply, Topic
from stringd.plugin.effects import Effect, ShellRun, TypedInput, permit
from stringd.plugin.processes import exported
from stringd.plugin.text import LONGEST_HEAD, MASK, label, masked_in_shell, parse_command
from stringd_bash.evaluation import Evaluation, Progress, idle_reply, state_reply
from stringd_bash.jobs_command import JobReplies
from stringd_bash.keys import encode_keys
from stringd_bash.password_question import PasswordQuestion
from stringd_bash.stopping import stop
from stringd_bash.topic_settings import Settings
from stringd_bash.topic_shell import TopicShell

_URGENT_SECONDS = 2.0
# Longer than programs wait for the rest of a key that begins with Escape; vim waits for 0.1 seconds.
_ESCAPE_SECONDS = 0.12
_PRESS_SECONDS = 0.5
_SCREEN_SECONDS = 0.5
_HAS_TEXT = re.compile(r"//\s*\w+\s+\S+\s+\S.*", re.DOTALL)
_NOT_TYPED = "Nothing was typed."


class BashTopic(Topic):
    """Answers each request with the state of the shell; the first request that waits gets the output."""

    def __init__(self, topic_shell: TopicShell, settings: Settings) -> None:
        self._topic_shell = topic_shell
        self.jobs = JobReplies(topic_shell)
        """What `//jobs` answers."""
        self._settings = settings
        self._password = PasswordQuestion(topic_shell, lambda: self._hides_typing)
        self._output_lock = asyncio.Lock()
        self._stop_lock = asyncio.Lock()

    def info(self) -> Mapping[str, str]:
        """Return the shell's directory and process id, and the program that it runs."""
        topic_shell = self._topic_shell
        shell, running = topic_shell.shell, topic_shell.running
        return {
            "cwd": topic_shell.cwd,
            "shell": str(shell.pid) if shell and shell.is_alive else "(none)",
            "program": label(masked_in_shell(running.text)) if running else "(none)",
        }

    @property
    def has_shell(self) -> bool:
        """Whether a shell runs."""
        return self._topic_shell.shell is not None

    @property
    def _hides_typing(self) -> bool:
        running, view = self._topic_shell.running, self._topic_shell.view
        if running is None:
            # An answer may arrive after the program that asked has ended.
            ended = self._topic_shell.evaluation
            return ended is not None and ended.last_reported is Progress.WAITING and ended.hid_typing
        terminal = running.shell.terminal
        return (terminal.is_silent() and not view.is_editor) or (view.asks_secret and not terminal.echoes())

    def masked(self, text: str) -> str:
        """Mask what is typed while the terminal doesn't echo."""
        if not self._hides_typing:
            return text
        if not text.startswith("//"):
            return MASK
        word = parse_command(text[:LONGEST_HEAD]).word
        if word == "keys" or (word == "wait" and _HAS_TEXT.fullmatch(text)):
            return f"//{word} {MASK}"
        return text if word in self._topic_shell.command_names else MASK

    def check_variables(self, variables: Mapping[str, str]) -> None:
        """Refuse a time limit or a terminal size that no text could be run with."""
        self._settings.check(variables)

    def advice(self) -> str:
        """Say how a text that looks like a command is typed into a program."""
        return 'A text that begins with // is typed by //keys "//text" Enter.'

    def takes_empty_text(self) -> bool:
        """Whether a program runs, to which an empty line can be typed."""
        return self._topic_shell.running is not None

    async def take(self, invocation: Invocation, text: str, seconds: float | None = None) -> Reply:
        """Evaluate a text, or type it into the running program; `seconds` override the topic's limit."""
        seconds = self._settings.seconds_of(invocation.session) if seconds is None else seconds
        if "\0" in text:
            raise Refusal(ErrorCode.INVALID_PAYLOAD, "A text can't hold a NUL character.")
        async with self._output_lock:
            program = self._topic_shell.running
            await self._permit(text, invocation)
            try:
                evaluation = await self._evaluate_or_type(text, invocation)
                return await self._wait_and_report(evaluation, seconds, invocation)
            except asyncio.CancelledError:
                running = self._topic_shell.running
                if running is None or invocation.session.is_ending:
                    raise
                raise await self._cancelled(running, has_typed=running is program) from None

    async def wait(self, invocation: Invocation, seconds: float | None) -> Reply:
        """Wait until the program ends or asks for input, at most for some seconds."""
        evaluation = self._topic_shell.evaluation
        if evaluation is None:
            return self._idle()
        self._topic_shell.resize()
        limit = self._settings.seconds_of(invocation.session) if seconds is None else seconds
        for_output = seconds is not None and evaluation.last_reported is Progress.WAITING
        return await self._wait_beside(evaluation, limit, invocation, for_output=for_output)

    async def show_screen(self, invocation: Invocation) -> Reply:
        """Return all of the screen that the running program has drawn."""
        evaluation = self._topic_shell.running
        if evaluation is None:
            return self._idle()
        self._topic_shell.resize()
        self._topic_shell.view.forget_rows()
        reply = await self._wait_beside(evaluation, _SCREEN_SECONDS, invocation)
        screen = self._topic_shell.view.screen()
        if screen is None:
            return reply
        return replace(reply, content=screen)

    async def signal(self, invocation: Invocation, number: signal.Signals) -> Reply:
        """Send a signal to the foreground process group."""
        evaluation = self._topic_shell.running
        if evaluation is None:
            return self._idle()
        evaluation.shell.terminal.signal(number)
        return await self._wait_beside(evaluation, _URGENT_SECONDS, invocation)

    async def press(self, invocation: Invocation) -> Reply:
        """Send keys to the running program."""
        portions = encode_keys(invocation.line.arguments, application=self._topic_shell.view.application_keys)
        evaluation = self._topic_shell.running
        if evaluation is None:
            raise Refusal(ErrorCode.CONFLICT, "No program is running that could take keys.")
        await permit(TypedInput(text=invocation.label))
        if evaluation is not self._topic_shell.running:
            raise Refusal(ErrorCode.CONFLICT, "The program has ended meanwhile.", _NOT_TYPED)
        self._topic_shell.resize()
        await self._press(evaluation, portions)
        return await self._wait_beside(evaluation, _URGENT_SECONDS, invocation)

    async def _press(self, evaluation: Evaluation, portions: Sequence[bytes]) -> None:
        """Press keys, with a pause after each Escape, as a person makes one."""
        for number, keys in enumerate(portions):
            if number:
                await evaluation.shell.terminal.wait_read(_PRESS_SECONDS)
                await asyncio.sleep(_ESCAPE_SECONDS)
            if evaluation is not self._topic_shell.running:
                return
            self._topic_shell.press(keys)

    async def reset(self) -> Reply:
        """End the shell and everything it has started, and start a new one in the home directory."""
        await self._topic_shell.reset()
        return idle_reply(0, self._topic_shell.cwd, "a new shell")

    async def cancel(self) -> str | None:
        """Stop the program that no request waits for; the next reply shows what it has printed."""
        evaluation = self._topic_shell.running
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
        await self._topic_shell.close()

    async def _permit(self, text: str, invocation: Invocation) -> None:
        """Have a text permitted; refuse it if it would do something else by then."""
        topic_shell = self._topic_shell
        effect, program, shell = self._effect_of(text, invocation), topic_shell.running, topic_shell.shell
        await permit(effect)
        if program is not topic_shell.running:
            raise Refusal(ErrorCode.CONFLICT, "The program has ended or begun meanwhile.", _NOT_TYPED)
        if shell is not topic_shell.shell or effect != self._effect_of(text, invocation):
            raise Refusal(ErrorCode.CONFLICT, "The shell is not the same any more.", _NOT_TYPED)

    def _effect_of(self, text: str, invocation: Invocation) -> Effect:
        """Return what a text does: the shell evaluates it, or the running program reads it."""
        shown = self.masked(text)
        if self._topic_shell.running:
            return TypedInput(text=shown)
        directory = Path(self._topic_shell.cwd)
        return ShellRun(text=shown, directory=directory, values=exported(invocation.session))

    async def _evaluate_or_type(self, text: str, invocation: Invocation) -> Evaluation:
        evaluation = self._topic_shell.evaluation
        if evaluation and evaluation.is_running:
            _require_known(evaluation, invocation.arrived)
            self._topic_shell.resize()
            self._topic_shell.type_line(text)
            return evaluation
        if evaluation:
            await self._settle(evaluation)
        return await self._topic_shell.evaluate(text)

    async def _cancelled(self, evaluation: Evaluation, *, has_typed: bool) -> Refusal:
        """Stop what a request runs; a program that it has typed into may go on waiting for input."""
        async with self._stop_lock:
            progress = await stop(evaluation, may_wait=has_typed) if evaluation.is_running else Progress.ENDED
        reply = await self._report(evaluation, progress)
        return _refusal_with(reply, ErrorCode.CANCELLED, "The command was cancelled.")

    async def _wait_beside(
        self, evaluation: Evaluation, seconds: float, invocation: Invocation, *, for_output: bool = False
    ) -> Reply:
        """Wait for an evaluation; report its output unless another request is waiting for that."""
        if not self._output_lock.locked():
            async with self._output_lock:
                return await self._wait_and_report(evaluation, seconds, invocation, for_output=for_output)
        progress = await evaluation.wait(seconds, invocation.disconnected)
        if not self._output_lock.locked() and self._topic_shell.evaluation is evaluation:
            # The client of the other request has disconnected meanwhile.
            async with self._output_lock:
                return await self._report(evaluation, progress)
        evaluation.mark_reported(progress)
        result = evaluation.result.result() if progress is Progress.ENDED else None
        return state_reply(progress, result, self._topic_shell.cwd)

    async def _wait_and_report(
        self, evaluation: Evaluation, seconds: float, invocation: Invocation, *, for_output: bool = False
    ) -> Reply:
        with self._topic_shell.publishing_for(invocation.request_id):
            progress = await evaluation.wait(seconds, invocation.disconnected, for_output=for_output)
        if progress is Progress.DISCONNECTED:
            return state_reply(progress, None, self._topic_shell.cwd)
        return await self._report(evaluation, progress)

    async def _report(self, evaluation: Evaluation, progress: Progress) -> Reply:
        reply = await self._topic_shell.report(evaluation, progress)
        evaluation.hid_typing = self._hides_typing
        if progress is Progress.WAITING and evaluation.hid_typing:
            self._password.ask(evaluation, reply.content or "")
        return reply

    async def _settle(self, evaluation: Evaluation) -> None:
        """Handle an end that was not reported: a text meant as input must not be evaluated as a command."""
        if evaluation.last_reported is not Progress.WAITING:
            await self._topic_shell.keep_output(evaluation)
            return
        reply = await self._topic_shell.report(evaluation, Progress.ENDED)
        message = "The program that waited for input has ended meanwhile; nothing was done with this text."
        raise _refusal_with(reply, ErrorCode.CONFLICT, message)

    def _idle(self) -> Reply:
        return idle_reply(self._topic_shell.status, self._topic_shell.cwd, "no program is running")


def _refusal_with(reply: Reply, code: ErrorCode, message: str) -> Refusal:
    """Return a refusal with a reply below its message."""
    refusal = Refusal(code, message, reply.system, "---", reply.content or "")
    refusal.whole = (f"{message}\n{reply.system}\n---\n", *reply.whole) if reply.whole else ()
    return refusal


def _require_known(evaluation: Evaluation, arrived: float) -> None:
    """Refuse a text that was sent before its sender could know that it would be typed into a program."""
    if evaluation.first_reported_at is None or arrived < evaluation.first_reported_at:
        evaluation.mark_reported(evaluation.last_reported or Progress.RUNNING)
        text = label(masked_in_shell(evaluation.text))
        message = f"A program is running, which this text was not meant for: {text}"
        raise Refusal(
            ErrorCode.CONFLICT, message, "//wait tells how it stands; text sent from now on is its input."
        )

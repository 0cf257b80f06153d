"""The shell of a topic and the program that runs in it: start them, type into them, replace them."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager

from msgspec.structs import replace

from stringd.plugin import Answer, ErrorCode, Question, Refusal, Reply, TopicContext
from stringd.plugin.events import OutputFeed
from stringd.plugin.processes import ForkClient, SpillingBuffer, kept_environment, topic_environment
from stringd.plugin.text import HeadTailBuffer, label, masked_in_shell, visible_line
from stringd_bash.background_jobs import BackgroundJobs
from stringd_bash.echoed_input import without_echo
from stringd_bash.evaluation import Evaluation, Progress, progress_reply
from stringd_bash.exports import Exports
from stringd_bash.line_pieces import LONGEST_LINE
from stringd_bash.output_view import View
from stringd_bash.printed import Printed, joined
from stringd_bash.process_table import ProcessTable
from stringd_bash.recent_output import RecentOutput
from stringd_bash.running_shell import Result, Shell
from stringd_bash.shell_losses import ShellLosses
from stringd_bash.supervised_shell import ShellOptions
from stringd_bash.terminal_queries import TerminalQueries
from stringd_bash.topic_settings import Settings

# A job that floods the terminal continues, at a pace that leaves CPU time to others.
_REST_SECONDS = 0.002


class TopicShell:
    """Holds at most one shell, which is started for the first text."""

    def __init__(
        self, context: TopicContext, fork_client: ForkClient, settings: Settings, table: ProcessTable
    ) -> None:
        self.shell: Shell | None = None
        self.evaluation: Evaluation | None = None
        self.status = 0
        """The status of the last evaluation whose end was reported."""
        self._session = context.session
        self._runtime = context.runtime
        self._fork_client = fork_client
        self._settings = settings
        self._table = table
        self.view = self._new_view()
        self.recent = RecentOutput()
        """What a person who watches sees."""
        self._shell_lock = asyncio.Lock()
        self._exports = Exports()
        self._background = SpillingBuffer()
        self._sink = self._background
        self._queries = TerminalQueries()
        self._output = OutputFeed(
            self._runtime.events, user_id=self._session.user.id, topic=str(self._session.name)
        )
        self._notes: list[Printed] = []
        self.jobs = BackgroundJobs(table)
        self.losses = ShellLosses(self._session, homes_move=context.runtime.homes_move)
        self._typed: str | None = None
        """What was typed since the last reply, if it is echoed."""
        self._prompt = ""
        """The unterminated line at the end of what was shown last."""
        self._is_echoed = False

    @property
    def running(self) -> Evaluation | None:
        """The current evaluation, if it has not ended."""
        return self.evaluation if self.evaluation and self.evaluation.is_running else None

    @property
    def cwd(self) -> str:
        """The directory of the shell, or the one that it will start in."""
        return self.shell.cwd if self.shell and self.shell.is_alive else self.losses.directory or self._home

    @property
    def shown_directory(self) -> str:
        """The directory on one line, as prompts show it."""
        home, directory = str(self._session.user.home), visible_line(self.cwd)
        return f"~{directory[len(home) :]}" if f"{directory}/".startswith(f"{home}/") else directory

    @property
    def command_names(self) -> Collection[str]:
        """The commands that bash topics have."""
        return self._runtime.commands(self._session.name.type)

    @property
    def _home(self) -> str:
        """The directory in which shells start: that in which the topic began, or the user's home."""
        return self._session.state.directory or str(self._session.user.home)

    async def evaluate(self, text: str) -> Evaluation:
        """Start evaluating a text."""
        shell = await self._living_shell()
        preparation = self._exports.update(self._session)
        # Output until now was printed by background jobs.
        shell.terminal.drain()
        self._output.flush(final=True)
        self.view = self._new_view()
        self.recent.begin_program(self.shown_directory, label(masked_in_shell(text)))
        self.resize()
        self._sink = SpillingBuffer()
        self._typed, self._prompt = None, ""
        result = shell.evaluate(text, preparation)
        result.add_done_callback(self._end_evaluation)
        self.evaluation = Evaluation(shell, text, self._sink, result, self._table)
        return self.evaluation

    @contextmanager
    def publishing_for(self, request_id: str | None) -> Iterator[None]:
        """Let the request that gets the output be named with it, and publish all of it by the end."""
        self._output.flush()
        self._output.request_id = request_id
        try:
            yield
        finally:
            self._output.flush()
            self._output.request_id = None

    def type_line(self, text: str) -> None:
        """Type a line into the running program."""
        if self.shell:
            # The client knows what it typed. Where nothing echoes it, the same text in the output is output.
            terminal = self.shell.terminal
            typed = f"{text}\n".replace("\n", terminal.line_end).encode(errors="surrogatepass")
            self._require_uncut(typed)
            self._is_echoed = terminal.echoes()
            is_shown = self._is_echoed or terminal.has_line_editor() or self.recent.is_editor
            self._typed = text if is_shown else None
            terminal.type(typed)

    def press(self, keys: bytes) -> None:
        """Type keys into the running program."""
        if self.shell:
            self._require_uncut(keys)
            self.shell.terminal.type(keys)

    def type_hidden(self, text: str) -> None:
        """Type a line that the terminal does not echo, and keep nothing of it."""
        if self.shell:
            terminal = self.shell.terminal
            self._is_echoed, self._typed = False, None
            terminal.type(f"{text}{terminal.line_end}".encode())

    async def ask(self, question: Question) -> Answer:
        """Ask on behalf of the topic; see `Questions.ask`."""
        session = self._session
        asked = replace(question, user_id=session.user.id, topic=str(session.name))
        return await self._runtime.questions.ask(asked)

    def resize(self) -> None:
        """Set the terminal to the size that the topic's variables ask for."""
        if self.shell and self.shell.is_alive:
            size = self._settings.size_of(self._session)
            self.shell.terminal.resize(size.rows, size.columns)
            self.view.size = size
            self.recent.notify()

    async def report(self, evaluation: Evaluation, progress: Progress) -> Reply:
        """Return the reply with the state of an evaluation and all new output, and mark both as reported."""
        result = evaluation.result.result() if progress is Progress.ENDED else None
        cwd = self._directory_after(result)
        parts = [*self._notes, await self._new_background(), await self._new_output(evaluation, result)]
        self._notes = []
        if result:
            self.status = result.status
            self.evaluation = None if self.evaluation is evaluation else self.evaluation
            parts += [Printed(text=self.losses.tell_end(cwd))] if result.cwd is None else []
        evaluation.mark_reported(progress)
        return progress_reply(progress, result, cwd, joined(parts))

    async def shown(self, output: HeadTailBuffer) -> Printed:
        """Return output of background jobs as a terminal shows it, and empty the buffer."""
        shown = await self._new_view().show(output, final=True)
        return replace(shown, text=shown.text.removesuffix("\n"))

    async def keep_output(self, evaluation: Evaluation) -> None:
        """Keep the output of an evaluation that ended unreported, for the next reply."""
        reply = await self.report(evaluation, Progress.ENDED)
        printed = Printed(text=reply.content or "", whole=reply.whole)
        self._notes = [printed.framed(f"output of the program before, {reply.system}")]

    async def reset(self) -> None:
        """End the shell and everything it has started, discard its output, and start a new one."""
        async with self._shell_lock:
            await self._end_shell()
            self.losses.mark_told()
            self.evaluation = None
            self._notes = []
            self._background.take()
            await self._start_shell(self._home)

    async def close(self) -> None:
        """End the shell and everything it has started."""
        async with self._shell_lock:
            await self._end_shell()
            self._output.close()

    async def _living_shell(self) -> Shell:
        async with self._shell_lock:
            if self.shell and self.shell.is_alive:
                return self.shell
            directory = self.losses.directory or self._home
            loss = self.losses.untold(directory)
            shell = await self._start_shell(directory)
            self._notes += [Printed(text=it) for it in loss]
            return shell

    async def _start_shell(self, directory: str) -> Shell:
        self._require(directory)
        size = self._settings.size
        options = ShellOptions(
            program=self._settings.program,
            rc=self._settings.rc,
            directory=directory,
            environment=topic_environment(self._runtime, self._session),
            rows=size.rows,
            columns=size.columns,
        )
        self._exports = Exports()
        self._fork_client.environment = kept_environment(self._runtime)
        self.shell = await Shell.start(self._fork_client, options, self._handle_output)
        self.losses.begin(self.shell)
        self.jobs.begin(self.shell)
        return self.shell

    def _require_uncut(self, typed: bytes) -> None:
        """Refuse a line that the terminal would cut in silence."""
        if self.shell and (length := self.shell.terminal.cut_line(typed)):
            message = f"The terminal passes on {LONGEST_LINE:,} bytes of a line, and this one has {length:,}."
            advice = "Nothing was typed. Give it to the program in a file, or by a pipe: program < file"
            raise Refusal(ErrorCode.INVALID_PAYLOAD, message, advice)

    def _require(self, directory: str) -> None:
        if not os.path.isdir(directory):  # noqa: PTH112 - Path.is_dir raises PermissionError
            advice = f"Shells of user {self._session.user.id} start there: make it, and try again."
            raise Refusal(ErrorCode.NOT_FOUND, f"No such directory: {directory}", advice)

    async def _end_shell(self) -> None:
        shell, self.shell = self.shell, None
        if shell:
            await shell.end()

    def _end_evaluation(self, _: asyncio.Future[Result]) -> None:
        self._sink = self._background
        self.jobs.update()
        self.recent.end_program()

    def _handle_output(self, data: bytes) -> None:
        self._sink.add(data)
        self._output.write(data)
        self.recent.add(data)
        if self._sink is self._background:
            self.jobs.add_output(data)
            if self._sink.is_full and self.shell and self.shell.is_alive:
                self.shell.terminal.rest(_REST_SECONDS)
        elif (answers := self._queries.answers(data, self.view.size)) and self.shell:
            self.shell.terminal.answer(answers)

    def _directory_after(self, result: Result | None) -> str:
        if result is None:
            return self.cwd
        return self._home if result.cwd is None else result.cwd

    def _new_view(self) -> View:
        session = self._session
        return View(self._settings.size, self._runtime.workers, f"{session.user.id}:{session.name}")

    async def _new_background(self) -> Printed:
        return (await self.shown(self._background)).framed("background output")

    async def _new_output(self, evaluation: Evaluation, result: Result | None) -> Printed:
        printed = await self.view.show(evaluation.output, final=result is not None)
        text = printed.text
        typed, self._typed = self._typed, None
        prompt, self._prompt = self._prompt, text.rpartition("\n")[2]
        if typed is not None and self.view.shows_lines:
            if self._is_echoed and len(text) > LONGEST_LINE and typed.startswith(text):
                # The terminal echoes a long line as fast as the program reads it.
                self._typed = typed[len(text) :] or None
            # A line editor terminates the line that it has shown; a line that is not terminated is output.
            is_all = self._is_echoed and text == typed
            text = "" if is_all else without_echo(text, typed, prompt)
            if printed.text.startswith(f"{typed}\n"):
                printed.skip(len(typed) + 1)
        return replace(printed, text=text.removesuffix("\n"))

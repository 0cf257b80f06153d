"""A topic's shell and the program that it is busy with: started, typed into, told of, replaced when dead."""

from __future__ import annotations

import asyncio

from stringd.plugin import Refusal, Reply, TopicContext
from stringd.plugin.processes import kept_environment, topic_environment
from stringd_bash.buffer import Buffer
from stringd_bash.evaluation import Evaluation, Standing
from stringd_bash.exports import Exports
from stringd_bash.fork_client import ForkClient
from stringd_bash.process_table import ProcessTable
from stringd_bash.replies import reply_to
from stringd_bash.sections import section
from stringd_bash.settings import Settings
from stringd_bash.shell import Ending, Shell
from stringd_bash.socket_messages import Order
from stringd_bash.terminal_queries import Questions
from stringd_bash.view import View


class Console:
    """Holds at most one shell, which is there from the first text on."""

    def __init__(
        self, context: TopicContext, host: ForkClient, settings: Settings, table: ProcessTable
    ) -> None:
        self.shell: Shell | None = None
        self.program: Evaluation | None = None
        self.status = 0
        """The status of the last program that somebody was told of."""
        self._session = context.session
        self._runtime = context.runtime
        self._host = host
        self._settings = settings
        self._table = table
        self.view = self._new_view()
        self._changing = asyncio.Lock()
        self._exports = Exports()
        self._background = Buffer()
        self._sink = self._background
        self._questions = Questions()
        self._notes: list[str] = []
        self._typed = ""
        self._is_echoed = False

    @property
    def running(self) -> Evaluation | None:
        """The program that the shell is busy with, if it is."""
        return self.program if self.program and self.program.is_running else None

    @property
    def cwd(self) -> str:
        """Where the shell is, or will begin."""
        return self.shell.cwd if self.shell and self.shell.is_alive else self._home

    @property
    def _home(self) -> str:
        return str(self._session.user.home)

    async def begin(self, text: str) -> Evaluation:
        """Have the shell evaluate a text."""
        shell = await self._living_shell()
        preparation = self._exports.bring(self._session)
        # What was printed until now came from what runs in the background.
        shell.terminal.drain()
        self.view = self._new_view()
        self.resize()
        self._sink = Buffer()
        self._typed = ""
        ending = shell.evaluate(text, preparation)
        ending.add_done_callback(self._end_program)
        self.program = Evaluation(shell, text, self._sink, ending, self._table)
        return self.program

    def type_line(self, text: str) -> None:
        """Type a line into the program that runs."""
        if self.shell:
            # Who typed it knows it. Where neither the terminal nor a line editor repeats it, it is output.
            terminal = self.shell.terminal
            self._is_echoed = terminal.echoes()
            is_shown = self._is_echoed or terminal.has_line_editor() or self.view.is_editor
            self._typed = text if is_shown else ""
            typed = f"{text}\n".replace("\n", terminal.line_end)
            terminal.type(typed.encode(errors="surrogatepass"))

    def resize(self) -> None:
        """Give the terminal the size that the topic asks for."""
        if self.shell and self.shell.is_alive:
            size = self._settings.size_of(self._session)
            self.shell.terminal.resize(size.rows, size.columns)
            self.view.size = size

    async def tell(self, program: Evaluation, standing: Standing) -> Reply:
        """Return how a program stands and what is new; what it has told, it forgets."""
        ending = program.ending.result() if standing is Standing.ENDED else None
        cwd = self._cwd_after(ending)
        parts = [*self._notes, await self._new_background(), await self._new_output(program, ending)]
        self._notes = []
        if ending:
            self.status = ending.status
            self.program = None if self.program is program else self.program
            parts += [_replacement(cwd)] if ending.cwd is None else []
        program.tell(standing)
        return reply_to(standing, ending, cwd, parts)

    async def keep(self, program: Evaluation) -> None:
        """Keep for the next reply what a program has printed that ended while nobody waited for it."""
        reply = await self.tell(program, Standing.ENDED)
        self._notes = [section(f"output of the program before, {reply.system}", reply.content or "")]

    async def reset(self) -> None:
        """End everything that runs here, forget what it has printed, and start a new shell."""
        async with self._changing:
            await self._end_shell()
            self.program = None
            self._notes = []
            self._background.take()
            await self._start_shell()

    async def close(self) -> None:
        """End everything that runs here."""
        async with self._changing:
            await self._end_shell()

    async def _living_shell(self) -> Shell:
        async with self._changing:
            if self.shell and self.shell.is_alive:
                return self.shell
            return await self._start_shell()

    async def _start_shell(self) -> Shell:
        if not self._session.user.home.is_dir():
            raise Refusal("NOT_FOUND", f"No such directory: {self._home}")
        size = self._settings.size
        order = Order(
            program=self._settings.program,
            rc=self._settings.rc,
            home=self._home,
            environment=topic_environment(self._runtime, self._session),
            rows=size.rows,
            columns=size.columns,
        )
        self._exports = Exports()
        self._host.environment = kept_environment(self._runtime)
        self.shell = await Shell.start(self._host, order, self._printed)
        return self.shell

    async def _end_shell(self) -> None:
        shell, self.shell = self.shell, None
        if shell:
            await shell.end()

    def _end_program(self, _: asyncio.Future[Ending]) -> None:
        self._sink = self._background

    def _printed(self, data: bytes) -> None:
        self._sink.add(data)
        if self._sink is self._background:
            if self._sink.is_full and self.shell and self.shell.is_alive:
                self.shell.terminal.pause()
        elif (answers := self._questions.answers(data)) and self.shell:
            self.shell.terminal.answer(answers)

    def _cwd_after(self, ending: Ending | None) -> str:
        if ending is None:
            return self.cwd
        return self._home if ending.cwd is None else ending.cwd

    def _new_view(self) -> View:
        session = self._session
        return View(self._settings.size, self._runtime.workers, f"{session.user.id}:{session.name}")

    async def _new_background(self) -> str:
        text = await self._new_view().show(self._background, final=True)
        return section("background output", text.removesuffix("\n"))

    async def _new_output(self, program: Evaluation, ending: Ending | None) -> str:
        text = await self.view.show(program.output, final=ending is not None)
        typed, self._typed = self._typed, ""
        # A line editor ends the line that it has shown; what only looks like it is output.
        repeated = text + "\n" * self._is_echoed
        if typed and self.view.shows_lines and repeated.startswith(f"{typed}\n"):
            text = text[len(typed) :].removeprefix("\n")
        return text.removesuffix("\n")


def _replacement(home: str) -> str:
    return f"[the shell has ended; the next text starts a new one in {home}]"

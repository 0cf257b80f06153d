"""Read users' strategies: within their allowed paths, and with the operator's approval if they are code."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from stringd.plugin import Disconnected, Refusal, Runtime, User
from stringd.plugin.files import HomeFiles
from stringd.plugin.workers import READING, STORAGE
from stringd_runs.strategies.agent_reading import AgentTypes
from stringd_runs.strategies.code_approval import CodeApprovals
from stringd_runs.strategies.flow_reading import FlowTypes
from stringd_runs.strategies.prompts import ReadFile
from stringd_runs.strategies.strategy import Strategy, StrategyInvalid
from stringd_runs.strategies.strategy_format import StrategyFormat
from stringd_runs.strategies.strategy_formats import FORMATS
from stringd_runs.strategies.strategy_reader import format_of, read_source, read_strategy


class UserStrategies:
    """Reads strategies in the formats that plugins have added, with these types of flows and agents."""

    def __init__(self, runtime: Runtime, *, flow_types: FlowTypes, agent_types: AgentTypes) -> None:
        self._runtime = runtime
        self._formats = (*FORMATS, *runtime.added(StrategyFormat))
        self._flow_types = flow_types
        self._agent_types = agent_types
        self._approvals = CodeApprovals(runtime.questions)

    async def read(
        self,
        typed: str,
        *,
        user: User,
        directory: Path,
        disconnected: Disconnected | None = None,
        approved_code: str | None = None,
    ) -> Strategy:
        """Return the strategy at a path relative to a directory, or raise `StrategyInvalid`.

        It and the files that it names must be in the user's home or allowed paths. One that is code waits
        for the operator's approval, at most until `disconnected` returns; unless it has the hash
        `approved_code`.
        """
        files = HomeFiles(user, self._runtime, directory)
        path = await STORAGE.run(_resolved, files, typed)
        chosen = format_of(path, self._formats)

        def read_own(path: Path) -> bytes:
            return files.content(str(path))

        read_file: ReadFile = read_own
        digest: str | None = None
        if chosen.runs_code:
            source = await STORAGE.run(read_source, path, read_file)
            digest = await self._approvals.require(
                path, source.text, user, disconnected, approved=approved_code
            )
            read_file = _with_content(path, source.text, read_file)
        strategy = await READING.run(
            read_strategy,
            path,
            read_file=read_file,
            flow_types=self._flow_types,
            agent_types=self._agent_types,
            formats=self._formats,
        )
        return replace(strategy, approved_code=digest)


def _with_content(path: Path, text: str, read_file: ReadFile) -> ReadFile:
    """Return a function that reads files, and for this one returns the content that is approved."""
    data = text.encode()
    return lambda it: data if it == path else read_file(it)


def _resolved(files: HomeFiles, typed: str) -> Path:
    try:
        return files.resolve(typed)
    except Refusal as refusal:
        raise StrategyInvalid(refusal.message, Path(typed)) from None

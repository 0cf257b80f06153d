"""Run pipelines with an executor, as the plugin does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from stringd_approval.exec_request import ExecRequest
from stringd_approval.exec_result import PipelineResult
from stringd_approval.executing.executor import Executor

T = TypeVar("T")
PATIENCE = 30.0


def request(*stages: tuple[str, ...], **fields: Any) -> ExecRequest:
    """Return an unprivileged request."""
    return ExecRequest(**{"id": "1", "pipeline": stages, "privileged": False, **fields})


@asynccontextmanager
async def executing(**options: Any) -> AsyncIterator[Executor]:
    """Provide an executor, and end it."""
    executor = Executor(**options)
    try:
        yield executor
    finally:
        executor.close()


def with_executor(work: Callable[[Executor], Awaitable[T]], **options: Any) -> T:
    """Do some work with an executor of its own."""

    async def main() -> T:
        async with executing(**options) as executor:
            return await asyncio.wait_for(work(executor), PATIENCE)

    return asyncio.run(main())


def run(*stages: tuple[str, ...], seconds: float = PATIENCE, **fields: Any) -> PipelineResult:
    """Run one unprivileged pipeline."""
    return with_executor(lambda executor: executor.run(request(*stages, **fields), seconds=seconds))


def codes(result: PipelineResult) -> list[int]:
    """Return the exit codes of all stages."""
    return [stage.exit_code for stage in result.stages]

"""A plugin for the bench: as many open questions as a daemon can have, about requests to run pipelines."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from stringd.plugin import Question, QuestionKind, Runtime, Service, Trust, hookimpl
from stringd_approval.asking.display import Located, display_request
from stringd_approval.exec_request import ExecRequest

NUMBER = 1000
_USERS = 5


def _question(number: int) -> Question:
    request = ExecRequest(
        id=f"550e8400-e29b-41d4-a716-{number:012}",
        pipeline=(("apt", "install", f"package-{number}"), ("tee", "/var/log/packages.log")),
        host="workstation.local",
        session=f"agent-{number}",
        reason="The build needs this package and what it depends on",
        env={"DEBIAN_FRONTEND": "noninteractive"},
    )
    located = Located(programs=[["/usr/bin/apt"], ["/usr/bin/tee"]], directory=request.cwd)
    shown = display_request(request, located, exec_seconds=300)
    return Question(
        kind=QuestionKind.APPROVE,
        title=shown.title,
        body=shown.body,
        details=shown.details,
        asked_by="pending",
        # So that no operator is needed.
        trust=Trust.ANYONE,
        user_id=f"user-{number % _USERS}",
    )


@hookimpl
def stringd_services(runtime: Runtime) -> Iterable[Service]:
    """Ask all questions at the start."""

    async def ask() -> None:
        await asyncio.gather(*(runtime.questions.ask(_question(it)) for it in range(NUMBER)))

    return [Service(name="pending", run=ask)]

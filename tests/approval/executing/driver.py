"""Run one privileged request, as the user of this process, and print what came of it.

The first argument is JSON: the stages, the options of the executor, the passwords that are typed, and maybe
for how many seconds programs may run.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from typing import Any

from stringd.plugin.processes import set_deadline
from stringd_approval.exec_request import ExecRequest
from stringd_approval.exec_result import ExecFailed, PipelineResult
from stringd_approval.executing.executor import Executor


async def main(wanted: dict[str, Any]) -> dict[str, Any]:
    """Run the request; return its result or the error, and the prompts."""
    if seconds := wanted.get("lease"):
        set_deadline(time.clock_gettime(time.CLOCK_BOOTTIME) + seconds)
    prompts: list[str] = []
    passwords = wanted["passwords"]

    async def ask(prompt: str) -> str:
        prompts.append(prompt)
        if len(prompts) > len(passwords):
            raise ExecFailed("nobody has typed the password")
        return str(passwords[len(prompts) - 1])

    executor = Executor(sudo=wanted["sudo"])
    pipeline = tuple(map(tuple, wanted["stages"]))
    request = ExecRequest(id="1", pipeline=pipeline, env=wanted["env"], cwd=wanted["cwd"])
    asking = None if passwords is None else ask
    try:
        result = await executor.run(request, seconds=wanted["seconds"], ask_password=asking)
        return {"prompts": prompts, **shown(result)}
    except ExecFailed as failure:
        captured = shown(failure.captured) if failure.captured else {}
        return {"prompts": prompts, "error": str(failure), **captured}
    finally:
        executor.close()


def shown(result: PipelineResult) -> dict[str, Any]:
    return {
        "codes": [stage.exit_code for stage in result.stages],
        "signals": [stage.signal for stage in result.stages],
        "errors": [stage.stderr.decode() for stage in result.stages],
        "output": result.stdout.decode(),
    }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(main(json.loads(sys.argv[1])))))

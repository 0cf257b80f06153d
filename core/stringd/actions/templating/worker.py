"""The process that templates run in: jobs come in, what they made goes out, until its parent is gone.

It is there to be killed: whatever a template holds on to, or how long it goes on, ends with it.
"""

from __future__ import annotations

import json
import resource
import signal
import struct
import sys
from typing import IO, Any

import orjson

from stringd.actions.templating.run import do

MEMORY = 768 * 1024 * 1024
# By then a living parent has lost its patience long ago.
_LONGEST_JOB = 5.0
SIZES = struct.Struct("!?II")
LENGTH = struct.Struct("!I")
READY = b"ready\n"


def main() -> None:
    """Answer one job after the other."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    jobs, results = sys.stdin.buffer, sys.stdout.buffer
    results.write(READY)
    results.flush()
    while head := jobs.read(SIZES.size):
        signal.setitimer(signal.ITIMER_PROF, _LONGEST_JOB)
        answer(head, jobs, results)
        signal.setitimer(signal.ITIMER_PROF, 0)


def answer(head: bytes, jobs: IO[bytes], results: IO[bytes]) -> None:
    """Do one job: what all jobs have, and the body of the answer in JSON of its own."""
    is_plain, size, body_size = SIZES.unpack(head)
    job: dict[str, Any] = json.loads(jobs.read(size))
    body = jobs.read(body_size)
    try:
        job["body"] = orjson.loads(body) if is_plain else json.loads(body)
        made = do(job)
    except MemoryError:
        made = {"error": "it needs too much memory"}
    del body
    data = json.dumps(made, ensure_ascii=False).encode(errors="replace")
    results.write(LENGTH.pack(len(data)) + data)
    results.flush()


if __name__ == "__main__":
    main()

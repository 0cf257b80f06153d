"""The reference of requests: a bare asyncio server on a Unix socket, which spawns what it is asked for.

It has no policy, log, limits or supervision.
"""

from __future__ import annotations

import asyncio
import base64
import json
import sys
from asyncio.subprocess import DEVNULL, PIPE


async def main(address: str) -> None:
    """Serve until the process is ended."""
    server = await asyncio.start_unix_server(_answer, address)
    await server.serve_forever()


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    request = json.loads(await reader.readline())
    (line,) = request["pipeline"]
    process = await asyncio.create_subprocess_exec(*line, stdin=DEVNULL, stdout=PIPE, stderr=PIPE)
    output, errors = await process.communicate()
    stage = {"exit_code": process.returncode, "stderr": _encoded(errors)}
    reply = {"status": "ok", "stages": [stage], "stdout": _encoded(output)}
    writer.write(json.dumps(reply).encode() + b"\n")
    await writer.drain()
    writer.close()


def _encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))

"""The clients in Python, and others that know nothing but the page of the protocol."""

from __future__ import annotations

import asyncio
import base64
import json
import shutil
import socket
import subprocess
from pathlib import Path

import pytest

from stringd import approval
from stringd.approval import DaemonUnreachable, Stage, request, request_async
from tests.approval.listening.fake_broker import FakeBroker, Listening

PERL = r"""
use strict; use warnings;
use Encode; use IO::Socket::UNIX; use JSON::PP; use MIME::Base64; use POSIX qw(strftime);
my ($path, @argv) = map { decode("UTF-8", $_) } @ARGV;
my $socket = IO::Socket::UNIX->new(Peer => $path) or die "no daemon: $!";
my %request = (
    id => "from-perl",
    host => "workstation",
    session => "perl",
    time => strftime("%Y-%m-%dT%H:%M:%SZ", gmtime),
    pipeline => [\@argv],
    reason => "to show that any language will do",
    privileged => JSON::PP::false,
);
print $socket encode_json(\%request) . "\n";
my $reply = decode_json(scalar <$socket>);
die $reply->{status} . ": " . ($reply->{message} // "") . "\n" if $reply->{status} ne "ok";
print decode_base64($reply->{stdout});
exit $reply->{stages}[-1]{exit_code};
"""
NODE = r"""
const net = require("node:net");
const [path, ...argv] = process.argv.slice(2);
const socket = net.createConnection(path);
const request = {
  id: "from-node",
  session: "node",
  time: new Date().toISOString(),
  pipeline: [argv],
  reason: "to show that any language will do",
  privileged: false,
};
let line = "";
socket.on("connect", () => socket.end(JSON.stringify(request) + "\n"));
socket.setEncoding("utf8").on("data", (text) => (line += text));
socket.on("end", () => {
  const reply = JSON.parse(line);
  if (reply.status !== "ok") {
    console.error(`${reply.status}: ${reply.message ?? ""}`);
    process.exitCode = 255;
    return;
  }
  process.stdout.write(Buffer.from(reply.stdout, "base64"));
  process.exitCode = reply.stages.at(-1).exit_code;
});
"""


@pytest.mark.requirement("approval.agents.languages")
@pytest.mark.parametrize(("program", "source"), [("perl", PERL), ("node", NODE)])
def test_another_language_needs_the_page_only(
    listening: Listening, broker: FakeBroker, tmp_path: Path, program: str, source: str
) -> None:
    if not shutil.which(program):
        pytest.skip(f"{program} is not installed")
    script = tmp_path / "client"
    script.write_text(source, encoding="utf-8")
    broker.output = "Grüße\n".encode()
    command = [program, str(script), str(listening.path)]
    done = subprocess.run([*command, "ls", "ü"], capture_output=True, timeout=60, check=True)
    assert done.stdout == broker.output
    seen = broker.requests.get(timeout=5)
    assert (seen.id, seen.pipeline, seen.privileged) == (f"from-{program}", (("ls", "ü"),), False)
    refused = subprocess.run([*command, "refuse"], capture_output=True, timeout=60, check=False)
    assert refused.returncode != 0
    assert refused.stderr == b"error: no such program\n"


@pytest.mark.requirement("approval.agents.python")
def test_a_reply_is_typed(listening: Listening, broker: FakeBroker) -> None:
    broker.output, broker.errors = b"\xff", b"err"
    reply = request([["ls"], ["wc"]], path=listening.path, id="a", env={"LANG": "C"}, privileged=False)
    assert (reply.id, reply.status, reply.ok, reply.stdout) == ("a", "ok", True, b"\xff")
    assert reply.stages == (Stage(exit_code=0, stderr=b"err"), Stage(exit_code=0, stderr=b"err"))
    seen = broker.requests.get(timeout=5)
    assert (seen.env, seen.host) == ({"LANG": "C"}, socket.gethostname())


@pytest.mark.requirement("approval.agents.python")
def test_the_async_client_does_the_same(listening: Listening) -> None:
    async def main() -> None:
        pipelines = [[["exit", f"{number}"]] for number in range(5)]
        replies = await asyncio.gather(*(request_async(it, path=listening.path) for it in pipelines))
        assert [it.stages[-1].exit_code for it in replies] == list(range(5))

    asyncio.run(main())


def test_other_outcomes_are_replies_too(listening: Listening) -> None:
    denied = request([["deny"]], path=listening.path)
    assert (denied.ok, denied.status, denied.comment) == (False, "denied", "not today")
    assert request([["late"]], path=listening.path).status == "timeout"
    assert request([["refuse"]], path=listening.path).message == "no such program"
    assert request([[]], path=listening.path).status == "error"
    edited = request([["edit"]], path=listening.path)
    assert (edited.ok, edited.edited) == (True, (("ls", "-l"),))
    assert request([["kill", "9"]], path=listening.path).stages == (Stage(exit_code=-1, signal=9),)


def test_giving_up_withdraws_the_request(listening: Listening, broker: FakeBroker) -> None:
    with pytest.raises(TimeoutError):
        request([["ask"]], path=listening.path, id="a", timeout=0.2)
    assert broker.withdrawn.get(timeout=5) == "a"


def test_cancelling_withdraws_the_request(listening: Listening, broker: FakeBroker) -> None:
    async def main() -> None:
        async with asyncio.timeout(0.2):
            await request_async([["ask"]], path=listening.path, id="a")

    with pytest.raises(TimeoutError):
        asyncio.run(main())
    assert broker.withdrawn.get(timeout=5) == "a"


def test_a_missing_daemon_is_told(tmp_path: Path) -> None:
    with pytest.raises(DaemonUnreachable, match=r"no daemon at .*none\.sock"):
        request([["ls"]], path=tmp_path / "none.sock")


@pytest.mark.requirement("approval.agents.python")
def test_newer_fields_of_replies_are_ignored(tmp_path: Path) -> None:
    path = tmp_path / "a.sock"
    reply = {"id": "a", "status": "ok", "later": 1, "stdout": base64.b64encode(b"x").decode()}
    stages = [{"exit_code": 0, "stderr": "", "later": []}]
    with socket.create_server(str(path), family=socket.AF_UNIX) as server:

        async def main() -> approval.Reply:
            asking = asyncio.create_task(request_async([["ls"]], path=path))
            client, _ = await asyncio.to_thread(server.accept)
            with client:
                client.sendall(json.dumps(reply | {"stages": stages}).encode() + b"\n")
            return await asking

        assert asyncio.run(main()).stdout == b"x"


def test_every_public_name_is_there() -> None:
    assert [it for it in approval.__all__ if not hasattr(approval, it)] == []

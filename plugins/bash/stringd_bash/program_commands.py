"""The `//` commands of bash topics for the program that the shell runs."""

from __future__ import annotations

import re
import signal
from typing import cast

from msgspec.structs import replace

from stringd.plugin import Command, CommandLine, ErrorCode, Invocation, Refusal, Reply, parse_seconds
from stringd.plugin.commands import close, info
from stringd.plugin.text import masked_in_shell
from stringd_bash.bash_topic import BashTopic
from stringd_bash.key_presses import PressedKeys, masked_typing
from stringd_bash.keys import NAMES

TYPE = "bash"
_TYPES = frozenset({TYPE})
_JOB = re.compile(r"(?:%?(?P<number>\d{1,10})(?P<kill>\s+--kill)?)?")


async def take(invocation: Invocation) -> Reply:
    """Evaluate plain text, or type it into the running program."""
    return await _known_topic(invocation).take(invocation, invocation.line.text)


async def _wait(invocation: Invocation) -> Reply:
    words, text = _read_wait(invocation.line)
    seconds = parse_seconds(words) if words else None
    if words and seconds is None:
        # The word is not repeated: it may be the beginning of a secret.
        refused = "//wait takes a number of seconds, and maybe a text behind it."
        raise Refusal(ErrorCode.INVALID_PARAMS, refused, f"Usage: {WAIT.usage}")
    topic = _known_topic(invocation)
    if text is None or seconds is None:
        return await topic.wait(invocation, seconds)
    return await topic.take(invocation, text, seconds)


def _read_wait(line: CommandLine) -> tuple[str, str | None]:
    """Return the seconds as they were typed, and the text to wait for; None if there is none."""
    seconds, *texts = line.arguments.split(maxsplit=1)[:2] or [""]
    texts += [] if line.body is None else [line.body]
    return seconds, "\n".join(texts) if texts else None


def _waits_only(line: CommandLine) -> bool:
    """Whether a `//wait` sends no text, for which it would need its turn."""
    return _read_wait(line)[1] is None


async def _run(invocation: Invocation) -> Reply:
    line = invocation.line
    text = "\n".join(it for it in (line.arguments, line.body) if it)
    if not text:
        raise Refusal(ErrorCode.INVALID_PAYLOAD, "No text to evaluate.", f"Usage: {RUN.usage}")
    return await _known_topic(invocation).take(invocation, text, for_shell=True)


def _masked_run(text: str) -> str:
    head, space, rest = text.partition(" ")
    return f"{head}{space}{masked_in_shell(rest)}"


async def _interrupt(invocation: Invocation) -> Reply:
    return await _known_topic(invocation).signal(invocation, signal.SIGINT)


async def _kill(invocation: Invocation) -> Reply:
    return await _known_topic(invocation).signal(invocation, signal.SIGKILL)


async def _keys(invocation: Invocation) -> Reply:
    return await _press(invocation, PressedKeys(text=invocation.line.arguments), KEYS)


async def _type(invocation: Invocation) -> Reply:
    return await _press(invocation, PressedKeys.to_type(invocation.line.arguments), TYPE_KEYS)


async def _press(invocation: Invocation, keys: PressedKeys, command: Command) -> Reply:
    if not keys.text:
        raise Refusal(ErrorCode.INVALID_PAYLOAD, "No keys to press.", f"Usage: {command.usage}")
    return await _known_topic(invocation).press(invocation, keys)


async def _screen(invocation: Invocation) -> Reply:
    return await _known_topic(invocation).show_screen(invocation)


async def _reset(invocation: Invocation) -> Reply:
    return await topic_of(invocation).reset()


async def _jobs(invocation: Invocation) -> Reply:
    match = _JOB.fullmatch(invocation.line.arguments)
    if match is None:
        raise Refusal(ErrorCode.INVALID_PARAMS, "//jobs takes the number of a job.", f"Usage: {JOBS.usage}")
    jobs = _known_topic(invocation).jobs
    if match["number"] is None:
        return await jobs.list_all()
    number = int(match["number"])
    return await (jobs.end(number) if match["kill"] else jobs.show(number))


def topic_of(invocation: Invocation) -> BashTopic:
    """Return the topic that a command of a bash topic runs in."""
    return cast("BashTopic", invocation.topic)


def _known_topic(invocation: Invocation) -> BashTopic:
    """Return the topic; refuse what can't know yet that its shell has ended with the daemon."""
    topic = topic_of(invocation)
    topic.require_told(invocation.arrived)
    return topic


WAIT = Command(
    name="wait",
    summary="Wait for the program, or for a text that is sent, for so many seconds.",
    group="Programs",
    usage="//wait [seconds [text]]",
    run=_wait,
    topic_types=_TYPES,
    takes_body=True,
    urgent=_waits_only,
)
RUN = Command(
    name="run",
    summary="Have the shell evaluate a text, and never type it into a program.",
    group="Programs",
    usage="//run text",
    run=_run,
    mask=_masked_run,
    topic_types=_TYPES,
    takes_body=True,
)
INTERRUPT = Command(
    name="interrupt",
    summary="Interrupt the program that runs, as Ctrl-C does.",
    group="Programs",
    usage="//interrupt",
    run=_interrupt,
    topic_types=_TYPES,
    takes_arguments=False,
    urgent=True,
)
KILL = Command(
    name="kill",
    summary="Kill the program that runs.",
    group="Programs",
    usage="//kill",
    run=_kill,
    topic_types=_TYPES,
    takes_arguments=False,
    urgent=True,
)
KEYS = Command(
    name="keys",
    summary="Press keys, or type text without a newline, in the program that runs.",
    group="Programs",
    usage='//keys ^C | Enter | Up | "text" ...\n\nKeys: ' + NAMES,
    run=_keys,
    topic_types=_TYPES,
    urgent=True,
)
TYPE_KEYS = Command(
    name="type",
    summary="Press keys as //keys does, and leave what they do to the next reply.",
    group="Programs",
    usage='//type [--secret] ^C | Enter | Up | "text" ...',
    run=_type,
    mask=masked_typing,
    topic_types=_TYPES,
    urgent=True,
)
JOBS = Command(
    name="jobs",
    summary="List what runs in the background, show a job's output, or end a job.",
    group="Programs",
    usage="//jobs [number [--kill]]",
    run=_jobs,
    topic_types=_TYPES,
    urgent=True,
)
SCREEN = Command(
    name="screen",
    summary="Show the whole screen of a full-screen program, with the cursor's place.",
    group="Programs",
    usage="//screen",
    run=_screen,
    topic_types=_TYPES,
    takes_arguments=False,
    urgent=True,
)
RESET = Command(
    name="reset",
    summary="End everything that runs here and start a new shell at home.",
    group="Programs",
    usage="//reset",
    run=_reset,
    topic_types=_TYPES,
    takes_arguments=False,
    urgent=True,
)
# A topic whose program is running can be inspected and closed as well.
CLOSE = replace(close.CLOSE, topic_types=_TYPES, urgent=True)
INFO = replace(info.INFO, topic_types=_TYPES, urgent=True)
COMMANDS = (CLOSE, INFO, INTERRUPT, JOBS, KEYS, KILL, RESET, RUN, SCREEN, TYPE_KEYS, WAIT)

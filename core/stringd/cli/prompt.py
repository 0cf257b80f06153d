"""The prompt: one command a line, Ctrl-C abandons a line, Ctrl-D ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stringd.cli.completion import CommandNames
from stringd.cli.line_editor import LineEditor
from stringd.cli.output import say, write_error
from stringd.errors import DaemonUnreachable
from stringd.text.masking import may_be_kept
from stringd.text.topic_names import DEFAULT_TOPIC, DEFAULT_TYPE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stringd.cli.command_runner import CommandRunner


def run_prompt(speaker: CommandRunner) -> int:
    """Read and run commands until the user ends; return the exit code."""
    topic = _full_name(speaker.topic)
    editor = LineEditor(CommandNames(speaker.client, topic))
    try:
        for line in _lines(editor, f"{topic}> "):
            _speak(speaker, line)
            # Only the daemon knows what was typed at a prompt that asks for a secret.
            if speaker.shown and may_be_kept(line, speaker.shown):
                editor.remember(line)
    finally:
        editor.save()
    return 0


def _full_name(topic: str) -> str:
    name = topic.strip() or DEFAULT_TOPIC
    return name if ":" in name else f"{DEFAULT_TYPE}:{name}"


def _lines(editor: LineEditor, prompt: str) -> Iterator[str]:
    while True:
        try:
            line = editor.read(prompt)
        except KeyboardInterrupt:
            write_error("\n")
        except EOFError:
            write_error("\n")
            return
        else:
            if line.strip():
                yield line


def _speak(speaker: CommandRunner, line: str) -> None:
    try:
        speaker.speak(line)
    except KeyboardInterrupt:
        say("Not waiting any longer; the command goes on in the daemon.")
    except DaemonUnreachable as error:
        say(str(error))

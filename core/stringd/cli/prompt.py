"""The interactive prompt: one command per line; Ctrl-C discards a line or cancels a command, Ctrl-D exits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stringd.cli.command_runner import Interrupted
from stringd.cli.completion import CommandNames
from stringd.cli.line_editor import LineEditor
from stringd.errors import DaemonUnreachable
from stringd.processes.standard_streams import print_notice, write_error
from stringd.text.masking import may_be_kept
from stringd.text.topic_names import DEFAULT_TOPIC, DEFAULT_TYPE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stringd.cli.command_runner import CommandRunner


def run_prompt(runner: CommandRunner) -> int:
    """Read and run commands until the user exits; return the exit code."""
    topic = _full_name(runner.topic)
    editor = LineEditor(CommandNames(runner.client, topic))
    try:
        for line in _lines(editor, f"{topic}> "):
            _run(runner, line)
            # Only the daemon knows whether a program had prompted for a secret.
            if runner.shown and may_be_kept(line, runner.shown):
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


def _run(runner: CommandRunner, line: str) -> None:
    try:
        runner.run(line)
    except Interrupted:
        return
    except KeyboardInterrupt:
        print_notice("Stopped waiting; the command continues in the daemon.")
    except DaemonUnreachable as error:
        print_notice(str(error))

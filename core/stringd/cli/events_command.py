"""The subcommand that shows what happens: `events`."""

from __future__ import annotations

import argparse
import select
import signal
import sys
import threading

from stringd.api.cli import CliCommand
from stringd.cli.event_lines import EventLines, may_colour, write_lines
from stringd.cli.output import write_json
from stringd.cli.string_arguments import user_argument
from stringd.client.records import Event
from stringd.client.sync import Client


def _events(arguments: argparse.Namespace) -> int:
    """Show events until Ctrl-C, which is the way to end this."""
    lines = EventLines(coloured=may_colour(sys.stdout))
    _end_with_reader()
    try:
        with Client(arguments.user or "default", port=arguments.config.port, start=False) as client:
            events = client.events(
                arguments.topic,
                kinds=arguments.kinds or (),
                everyone=arguments.user is None,
                after=arguments.after,
                reconnect=True,
            )
            for event in events:
                if arguments.json:
                    write_json(_record(event))
                else:
                    write_lines(lines.of(event), sys.stdout)
    except KeyboardInterrupt:
        return 0
    return 0


def _end_with_reader() -> None:
    """Interrupt the program when nobody reads its output any more, also while nothing happens."""
    try:
        output = sys.stdout.fileno()
    except (AttributeError, OSError, ValueError):
        return
    threading.Thread(target=_await_closed, args=(output, threading.get_ident()), daemon=True).start()


def _await_closed(output: int, reader: int) -> None:
    watcher = select.poll()
    # Errors are reported without being asked for.
    watcher.register(output, 0)
    watcher.poll()
    signal.pthread_kill(reader, signal.SIGINT)


def _record(event: Event) -> dict[str, object]:
    return {
        "kind": event.kind,
        "seq": event.seq,
        "at": event.at,
        "user_id": event.user_id,
        "topic": event.topic,
        "request_id": event.request_id,
        **event.fields,
    }


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--topic", metavar="TOPIC", help="only what happens in this topic")
    parser.add_argument("--user", metavar="ID", type=user_argument, help="only what concerns this user")
    parser.add_argument(
        "--kinds",
        metavar="KINDS",
        type=lambda text: text.split(","),
        help="only events of these kinds, with commas between, such as command-ended,output",
    )
    parser.add_argument(
        "--after", metavar="N", help="begin after the event of this number, as far as it is kept (0: all)"
    )
    parser.add_argument("--json", action="store_true", help="print each event as one line of JSON")


EVENTS = CliCommand(
    name="events",
    summary="Show what happens, while it happens, until Ctrl-C; goes on when the daemon is restarted.",
    configure=_configure,
    run=_events,
)

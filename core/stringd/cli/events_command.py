"""The subcommand `events`, which shows the events of the daemon."""

from __future__ import annotations

import argparse
import os
import select
import sys
import threading

from stringd.api.cli import CliCommand
from stringd.cli.address_options import daemon_address
from stringd.cli.event_lines import EventLines, may_colour, write_lines
from stringd.cli.string_arguments import user_argument
from stringd.client.records import Event
from stringd.client.sync import Client
from stringd.processes.standard_streams import write_json


def _events(arguments: argparse.Namespace) -> int:
    """Show events until Ctrl-C, which counts as success."""
    lines = EventLines(coloured=may_colour(sys.stdout))
    _end_with_reader()
    try:
        address = daemon_address(arguments)
        with Client(arguments.user or "default", address=address, start=False) as client:
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
    """End the program when its output is closed, even if there are no events."""
    try:
        output = sys.stdout.fileno()
    except (AttributeError, OSError, ValueError):
        return
    threading.Thread(target=_await_closed, args=(output,), daemon=True).start()


def _await_closed(output: int) -> None:
    watcher = select.poll()
    # poll() reports errors without being asked to.
    watcher.register(output, 0)
    watcher.poll()
    # There is nothing to clean up, and an interrupt might arrive while the program already ends.
    os._exit(0)


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
    parser.add_argument("--topic", metavar="TOPIC", help="only events of this topic")
    parser.add_argument("--user", metavar="ID", type=user_argument, help="only events of this user")
    parser.add_argument(
        "--kinds",
        metavar="KINDS",
        type=lambda text: text.split(","),
        help="only events of these kinds, separated by commas, such as command-ended,output",
    )
    parser.add_argument(
        "--after",
        metavar="N",
        help="start after the event with this number, as far as events are kept (0: all)",
    )
    parser.add_argument("--json", action="store_true", help="print each event as one line of JSON")


EVENTS = CliCommand(
    name="events",
    summary="Show events as they happen, until Ctrl-C; continues when the daemon is restarted.",
    configure=_configure,
    run=_events,
)

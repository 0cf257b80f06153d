"""What subcommands that talk to a daemon and to a person are built with.

Import it only when such a subcommand runs: the daemon needs none of it.
"""

from __future__ import annotations

from stringd.cli.address_options import address_words, daemon_address
from stringd.cli.approve.keyboard import Feed, Keyboard
from stringd.cli.approve.operator_access import operator_token
from stringd.cli.approve.question_feed import QuestionFeed
from stringd.cli.approve.question_text import columns, question_page
from stringd.cli.string_arguments import user_argument
from stringd.cli.temporary_daemon import TemporaryDaemon, temporary_daemon, with_clients_data
from stringd.client.daemon_address import DaemonAddress
from stringd.client.sync import Client
from stringd.errors import DaemonUnreachable, PortTaken
from stringd.processes.standard_streams import announce, is_terminal, read_all, write_error, write_json
from stringd.processes.tree import forbid_memory_access
from stringd.text.escaping import visible, visible_line

__all__ = [
    "Client",
    "DaemonAddress",
    "DaemonUnreachable",
    "Feed",
    "Keyboard",
    "PortTaken",
    "QuestionFeed",
    "TemporaryDaemon",
    "address_words",
    "announce",
    "columns",
    "daemon_address",
    "forbid_memory_access",
    "is_terminal",
    "operator_token",
    "question_page",
    "read_all",
    "temporary_daemon",
    "user_argument",
    "visible",
    "visible_line",
    "with_clients_data",
    "write_error",
    "write_json",
]

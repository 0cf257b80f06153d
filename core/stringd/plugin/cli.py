"""What subcommands of plugins are built with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from stringd.approval import Reply as ApprovalReply
from stringd.approval import Stage as ApprovalStage
from stringd.approval import default_socket as default_approval_socket
from stringd.approval import request as request_approval
from stringd.approval import socket_path as approval_socket
from stringd.config import Config
from stringd.errors import DaemonUnreachable
from stringd.extensions.plugin_settings import settings_of
from stringd.processes.standard_streams import write_output

Record = TypeVar("Record")

__all__ = [
    "ApprovalReply",
    "ApprovalStage",
    "DaemonUnreachable",
    "added",
    "approval_socket",
    "default_approval_socket",
    "request_approval",
    "run_daemon",
    "settings_of",
    "write_output",
]


def run_daemon(config: Config) -> int:
    """Run the daemon in the foreground until it is stopped, and return the exit code."""
    from stringd.server.serve import serve

    return serve(config)


def added(config: Config, record: type[Record]) -> Sequence[Record]:
    """Return the records that plugins add with hooks of others, as far as these need no running daemon."""
    from stringd.extensions.registration import load_plugins

    return load_plugins(config).catalogue.added(record)

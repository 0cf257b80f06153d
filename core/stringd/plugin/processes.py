"""Child processes: environment, supervision, messages, replies, and information from /proc."""

from __future__ import annotations

from stringd.processes.child_environment import kept_environment, topic_environment
from stringd.processes.descriptors import DESCRIPTORS
from stringd.processes.exported_variables import TIME_LIMIT, exported, read_limit, time_limit
from stringd.processes.family import Family
from stringd.processes.fork_client import ForkClient
from stringd.processes.helper_process import start_supervisor
from stringd.processes.lease_deadline import clear_deadline, set_deadline
from stringd.processes.packets import Message, MessageSocket
from stringd.processes.proc import (
    Process,
    age,
    command_line,
    descendants,
    descriptor_info,
    descriptor_target,
    process_ids,
    processes,
    read_memory,
    read_process,
    system_call,
    thread_ids,
    working_directory,
)
from stringd.processes.program_pipes import ProgramPipes, piped_program_of, write_pipe
from stringd.processes.shell_command import NO_OUTPUT, exit_line, shell_reply
from stringd.processes.spilled_output import Spill, SpillingBuffer

__all__ = [
    "DESCRIPTORS",
    "NO_OUTPUT",
    "TIME_LIMIT",
    "Family",
    "ForkClient",
    "Message",
    "MessageSocket",
    "Process",
    "ProgramPipes",
    "Spill",
    "SpillingBuffer",
    "age",
    "clear_deadline",
    "command_line",
    "descendants",
    "descriptor_info",
    "descriptor_target",
    "exit_line",
    "exported",
    "kept_environment",
    "piped_program_of",
    "process_ids",
    "processes",
    "read_limit",
    "read_memory",
    "read_process",
    "set_deadline",
    "shell_reply",
    "start_supervisor",
    "system_call",
    "thread_ids",
    "time_limit",
    "topic_environment",
    "working_directory",
    "write_pipe",
]

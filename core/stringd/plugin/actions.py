"""What actions are made of: environments, arguments, placeholders and checks."""

from __future__ import annotations

from stringd.actions.acting_topic import ActingTopic, open_document_topic
from stringd.actions.action_environment import ANY_APP, ActionFunction, Environment, FunctionRun
from stringd.actions.arguments.call import fits
from stringd.actions.arguments.schema import expectation, schema_of
from stringd.actions.arguments.values import Value
from stringd.actions.declared_variables import DeclaredVariable, declared_variables, exported_names
from stringd.actions.placeholders import find_slots, secret_names, slot_names
from stringd.actions.shell.slots import read_command_line
from stringd.actions.templates.checking import check_template

__all__ = [
    "ANY_APP",
    "ActingTopic",
    "ActionFunction",
    "DeclaredVariable",
    "Environment",
    "FunctionRun",
    "Value",
    "check_template",
    "declared_variables",
    "expectation",
    "exported_names",
    "find_slots",
    "fits",
    "open_document_topic",
    "read_command_line",
    "schema_of",
    "secret_names",
    "slot_names",
]

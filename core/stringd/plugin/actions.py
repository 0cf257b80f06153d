"""Build, carry out and check actions: methods, environments, arguments, placeholders and analysis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stringd.actions.acting_topic import ActingTopic, open_document_topic
from stringd.actions.answers import Answer
from stringd.actions.arguments.schema import expectation, schema_of
from stringd.actions.changed_page import ChangedPage, changed_page, linked_uri
from stringd.actions.environment.action_environment import (
    TEMPLATE_SUFFIXES,
    TEMPLATES,
    ActionFunction,
    Environment,
    FunctionRun,
)
from stringd.actions.methods.action_method import ActionCall, ActionMethod, flaw_of_action
from stringd.actions.methods.known_methods import flaws_of_calls
from stringd.actions.templates.template_diagnostics import check_template, check_template_in
from stringd.actions.templates.template_run import parameters_in
from stringd.actions.values.conversion import fits
from stringd.actions.values.nested_flags import FlagText
from stringd.actions.values.placeholders import find_placeholders, placeholder_names
from stringd.actions.values.secret_taint import secret_names
from stringd.actions.values.typed_values import JsonText, Value
from stringd.documents.syntax.declared_variables import (
    DeclaredVariable,
    declared_variables,
    exported_names,
)

if TYPE_CHECKING:
    from stringd.actions.shell.analysed_command import AnalysedCommand
    from stringd.documents.syntax.parameters import Parameter

__all__ = [
    "TEMPLATES",
    "TEMPLATE_SUFFIXES",
    "ActingTopic",
    "ActionCall",
    "ActionFunction",
    "ActionMethod",
    "Answer",
    "ChangedPage",
    "DeclaredVariable",
    "Environment",
    "FlagText",
    "FunctionRun",
    "JsonText",
    "Value",
    "analyse_command",
    "changed_page",
    "check_template",
    "check_template_in",
    "declared_variables",
    "evaluates_arguments",
    "expectation",
    "exported_names",
    "find_placeholders",
    "fits",
    "flaw_of_action",
    "flaws_of_calls",
    "linked_uri",
    "open_document_topic",
    "parameters_in",
    "placeholder_names",
    "schema_of",
    "secret_names",
]


def analyse_command(command: str, parameters: tuple[Parameter, ...]) -> AnalysedCommand:
    """Analyse a command line whose placeholders have these parameters."""
    from stringd.actions.shell import analysed_command

    return analysed_command.analyse_command(command, parameters)


def evaluates_arguments(program: str) -> bool:
    """Whether a program is known to take code, or the names of other programs, among its arguments."""
    from stringd.actions.shell.analysis import argument_analysis

    return argument_analysis.evaluates_arguments(program)

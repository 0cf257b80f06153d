"""The manifest of requirements, by id."""

from __future__ import annotations

from tests.protocol.clauses_acting import ACTING
from tests.protocol.clauses_action_methods import ACTION_METHODS
from tests.protocol.clauses_activity_cancel import ACTIVITY_CANCEL
from tests.protocol.clauses_activity_data import ACTIVITY_DATA
from tests.protocol.clauses_activity_events import ACTIVITY_EVENTS
from tests.protocol.clauses_activity_output import ACTIVITY_OUTPUT
from tests.protocol.clauses_activity_questions import QUESTIONS
from tests.protocol.clauses_approval_asking import APPROVAL_ASKING, APPROVAL_GATE
from tests.protocol.clauses_approval_execution import APPROVAL_EXECUTION
from tests.protocol.clauses_approval_policy import APPROVAL_AUDIT, APPROVAL_POLICY
from tests.protocol.clauses_approval_requests import APPROVAL_REQUESTS
from tests.protocol.clauses_approval_wire import APPROVAL_WIRE
from tests.protocol.clauses_apps import APPS
from tests.protocol.clauses_bash import BASH
from tests.protocol.clauses_cli_actions import CLI_ACTIONS
from tests.protocol.clauses_client import CLIENT
from tests.protocol.clauses_cluster_access import (
    CLUSTER_ACCESS,
    CLUSTER_CERTIFICATES,
    CLUSTER_COMMAND,
    CLUSTER_TOKENS,
)
from tests.protocol.clauses_cluster_clients import CLUSTER_CLIENTS
from tests.protocol.clauses_cluster_deadman import CLUSTER_DEADMAN
from tests.protocol.clauses_cluster_door import CLUSTER_DOOR
from tests.protocol.clauses_cluster_homes import CLUSTER_HOMES
from tests.protocol.clauses_cluster_hop import CLUSTER_HOP
from tests.protocol.clauses_cluster_seams import CLUSTER_SEAMS, MOVED_TOPICS
from tests.protocol.clauses_cluster_state import CLUSTER_STATE
from tests.protocol.clauses_cluster_together import CLUSTER_TOGETHER
from tests.protocol.clauses_console_access import CONSOLE_ACCESS, CONSOLE_COMMAND
from tests.protocol.clauses_console_approval import CONSOLE_APPROVAL
from tests.protocol.clauses_console_browsers import CONSOLE_BROWSERS
from tests.protocol.clauses_console_people import CONSOLE_APPS, CONSOLE_USERS
from tests.protocol.clauses_console_questions import CONSOLE_QUESTIONS
from tests.protocol.clauses_console_runs import CONSOLE_RUNS
from tests.protocol.clauses_console_screens import CONSOLE_SCREENS
from tests.protocol.clauses_console_topics import CONSOLE_TOPICS
from tests.protocol.clauses_daemon import DAEMON
from tests.protocol.clauses_documents import DOCUMENTS, FILE_SEARCH
from tests.protocol.clauses_doors import DOORS
from tests.protocol.clauses_exec import EXEC
from tests.protocol.clauses_files import FILES
from tests.protocol.clauses_long_answers import LONG_ANSWERS
from tests.protocol.clauses_mcp_apps import MCP_APPS
from tests.protocol.clauses_mcp_server import MCP_SERVER
from tests.protocol.clauses_openapi import OPENAPI
from tests.protocol.clauses_provenance import PROVENANCE
from tests.protocol.clauses_reading_files import READING_FILES
from tests.protocol.clauses_resources import RESOURCES
from tests.protocol.clauses_runs_agents import RUNS_AGENTS
from tests.protocol.clauses_runs_providers import RUNS_PROVIDERS
from tests.protocol.clauses_runs_running import RUNS_RUNNING
from tests.protocol.clauses_runs_strategies import RUNS_STRATEGIES
from tests.protocol.clauses_runs_topics import RUNS_TOPICS
from tests.protocol.clauses_runs_wire import RUNS_WIRE
from tests.protocol.clauses_runtime import RUNTIME
from tests.protocol.clauses_templates import TEMPLATES
from tests.protocol.clauses_web import WEB
from tests.protocol.clauses_web_browser import WEB_BROWSER
from tests.protocol.clauses_web_content import WEB_CONTENT
from tests.protocol.clauses_web_documents import WEB_DOCUMENTS
from tests.protocol.clauses_web_forms import WEB_FORMS
from tests.protocol.clauses_web_html import WEB_HTML
from tests.protocol.clauses_web_reading import WEB_READING
from tests.protocol.gaps import GAPS
from tests.protocol.records import Gap, Requirement

REQUIREMENTS: tuple[Requirement, ...] = (
    *(DAEMON + EXEC + CLIENT + RUNTIME + BASH + CLI_ACTIONS + TEMPLATES + ACTING + APPS),
    *ACTION_METHODS,
    *DOORS,
    *CLUSTER_SEAMS,
    *MOVED_TOPICS,
    *CLUSTER_DOOR,
    *(CLUSTER_ACCESS + CLUSTER_CERTIFICATES + CLUSTER_TOKENS + CLUSTER_COMMAND),
    *(CONSOLE_ACCESS + CONSOLE_BROWSERS + CONSOLE_COMMAND + CONSOLE_APPS + CONSOLE_USERS),
    *(CONSOLE_SCREENS + CONSOLE_TOPICS),
    *(CONSOLE_QUESTIONS + CONSOLE_APPROVAL),
    *CONSOLE_RUNS,
    *(CLUSTER_DEADMAN + CLUSTER_CLIENTS + CLUSTER_TOGETHER),
    *CLUSTER_HOP,
    *(APPROVAL_REQUESTS + APPROVAL_POLICY + APPROVAL_AUDIT + APPROVAL_EXECUTION),
    *QUESTIONS,
    *(APPROVAL_WIRE + APPROVAL_ASKING + APPROVAL_GATE),
    *ACTIVITY_DATA,
    *(PROVENANCE + RESOURCES + FILES + FILE_SEARCH + DOCUMENTS + READING_FILES),
    *ACTIVITY_CANCEL,
    *LONG_ANSWERS,
    *MCP_SERVER,
    *OPENAPI,
    *ACTIVITY_EVENTS,
    *ACTIVITY_OUTPUT,
    *MCP_APPS,
    *(RUNS_WIRE + RUNS_STRATEGIES + RUNS_AGENTS + RUNS_PROVIDERS + RUNS_RUNNING + RUNS_TOPICS),
    *CLUSTER_STATE,
    *CLUSTER_HOMES,
    *(WEB + WEB_BROWSER + WEB_CONTENT + WEB_DOCUMENTS + WEB_FORMS + WEB_HTML + WEB_READING),
)

__all__ = ["GAPS", "REQUIREMENTS", "Gap", "Requirement"]

"""Pure text functions: names, masking, counts, command lines."""

from __future__ import annotations

from stringd.text.agent_brief import LONGEST_BRIEF, LONGEST_SUMMARY, agent_brief, agent_summary
from stringd.text.command_line import LONGEST_HEAD, first_line, label, parse_command
from stringd.text.diff import Difference
from stringd.text.diff import compare as compare_lines
from stringd.text.envelope import reply_text
from stringd.text.escaping import printable, visible, visible_line
from stringd.text.foreign_markdown import (
    foreign_code,
    foreign_line,
    foreign_paragraph,
    foreign_quote,
    foreign_text,
    foreign_value,
)
from stringd.text.formatting import MOST, counted, fenced, shortened
from stringd.text.head_and_tail import HeadTailBuffer, limited, omission
from stringd.text.masking import MASK, mask_beginning, masked_in_shell, without_url_passwords
from stringd.text.media_types import MediaType, parse_media_type
from stringd.text.nearest import nearest
from stringd.text.path_arguments import parse_path_arguments
from stringd.text.unambiguous_text import unambiguous
from stringd.text.web_urls import WebUrl

__all__ = [
    "LONGEST_BRIEF",
    "LONGEST_HEAD",
    "LONGEST_SUMMARY",
    "MASK",
    "MOST",
    "Difference",
    "HeadTailBuffer",
    "MediaType",
    "WebUrl",
    "agent_brief",
    "agent_summary",
    "compare_lines",
    "counted",
    "fenced",
    "first_line",
    "foreign_code",
    "foreign_line",
    "foreign_paragraph",
    "foreign_quote",
    "foreign_text",
    "foreign_value",
    "label",
    "limited",
    "mask_beginning",
    "masked_in_shell",
    "nearest",
    "omission",
    "parse_command",
    "parse_media_type",
    "parse_path_arguments",
    "printable",
    "reply_text",
    "shortened",
    "unambiguous",
    "visible",
    "visible_line",
    "without_url_passwords",
]

"""The console: pages in the browser for the person whose agents work here."""

from __future__ import annotations

from stringd_console.console_page import (
    Act,
    ActionResult,
    ConsolePage,
    Download,
    Item,
    PageRequest,
    Region,
    Regions,
    View,
    on_events,
)
from stringd_console.other_nodes import asking_pause, own_name, rows_of_others
from stringd_console.page_content.html_templates import PageTemplates
from stringd_console.page_content.markdown_html import markdown_html
from stringd_console.page_content.shown_text import shown_text
from stringd_console.questions.question_cards import QuestionCards
from stringd_console.topic_screen import (
    TRUE_COLOUR,
    ScreenPicture,
    ScreenRow,
    ScreenState,
    StyledCells,
    TextStyle,
    TopicScreen,
    Typed,
)

__all__ = [
    "TRUE_COLOUR",
    "Act",
    "ActionResult",
    "ConsolePage",
    "Download",
    "Item",
    "PageRequest",
    "PageTemplates",
    "QuestionCards",
    "Region",
    "Regions",
    "ScreenPicture",
    "ScreenRow",
    "ScreenState",
    "StyledCells",
    "TextStyle",
    "TopicScreen",
    "Typed",
    "View",
    "asking_pause",
    "markdown_html",
    "on_events",
    "own_name",
    "rows_of_others",
    "shown_text",
]

"""The questions of several daemons, shown and answered at each of them."""

from __future__ import annotations

from stringd.api.shared_questions import OtherQuestions, opened_from_json

__all__ = [
    "OtherQuestions",
    "opened_from_json",
]

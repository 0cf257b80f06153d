"""Refuse texts that their senders meant for something else than what would get them."""

from __future__ import annotations

from stringd.plugin import ErrorCode, Refusal, Reply
from stringd.plugin.text import label, masked_in_shell
from stringd_bash.evaluation import Evaluation, Progress


def refusal_with(reply: Reply, code: ErrorCode, message: str) -> Refusal:
    """Return a refusal with a reply below its message."""
    refusal = Refusal(code, message, reply.system, "---", reply.content or "")
    refusal.whole = (f"{message}\n{reply.system}\n---\n", *reply.whole) if reply.whole else ()
    return refusal


def require_known(evaluation: Evaluation, arrived: float) -> None:
    """Refuse a text that was sent before its sender could know that it would be typed into a program."""
    if evaluation.first_reported_at is None or arrived < evaluation.first_reported_at:
        evaluation.mark_reported(evaluation.last_reported or Progress.RUNNING)
        text = label(masked_in_shell(evaluation.text))
        message = f"A program is running, which this text was not meant for: {text}"
        raise Refusal(
            ErrorCode.CONFLICT, message, "//wait tells how it stands; text sent from now on is its input."
        )

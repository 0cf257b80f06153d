"""The open questions of this daemon and, in a cluster, those of the other nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stringd.api.questions import ClosedQuestion, OpenQuestion
from stringd.api.shared_questions import NoOthers, OtherQuestions
from stringd.questions.open_questions import OpenQuestions

_ANSWER_FIELDS = frozenset({"answer", "comment", "through"})


class AllQuestions(OpenQuestions):
    """Shows the questions of all nodes, and has each answered by the node that asks it."""

    _others: OtherQuestions = NoOthers()

    @property
    def is_attended(self) -> bool:
        """Whether an operator is attached to this daemon or to another node."""
        return super().is_attended or self._others.has_operator

    def share(self, others: OtherQuestions) -> None:
        """Make this daemon one of several nodes; see `Questions.share`."""
        self._others, self.node = others, others.node

    def others_changed(self) -> None:
        """Tell front ends of changes at other nodes."""
        self._start_unseen()
        self._changes.notify()

    def listed(self, user_id: str | None = None) -> Sequence[OpenQuestion]:
        """Return the open questions of a user, or all, in the order in which they were asked."""
        opened = super().listed(user_id)
        elsewhere = [it for it in self._others.opened.values() if user_id in {None, it.question.user_id}]
        return sorted((*opened, *elsewhere), key=lambda it: it.asked_at) if elsewhere else opened

    def get(self, question_id: str, user_id: str | None = None) -> OpenQuestion:
        """Return an open question; for a user, only that user's own and those without a user exist."""
        elsewhere = self._others.opened.get(question_id)
        if elsewhere and user_id in {None, elsewhere.question.user_id or user_id}:
            return elsewhere
        return super().get(question_id, user_id)

    def closed(self, question_id: str) -> ClosedQuestion | None:
        """Return the outcome of a closed question, if it is still known."""
        return super().closed(question_id) or self._others.closed.get(question_id)

    async def send_answer(self, question_id: str, by: str, fields: Mapping[str, Any]) -> None:
        """Answer a question here, or at the node that asks it; see `Questions.send_answer`."""
        if question_id in self._others.opened:
            await self._others.answer(question_id, by, fields)
            return
        self.answer(
            question_id,
            fields["answer"],
            by=by,
            through=fields["through"],
            comment=fields.get("comment"),
            extras={name: value for name, value in fields.items() if name not in _ANSWER_FIELDS},
        )

    async def send_shown(self, question_id: str) -> None:
        """Note that a question is shown to a person, here or at the node that asks it."""
        if question_id in self._others.opened:
            await self._others.mark_shown(question_id)
        else:
            self.mark_shown(question_id)

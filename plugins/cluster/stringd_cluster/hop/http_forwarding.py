"""The forwarding of an HTTP request to the node that has the home, also if that changes meanwhile."""

from __future__ import annotations

import logging

from starlette.types import Send

from stringd.plugin import RequestRefused
from stringd_cluster.hop.http_attempt import HttpAttempt, NotRun
from stringd_cluster.hop.incoming_request import ClientLeft, IncomingRequest
from stringd_cluster.hop.interruption import Interruption
from stringd_cluster.hop.lost_answers import AnswerLost, is_safe, may_be_repeated, unless_refused
from stringd_cluster.hop.passage import Passage
from stringd_cluster.hop.peer_watch import PeerLost
from stringd_cluster.hop.served_here import ServedHere
from stringd_cluster.membership.live_nodes import Node

log = logging.getLogger(__name__)


class HttpForwarding:
    """Has a request answered by the node that has its home; by this one, if it comes to have it."""

    def __init__(self, passage: Passage, request: IncomingRequest, send: Send) -> None:
        self._passage = passage
        self._request = request
        self._send = send
        self._next_owner = passage.next_owner(request.caller.user_id)
        self._may_have_run = False

    async def run(self, target: Node | None) -> None:
        """Answer the request, or raise `RequestRefused`; do neither if the client has left."""
        try:
            await self._request.begin()
            target = target or await self._next_owner.after(None)
            while not await (self._is_answered_by(target) if target else self._is_answered_here()):
                target = await self._next_owner.after(target)
        except ClientLeft:
            return
        except RequestRefused as refusal:
            if self._may_have_run:
                raise AnswerLost from refusal
            raise

    async def _is_answered_by(self, node: Node) -> bool:
        """Ask a node; return whether no other one is to be asked."""
        attempt = HttpAttempt(self._passage.connections, node, self._request)
        interruption = Interruption()
        try:
            with (
                self._passage.watch.watching(node.id, interruption),
                interruption,
                self._request.watched(interruption),
            ):
                await attempt.run(self._send)
        except NotRun:
            self._next_owner.expect_move()
            return False
        except PeerLost as lost:
            if attempt.is_answered:
                # The server closes the connection of an answer that has no end.
                log.warning("node %s was lost amid an answer: %s", node.name, lost)
                return True
            if attempt.may_have_run:
                self._prepare_to_repeat()
            return False
        return True

    async def _is_answered_here(self) -> bool:
        """Serve the request at this node; return whether no other one is to be asked."""
        request = self._request
        here = ServedHere(request.replayed(), self._send)
        await self._passage.serve(request.scope, here.receive, here.send, request.caller)
        if not here.has_run:
            self._next_owner.expect_move()
        return here.has_run

    def _prepare_to_repeat(self) -> None:
        if not may_be_repeated(self._request):
            raise AnswerLost
        if not is_safe(self._request) and not self._may_have_run:
            self._may_have_run = True
            self._send = unless_refused(self._send)

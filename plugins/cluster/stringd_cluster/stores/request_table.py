"""The commands that were sent with a request id, in the database: each runs at most once."""

from __future__ import annotations

import json
from hashlib import sha256
from secrets import randbelow
from typing import Any

from msgspec.structs import asdict

from stringd.plugin import Edit, Kind, Outcome, Reply, Session, State
from stringd.plugin.stores import Fenced, HomeMoved, OutcomeUnknown, decode_state, encode_state
from stringd_cluster.engine.database_pool import ConnectionPool
from stringd_cluster.homes.owned_homes import OwnedHomes

MOST_OF_TOPIC = 200
"""So many requests of a topic are remembered; which ones are older is looked up now and then."""
_TRIM_EVERY = 50
_LONGEST_ID = 200
_BEGIN = """
INSERT INTO requests (user_id, topic, request_id, begun)
SELECT $1, $3, $4, clock_timestamp() FROM own ON CONFLICT DO NOTHING
"""
_FIND = "SELECT outcome FROM requests WHERE user_id = $1 AND topic = $2 AND request_id = $3"
_FINISH = """
UPDATE requests SET outcome = $5
FROM own WHERE user_id = $1 AND topic = $3 AND request_id = $4
"""
_ABANDON = """
DELETE FROM requests USING own
WHERE user_id = $1 AND topic = $3 AND request_id = $4 AND outcome IS NULL
"""
_TRIM = """
DELETE FROM requests WHERE user_id = $1 AND topic = $2 AND begun < (
    SELECT begun FROM requests WHERE user_id = $1 AND topic = $2 ORDER BY begun DESC LIMIT 1 OFFSET $3
)
"""


class RequestTable:
    """Remembers requests and their outcomes; implements `RequestStore`."""

    def __init__(self, pool: ConnectionPool, homes: OwnedHomes) -> None:
        self._pool = pool
        self._homes = homes

    async def begin(self, session: Session, request_id: str) -> Outcome | None:
        """Note that a command begins, or return the outcome that it has had before."""
        user_id, topic, stored_id = _key(session, request_id)
        # By chance, as turns of a count would always be those of the same topics.
        if not randbelow(_TRIM_EVERY):
            await self._pool.execute(_TRIM, user_id, topic, MOST_OF_TOPIC)
        try:
            await self._homes.write(user_id, _BEGIN, topic, stored_id)
        except Fenced:
            return await self._earlier(user_id, topic, stored_id)
        return None

    async def finish(self, session: Session, request_id: str, outcome: Outcome) -> None:
        """Keep the outcome of a command, unless its topic was deleted meanwhile, with all its requests."""
        user_id, topic, stored_id = _key(session, request_id)
        try:
            await self._homes.write(user_id, _FINISH, topic, stored_id, encode_outcome(outcome))
        except Fenced:
            await self._homes.require(user_id)

    async def abandon(self, session: Session, request_id: str) -> None:
        """Forget a command that never ran."""
        user_id, topic, stored_id = _key(session, request_id)
        await self._homes.write(user_id, _ABANDON, topic, stored_id)

    async def _earlier(self, user_id: str, topic: str, request_id: str) -> Outcome:
        """Return the outcome of a request that was there already, unless it is the home that has moved."""
        row = await self._pool.fetchrow(_FIND, user_id, topic, request_id)
        if row is None:
            raise HomeMoved(f"The home of {user_id} has moved to another node; the command never ran.")
        if row["outcome"] is None:
            raise OutcomeUnknown(
                f"The request {request_id} has begun before, and how it ended is not known: "
                "it may have run in part. Look at what it was to change, and send it under another id."
            )
        return decode_outcome(row["outcome"])


def encode_outcome(outcome: Outcome) -> str:
    """Return an outcome as JSON, without what only `/output` shows of it."""
    reply = outcome.reply
    plain: dict[str, Any] = {
        "label": outcome.label,
        "kind": reply.kind.name,
        "system": reply.system,
        "content": reply.content,
        "code": reply.code,
        "context": reply.context,
        "edit": asdict(reply.edit) if reply.edit else None,
        "edit_mode": reply.edit_mode,
        "state": encode_state(State(document=outcome.document)),
    }
    return json.dumps(plain)


def decode_outcome(text: str) -> Outcome:
    """Return the outcome that was encoded."""
    plain = json.loads(text)
    reply = Reply(
        kind=Kind[plain["kind"]],
        system=plain["system"],
        content=plain["content"],
        code=plain["code"],
        context=tuple(plain["context"]),
        edit=Edit(**plain["edit"]) if plain["edit"] else None,
        edit_mode=plain["edit_mode"],
    )
    return Outcome(label=plain["label"], reply=reply, document=decode_state(plain["state"]).document)


def _key(session: Session, request_id: str) -> tuple[str, str, str]:
    """Return the user, the topic and the id of a request as they are stored: ids may be any texts."""
    if len(request_id) > _LONGEST_ID or not request_id.isprintable():
        request_id = f"sha256:{sha256(request_id.encode(errors='surrogatepass')).hexdigest()}"
    return session.user.id, session.name.text, request_id

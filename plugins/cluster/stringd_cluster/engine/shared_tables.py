"""The tables of what all nodes show: events, questions, and where an operator is attached."""

from __future__ import annotations

SHARED_TABLES = """
CREATE TABLE events (
    id bigserial PRIMARY KEY, node text NOT NULL, life text NOT NULL, seq bigint,
    recorded timestamptz NOT NULL DEFAULT clock_timestamp(), kind text NOT NULL, payload text NOT NULL,
    UNIQUE (life, seq)
);
CREATE INDEX events_by_age ON events (recorded);

-- Writers take turns, so that ids become visible in their order: whoever has seen one has seen all before it.
-- A batch that is written again after a lost connection is ignored.
CREATE FUNCTION append_events(from_node text, from_life text, seqs bigint[], kinds text[], payloads text[])
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    newest bigint;
BEGIN
    PERFORM pg_advisory_xact_lock(8315168167);
    WITH added AS (
        INSERT INTO events (node, life, seq, kind, payload)
        SELECT from_node, from_life, it.seq, it.kind, it.payload
        FROM unnest(seqs, kinds, payloads) WITH ORDINALITY AS it (seq, kind, payload, place)
        ORDER BY it.place
        ON CONFLICT (life, seq) DO NOTHING RETURNING id
    )
    SELECT max(id) INTO newest FROM added;
    PERFORM pg_notify('stringd_events', newest::text) WHERE newest IS NOT NULL;
END $$;

CREATE TABLE questions (
    id text PRIMARY KEY, node text NOT NULL, revision bigserial, opened text NOT NULL,
    outcome text, changed timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE TABLE presence (
    node text PRIMARY KEY, has_operator boolean NOT NULL, wants_output boolean NOT NULL
);
"""

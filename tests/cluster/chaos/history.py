"""What clients asked for and heard, what was done to the cluster meanwhile, and the effects that remain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum


class Kind(StrEnum):
    """What an operation does."""

    WRITE = "write"
    READ = "read"
    APPEND = "append"
    EDIT = "edit"
    SHELL = "shell"
    VIEW = "view"
    PING = "ping"


READING = frozenset({Kind.READ, Kind.VIEW, Kind.PING})
"""What may be done any number of times."""


class Outcome(StrEnum):
    """What a client knows of an operation at its end."""

    DONE = "done"
    REFUSED = "refused"
    """It has not run and never will."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One request of an operation: when it was sent through which node, and how it ended."""

    node: str
    began: float
    ended: float
    result: str
    message: str = ""
    """What a refusal said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One operation of a client, which it may have tried several times."""

    id: int
    client: str
    home: str
    topic: str
    kind: Kind
    subject: str
    """What it is about: a variable, a file."""
    value: str
    """What it writes, or what it has read."""
    began: float
    ended: float
    outcome: Outcome
    attempts: Sequence[Attempt] = ()


class FaultKind(StrEnum):
    """What is done to a cluster."""

    KILL = "kill"
    PAUSE = "pause"
    DELAYED_WRITE = "delayed-write"
    """The owner is stopped as it writes, and the write arrives after another one has taken over."""
    WRITING_SHELL = "writing-shell"
    """The owner is stopped while one of its shells writes, for longer than the lease lasts."""
    CUT_ENGINE = "cut-engine"
    RESET_ENGINE = "reset-engine"
    REFUSE_ENGINE = "refuse-engine"
    CUT_NODES = "cut-nodes"
    RESET_NODES = "reset-nodes"
    REFUSE_NODES = "refuse-nodes"
    ENGINE_KILL = "engine-kill"
    ENGINE_PAUSE = "engine-pause"
    LEAVE = "leave"
    DRAIN = "drain"
    MOVE = "move"


ORDERLY = frozenset({FaultKind.LEAVE, FaultKind.DRAIN, FaultKind.MOVE})
OF_ENGINE = frozenset({FaultKind.ENGINE_KILL, FaultKind.ENGINE_PAUSE})


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Something that was done to a node, or to the engine (`node` is empty then)."""

    kind: FaultKind
    node: str
    homes: frozenset[str]
    """The homes that were on the node when it began, and until it ended."""
    began: float
    ended: float


class Step(StrEnum):
    """What a line of the effects of a shell says."""

    BEGIN = "begin"
    TICK = "tick"
    END = "end"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A line that a real shell has appended to a file in the home."""

    step: Step
    operation: int
    node: str
    shell: str
    topic: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Effects:
    """What is left in one home at the end."""

    marks: Sequence[Mark] = ()
    appended: Mapping[str, Sequence[int]] = field(default_factory=dict)
    """The operations whose line is in each file to which lines are appended, in its order."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """The text of each edited document."""
    torn: Sequence[str] = ()
    """Lines that nobody has written so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """All of one run."""

    lease_seconds: float
    operations: Sequence[Operation] = ()
    faults: Sequence[Fault] = ()
    effects: Mapping[str, Effects] = field(default_factory=dict)
    """By home."""

    def of_kind(self, home: str, *kinds: Kind) -> list[Operation]:
        """Return the operations of a home, in the order in which they began."""
        chosen = (it for it in self.operations if it.home == home and it.kind in kinds)
        return sorted(chosen, key=lambda it: it.began)

"""Messages between processes keep their boundaries and their descriptors."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from stringd.processes.packets import MessageSocket


@pytest.fixture
def ends() -> Iterator[tuple[MessageSocket, MessageSocket]]:
    one, other = MessageSocket.pair()
    with one.socket, other.socket:
        yield one, other


def test_messages_keep_boundaries_and_descriptors(ends: tuple[MessageSocket, MessageSocket]) -> None:
    sender, receiver = ends
    readable, writable = os.pipe()
    sender.send({"first": "é\n"}, [readable, writable])
    sender.send({"second": [1, None]})
    sender.close()
    first, second, end = receiver.receive(), receiver.receive(), receiver.receive()
    assert first
    assert first.fields == {"first": "é\n"}
    assert not any(map(os.get_inheritable, first.descriptors))
    os.write(first.descriptors[1], b"x")
    assert os.read(readable, 1) == b"x"
    assert second
    assert (second.fields, second.descriptors) == ({"second": [1, None]}, ())
    assert end is None
    for descriptor in (readable, writable, *first.descriptors):
        os.close(descriptor)


def test_too_long_message_is_not_sent(ends: tuple[MessageSocket, MessageSocket]) -> None:
    sender, receiver = ends
    with pytest.raises(OSError, match="too long"):
        sender.send({"text": "x" * 65536})
    sender.send({"text": "short"})
    message = receiver.receive()
    assert message
    assert message.fields == {"text": "short"}

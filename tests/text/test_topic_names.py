"""Rules for topic names beyond those of the protocol's tests."""

from __future__ import annotations

import pytest

from stringd.api.topic_types import TopicType
from stringd.errors import InvalidTopic
from stringd.text.topic_names import parse_topic

TYPES = {"file": TopicType(name="file", summary="")}


def test_name_length_is_limited() -> None:
    assert str(parse_topic("x" * 200, TYPES)) == "file:" + "x" * 200
    with pytest.raises(InvalidTopic) as caught:
        parse_topic("x" * 1_000_000, TYPES)
    assert caught.value.message == f"Invalid topic: {'x' * 256}..."


def test_padding_counts() -> None:
    with pytest.raises(InvalidTopic):
        parse_topic(" " * 300 + "a", TYPES)

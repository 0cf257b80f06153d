"""Topic names: `type:name`, and `type:name:config` where the type takes one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from stringd.api.sessions import TopicName
from stringd.errors import InvalidTopic

if TYPE_CHECKING:
    # Clients import this module, too, and have no topics: the interfaces would take half of their start.
    from stringd.api.topic_types import TopicType

LONGEST_NAME = 256
# The protocol's default: the type of a bare name, and the topic of a request that names none.
DEFAULT_TYPE = "file"
DEFAULT_TOPIC = f"{DEFAULT_TYPE}:main"
_NAME = re.compile(r"(?:([a-z][a-z0-9-]*):)?([A-Za-z0-9_-]+)(?::([A-Za-z0-9_-]+))?")


def parse_topic(raw: object, types: Mapping[str, TopicType]) -> TopicName:
    """Return the topic that `raw` names; None and blanks name the default topic."""
    if raw is None:
        raw = DEFAULT_TOPIC
    if not isinstance(raw, str) or len(raw) > LONGEST_NAME:
        raise InvalidTopic(raw)
    match = _NAME.fullmatch(raw.strip() or DEFAULT_TOPIC)
    if match is None:
        raise InvalidTopic(raw)
    type_name, name, config = match.groups()
    topic_type = types.get(type_name or DEFAULT_TYPE)
    if topic_type is None or (config is not None and not (type_name and topic_type.takes_config)):
        raise InvalidTopic(raw)
    return TopicName(type=topic_type.name, name=name, config=config)

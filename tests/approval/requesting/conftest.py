"""The listener and its small broker, as for the tests of the socket."""

from tests.approval.listening.conftest import broker, listening

__all__ = ["broker", "listening"]

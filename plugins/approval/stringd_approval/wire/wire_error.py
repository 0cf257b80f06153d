"""The error of a request that breaks the protocol."""

from __future__ import annotations


class WireError(ValueError):
    """A request is refused before it is considered; the text is for the client.

    `id` is the id of the request, empty as long as its JSON and types have not been accepted.
    """

    def __init__(self, message: str, request_id: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.id = request_id

    def of(self, request_id: str) -> WireError:
        """Return the error with the id of its request."""
        return WireError(self.message, request_id)

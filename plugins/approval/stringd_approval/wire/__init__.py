"""The wire format of requests and replies: one JSON object on a line, checked strictly; does no I/O."""

"""Questions to the operator: how a request is shown, who answers it, and what an answer may add."""

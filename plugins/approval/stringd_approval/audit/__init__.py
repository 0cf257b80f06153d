"""The log of requests and decisions: append-only, chained by hashes, synced before anything runs."""

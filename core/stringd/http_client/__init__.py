"""The daemon's HTTP client: name lookup, address policy, connections, redirects."""

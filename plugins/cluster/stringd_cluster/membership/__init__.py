"""Which nodes there are, and whether they may act: leases and their deadlines."""

"""The page of the nodes of a cluster."""

"""Tools of model agents: topics of the daemon."""

"""Who may use a cluster: tokens, scopes and limits."""

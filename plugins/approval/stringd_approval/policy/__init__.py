"""Rules of the operator: which requests and commands are allowed, forbidden, or asked about."""

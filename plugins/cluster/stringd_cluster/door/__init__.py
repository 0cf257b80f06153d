"""What is in front of the daemon that is a node: who enters, and at which node the request is served."""

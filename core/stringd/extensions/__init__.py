"""The plugin host: discovery, registration, checked catalogues. Works at start only."""

"""Pages rendered by Chromium, within a network policy enforced by the daemon."""

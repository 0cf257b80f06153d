"""Pages that need JavaScript: a real Chromium runs them, behind a border of the daemon's."""

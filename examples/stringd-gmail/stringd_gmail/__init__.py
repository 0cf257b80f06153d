"""Gmail, as an app of stringd."""

"""The weather, as an app of stringd."""

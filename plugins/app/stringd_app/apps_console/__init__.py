"""The console's page of apps and plugins."""

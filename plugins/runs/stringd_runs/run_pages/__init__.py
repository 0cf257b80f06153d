"""The console's page of runs."""

"""The cluster plugin: several daemons that share their users and their state through PostgreSQL."""

"""The PostgreSQL database that all nodes share."""

"""Response templates: Jinja2 in a sandbox, and the seeds' own language compiled to it."""

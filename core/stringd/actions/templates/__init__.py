"""Response templates: sandboxed Jinja2, and the short template language that is compiled to it."""

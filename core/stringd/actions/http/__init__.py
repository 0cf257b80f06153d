"""HTTP actions: build the request, send it, follow redirects."""

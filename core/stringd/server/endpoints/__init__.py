"""The endpoints of the HTTP protocol, one module for each resource."""

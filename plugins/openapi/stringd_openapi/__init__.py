"""The openapi plugin: OpenAPI descriptions as apps."""

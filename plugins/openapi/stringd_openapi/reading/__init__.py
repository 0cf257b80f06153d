"""Read OpenAPI descriptions: JSON or YAML, of any version, with what they refer to."""

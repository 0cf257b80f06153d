"""Benchmarks: stringd measured against references in the same run."""

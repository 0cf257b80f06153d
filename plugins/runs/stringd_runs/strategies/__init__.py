"""Strategy files: their formats, and the strategies that they describe."""

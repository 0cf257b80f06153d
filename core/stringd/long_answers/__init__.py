"""Answers longer than the limit of their topic: shown in part, stored completely."""

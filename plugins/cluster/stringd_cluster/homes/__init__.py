"""The homes of users, each of which belongs to one node at a time."""

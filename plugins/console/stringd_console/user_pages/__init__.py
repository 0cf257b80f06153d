"""The page of users, and of the browsers that are signed in."""

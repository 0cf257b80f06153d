"""Parse document text into structure; pure functions."""

"""Who may use the console: links for one use, and the browsers that have used them."""

"""Pages that are kept up to date in the browsers that show them."""

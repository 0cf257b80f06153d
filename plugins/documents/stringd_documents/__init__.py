"""Documents of other programs as Markdown: PDF, office documents, books, e-mail, notebooks, tables."""

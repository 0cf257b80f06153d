"""PDF documents: text, headings and tables, from where characters stand on the pages."""

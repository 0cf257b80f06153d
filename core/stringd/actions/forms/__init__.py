"""Form actions: encode and submit the forms of web pages."""

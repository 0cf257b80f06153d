"""Documents of Microsoft Office: text and presentations."""

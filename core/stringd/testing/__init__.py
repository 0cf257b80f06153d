"""For tests of stringd and of its plugins: a real daemon on a real port, in folders of its own."""

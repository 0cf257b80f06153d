"""Assemble pages from files and network documents: includes, menus, search."""

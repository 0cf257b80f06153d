"""Run the actions of documents: from the typed arguments to the reply."""

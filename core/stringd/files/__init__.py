"""Files and directories, opened without following links and checked before they are used."""

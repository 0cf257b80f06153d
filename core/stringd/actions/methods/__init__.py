"""How actions are carried out: as requests, command lines, functions, and by the methods of plugins."""

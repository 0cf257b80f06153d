"""An action's arguments: from the words of a command to typed parameter values."""

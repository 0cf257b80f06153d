"""The pages of an installed app."""

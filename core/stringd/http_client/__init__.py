"""The daemon's way into the network: whom it may reach, and how it talks to them."""

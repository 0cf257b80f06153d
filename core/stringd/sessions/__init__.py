"""Sessions: each topic's queue, state and lifetime, and the execution of its commands."""

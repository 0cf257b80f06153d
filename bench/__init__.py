"""How fast stringd is, measured beside what it is compared with, in one run."""

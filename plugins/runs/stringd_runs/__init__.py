"""The runs plugin: strategies of several agents, which clients start, watch, steer and continue."""

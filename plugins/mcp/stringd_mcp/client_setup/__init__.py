"""What connects agents: `stringd mcp`, the configuration files of clients, `stringd prompt`."""

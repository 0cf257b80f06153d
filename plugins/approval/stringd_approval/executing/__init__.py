"""Run pipelines without a shell: each below a supervisor that ends all of it; privileged ones by sudo."""

"""Run pipelines that clients ask for, after a policy or a person has allowed them; keep a log of all."""

"""The Unix socket on which clients ask for pipelines to be run."""

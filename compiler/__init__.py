"""How does a model become an artifact? Front ends, pipeline, certificate, command line."""

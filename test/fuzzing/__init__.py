"""Random programs under random shardings: forward and backward, shrinking to reproducer files."""

"""Independent judges of what a module computes: StableHLO's reference interpreter, comparison."""

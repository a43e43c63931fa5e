"""Why is the plan what it is, what would another choice cost, and what differs between two plans?

Everything here reads artifacts alone: no torch, no MLIR, no model.
"""

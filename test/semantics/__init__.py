"""Small programs under shardings with which systems of this kind are known to go wrong.

`case.py` says what a case is, `text.py` writes programs, `families/` holds the cases, `check.py`
runs one. Cases need numpy alone: the tools that run them elsewhere have no torch-mlir.
"""

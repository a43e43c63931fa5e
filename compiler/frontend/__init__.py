"""Front ends: a PyTorch model, a Hugging Face folder or a StableHLO file becomes one module.

`exported` and `spec` are importable without torch; everything else here needs it.
"""

"""Checkpoints: what a program keeps, as safetensors and an index, for this plan or any other."""

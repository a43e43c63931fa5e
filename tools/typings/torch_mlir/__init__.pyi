# Hand-kept stubs of the names of torch-mlir that distc uses. Permissive where MLIR is dynamic:
# types of values and attributes looked up by name are Any, everything else is named.

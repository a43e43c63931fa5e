"""How one op becomes the op a rank runs on its shard: one function per op, by family."""

from distc.transforms.localize.registry import localize_op

__all__ = ["localize_op"]

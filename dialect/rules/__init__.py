"""One factor rule per op, by family; `rule_for(op)` is the only way to ask for one."""

from distc.dialect.rules.registry import rule_for, rule_names

__all__ = ["rule_for", "rule_names"]

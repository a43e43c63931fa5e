"""Are conversions legal? Each collective that is priced or emitted is proved, once per class.

    Step -> classify (classes.py) -> ledger (memory, disk) -> prove (movement.py, prove.py)

A step is one collective with the layouts before and after it. What it moves is stated from the
collective's own definition, and proved to end in the layout that the step says it leaves: for
every rank and every slot, all sizes of the class. A path of steps, each of which leaves what the
next one takes, is then proved too. `unknown` counts as not proved.
"""

from distc.solver.legality.judge import classes_of, is_proved_at_all_sizes, refusal

__all__ = ["classes_of", "is_proved_at_all_sizes", "refusal"]

"""Discovery: find how an op may be distributed by running it on shards (MetaDist's ShardCombine).

    text -> Subject -> dependence -> candidates -> trials -> rule -> proof or second validation

The parent process needs no torch: `Sandbox` keeps one child that executes, and restarts it when it
dies or takes too long. `docs/discovery.md` says what is searched and when a rule is believed.
"""

from distc.solver.discovery.cache import RuleCache, key_of
from distc.solver.discovery.record import Discovered, Form, FormKind, Status
from distc.solver.discovery.sandbox import Sandbox
from distc.solver.discovery.source import isolate

__all__ = ["Discovered", "Form", "FormKind", "RuleCache", "Sandbox", "Status", "isolate", "key_of"]

"""What is known about a compiled program, and what is not: `certificate.json`.

In this version the partitioned module is checked (`verify-partitioned`) and nothing is proved.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

from distc.runtime.errors import ArtifactError
from distc.runtime.strict_json import expect_dict, load_json

MEMBER = "certificate.json"
SCHEMA = 1
NOT_PROVED = "this plan is checked, not proved"


def certificate(members: Mapping[str, str], verified: bool) -> str:
    """Return the certificate of a set of text members.

    Args:
        members: the source, partitioned and program members, by name.
        verified: whether `verify-partitioned` ran; it has found nothing, or nothing is written.
    """
    body = {
        "schema": SCHEMA,
        "digests": {name: digest(text) for name, text in sorted(members.items())},
        "verify-partitioned": "passed" if verified else "not run",
        "proved": False,
    }
    return json.dumps(body, indent=1, sort_keys=True) + "\n"


def digest(text: str) -> str:
    """Return the sha256 of a text member."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def proved(text: str) -> bool:
    """Return what a certificate says about the proof.

    Raises:
        ArtifactError: it is not a certificate of this version.
    """
    body = expect_dict(load_json(text, MEMBER))
    if body.get("schema") != SCHEMA:
        raise ArtifactError(
            f"{MEMBER} has schema {body.get('schema')!r}, this version reads {SCHEMA}",
            help="recompile with this version of distc",
        )
    return body.get("proved") is True

"""While libraries work, their warnings and logs are kept back: errors are told once."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

_LIBRARIES = ("torch", "transformers")


@contextmanager
def quiet() -> Iterator[None]:
    """Keep back warnings and what torch and transformers log; other loggers go on as before."""
    loggers = [*map(logging.getLogger, _LIBRARIES), *_children_with_handlers()]
    for logger in loggers:
        logger.addFilter(_nothing)
        for handler in logger.handlers:
            handler.addFilter(_nothing)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for logger in loggers:
            logger.removeFilter(_nothing)
            for handler in logger.handlers:
                handler.removeFilter(_nothing)


def _children_with_handlers() -> list[logging.Logger]:
    known = logging.root.manager.loggerDict
    return [
        logger
        for name, logger in known.items()
        if name.partition(".")[0] in _LIBRARIES and isinstance(logger, logging.Logger)
    ]


def _nothing(record: logging.LogRecord) -> bool:
    return False

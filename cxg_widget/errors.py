"""Every exception this package raises; nothing else lives here.

::

    CxgWidgetError
    ├── DatasetNotFound      (FileNotFoundError)  nothing at that path
    ├── UnknownFormat        (ValueError)         something is there, but no store we know
    ├── MissingDependency    (ImportError)        a store we know, its library is not installed
    ├── InvalidStore         (ValueError)         a store that contradicts itself
    ├── DamagedStore         (OSError)            data that the store promises cannot be read
    ├── ClosedDataset        (ValueError)         used after close()
    ├── UnknownName          (KeyError, ValueError)  no such column, gene, embedding, layer, category
    ├── InvalidOption        (TypeError)          unknown keyword, or a value of the wrong type
    ├── InvalidValue         (ValueError)         a value outside what is allowed
    ├── SelectionError       (ValueError)         a selection that cannot be made
    ├── Cancelled            (RuntimeError)       long work that was given up
    └── ProtocolError        (ValueError)         a message that breaks the schema
"""

from __future__ import annotations


class CxgWidgetError(Exception):
    """Base of all exceptions of this package: one sentence that says what is wrong and what would be right."""


class DatasetNotFound(CxgWidgetError, FileNotFoundError):
    """There is nothing at the given path."""


class UnknownFormat(CxgWidgetError, ValueError):
    """Something is at the given path, but it is no store that this package reads."""


class MissingDependency(CxgWidgetError, ImportError):
    """The store is known, but the library that reads it is not installed."""


class InvalidStore(CxgWidgetError, ValueError):
    """The store contradicts itself or lacks a part it must have."""


class DamagedStore(CxgWidgetError, OSError):
    """Data that the store's schema promises are missing or cannot be decoded."""


class ClosedDataset(CxgWidgetError, ValueError):
    """The dataset was used after it was closed."""


class UnknownName(CxgWidgetError, KeyError, ValueError):
    """There is no column, gene, embedding, layer or category of that name."""

    def __str__(self) -> str:
        """Return the sentence itself; `KeyError` alone would quote it."""
        return str(self.args[0]) if self.args else ""


class InvalidOption(CxgWidgetError, TypeError):
    """An unknown keyword, or a value whose type does not fit."""


class InvalidValue(CxgWidgetError, ValueError):
    """A value outside of what is allowed."""


class SelectionError(CxgWidgetError, ValueError):
    """A selection that cannot be made from what was given."""


class Cancelled(CxgWidgetError, RuntimeError):
    """Work that lasts was given up because nobody waits for it any more."""


class ProtocolError(CxgWidgetError, ValueError):
    """A message that breaks the schema in `protocol.py`."""

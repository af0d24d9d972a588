"""Ask all rules about one store."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import tiledb

from cxg_widget.datasets.cxg.validation import columns, embeddings, matrix, metadata, structure
from cxg_widget.datasets.cxg.validation.examined import Examined
from cxg_widget.datasets.cxg.validation.rule import Rule, Violation
from cxg_widget.datasets.detection import exists, is_remote
from cxg_widget.datasets.tiledb_access.arrays import Arrays
from cxg_widget.datasets.tiledb_access.contexts import make_context
from cxg_widget.datasets.tiledb_access.failures import failure
from cxg_widget.datasets.tiledb_access.listing import absolute
from cxg_widget.errors import DatasetNotFound

RULES: tuple[Rule, ...] = tuple(
    rule for part in (structure, columns, matrix, embeddings, metadata) for rule in part.RULES.all
)


@dataclass(frozen=True)
class Report:
    """What the rules say of a store.

    Attributes
    ----------
    path : of the store
    version : that it names, None where it names none
    violations : those of a MUST first, in the order of the rules
    """

    path: str
    version: str | None
    violations: tuple[Violation, ...]

    @property
    def valid(self) -> bool:
        """Whether the store keeps every MUST; a SHOULD may be broken."""
        return all(one.level == "SHOULD" for one in self.violations)

    def as_json(self) -> dict[str, Any]:
        """Return the report, fit for JSON."""
        found = [asdict(one) for one in self.violations]
        return {"path": self.path, "version": self.version, "valid": self.valid, "violations": found}


def validate(
    uri: str | os.PathLike[str],
    *,
    quick: bool = False,
    ctx: tiledb.Ctx | Mapping[str, Any] | None = None,
    config: Mapping[str, Any] | tiledb.Config | None = None,
    storage_options: Mapping[str, Any] | None = None,
    tell: Callable[[str], object] | None = None,
    fatal: Mapping[str, str] | None = None,
) -> Report:
    """Check a CXG sentence by sentence; damage is reported and does not raise.

    Parameters
    ----------
    uri : a directory, or a URI that TileDB reads
    quick : leave the values of the matrix unread
    ctx, config, storage_options : as for `open_dataset`
    tell : called with what is about to be read
    fatal : what must not be read, and the sentence that is reported instead; see `validate_apart`

    Raises
    ------
    DatasetNotFound
        If there is nothing.
    StorageError
        If storage far away refuses, fails or does not answer in time.
    """
    path = os.fspath(uri)
    path = path if "://" in path else os.path.expanduser(path)
    if not is_remote(path) and not exists(path.removeprefix("file://")):
        raise DatasetNotFound(f"'{path}': no such file or directory.")
    arrays = Arrays(absolute(path), path, make_context(path, ctx, config, storage_options))
    try:
        store = Examined(arrays, values=not quick, tell=tell, fatal=fatal)
        found = [
            Violation(rule.id, rule.level, where or ".", what, right, rule.text)
            for rule in RULES
            for where, what, right in rule.check(store)
        ]
        version = store.meta_raw("cxg_group_metadata", "cxg_version")
    except tiledb.TileDBError as error:
        raise failure(error, path, "the store") from error
    finally:
        arrays.close()
    found.sort(key=lambda one: one.level != "MUST")
    return Report(path, version if isinstance(version, str) else None, tuple(found))

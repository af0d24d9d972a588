"""Checks a store against all rules, in this process or in a child, since TileDB may crash on damaged text."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import tiledb

from cxg_widget.compute.child import Tell, attempt
from cxg_widget.datasets.base.location import exists, is_remote
from cxg_widget.datasets.cxg.validation import embeddings, matrix, metadata, obs_and_var, structure
from cxg_widget.datasets.cxg.validation.examined import Examined
from cxg_widget.datasets.cxg.validation.rule import Rule, Violation
from cxg_widget.datasets.tiledb_access.arrays import Arrays
from cxg_widget.datasets.tiledb_access.contexts import make_context
from cxg_widget.datasets.tiledb_access.failures import failure
from cxg_widget.datasets.tiledb_access.listing import absolute
from cxg_widget.errors import CxgWidgetError, DamagedStore, DatasetNotFound, UnknownFormat

RULES: tuple[Rule, ...] = tuple(
    rule for part in (structure, obs_and_var, matrix, embeddings, metadata) for rule in part.RULES.all
)

_MOST_ENDINGS = 20
"""Number of parts that may end the process before the check stops."""


@dataclass(frozen=True)
class Report:
    """Findings of the rules about a store.

    Attributes
    ----------
    path : path of the store
    version : version that the store declares, None if it declares none
    violations : violations of a MUST first, otherwise in the order of the rules
    """

    path: str
    version: str | None
    violations: tuple[Violation, ...]

    @property
    def valid(self) -> bool:
        """Whether the store satisfies every MUST; it may violate a SHOULD."""
        return all(one.level == "SHOULD" for one in self.violations)

    def as_json(self) -> dict[str, Any]:
        """Return the report as a dict for JSON."""
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
    """Check a CXG against every rule; damage is reported, not raised.

    Parameters
    ----------
    uri : a directory, or a URI that TileDB reads
    quick : skip the values of the matrix
    ctx, config, storage_options : as for `open_dataset`
    tell : called with the name of each part before it is read
    fatal : {part that must not be read: sentence to report instead}; see `validate_apart`

    Raises
    ------
    DatasetNotFound
        If there is nothing at `uri`.
    UnknownFormat
        If `uri` begins with http:// or https://, which TileDB does not read.
    StorageError
        If remote storage refuses, fails or does not answer in time.
    """
    path = os.fspath(uri)
    path = path if "://" in path else os.path.expanduser(path)
    if path.lower().startswith(("http://", "https://")):
        raise UnknownFormat(f"'{path}': validation reads from a local disk or a bucket, such as s3://bucket/data.cxg.")
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


def validate_apart(path: str, *, quick: bool = False, options: Mapping[str, Any] | None = None) -> Report:
    """Check a CXG like `validate`, but in a child process, which damaged data may end.

    If the process ends, the part that it was reading counts as damaged, and the check starts again without that part.

    Parameters
    ----------
    path, quick : as for `validate`
    options : other options of `validate` by name; values must be picklable

    Raises
    ------
    DatasetNotFound, StorageError
        As `validate`.
    DamagedStore
        If more than 20 parts end the process, or it is unknown which part did.
    """
    fatal: dict[str, str] = {}
    while len(fatal) <= _MOST_ENDINGS:
        found = attempt(_check, path, quick, dict(options or {}), fatal)
        if isinstance(found.outcome, CxgWidgetError):
            raise found.outcome
        if isinstance(found.outcome, Report):
            return found.outcome
        ended = f"{path}: reading it ended the process ({found.ending})"
        if found.reading is None or found.reading in fatal:
            raise DamagedStore(f"{ended}.")
        fatal[found.reading] = f"{ended}; text with damaged offsets does this."
    raise DamagedStore(f"{path}: reading it ended the process for more than {_MOST_ENDINGS} parts.")


def _check(tell: Tell, path: str, quick: bool, options: dict[str, Any], fatal: dict[str, str]) -> Report:
    return validate(path, quick=quick, tell=tell, fatal=fatal, **options)

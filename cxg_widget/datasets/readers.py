"""Registry of formats: one `Reader` per format word, from entry points of this package and others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import Distribution, EntryPoint, distributions
from importlib.util import find_spec
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from cxg_widget.errors import CxgWidgetError, InvalidOption, MissingDependency
from cxg_widget.text.names import not_found

if TYPE_CHECKING:
    from cxg_widget.datasets.base.dataset import Dataset

GROUP = "cxg_widget.readers"
COMMON_OPTIONS = ("cache_bytes",)


@dataclass(frozen=True)
class Reader:
    """Describes one kind of store. Its format word is the name of its entry point.

    Attributes
    ----------
    what : noun for such a store, with an article
    opens : "module:name" of the `Dataset` subclass, or of a function that returns a `Dataset`; imported at first use
    looks_like : returns whether an existing path is such a store, from a few bytes or names; None = by `suffixes`
    suffixes : endings of such paths, which also identify a remote store without reading it
    order : readers are tried from the lowest to the highest; those that accept any HDF5 or zarr have 90
    options : options of `open_dataset` for such stores, in addition to `cache_bytes`
    libraries : modules that must be installed
    install : argument of `pip install` for them

    Examples
    --------
    >>> from cxg_widget.datasets import Reader
    >>> reader = Reader(what="a table of points", opens="points_reader:PointsDataset", suffixes=(".points",))
    >>> reader.is_named("run.points")
    True
    """

    what: str
    opens: str
    looks_like: Callable[[Path], bool] | None = None
    suffixes: tuple[str, ...] = ()
    order: int = 50
    options: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    install: str = ""

    def fits(self, path: Path) -> bool:
        """Return whether a path is such a store."""
        return self.looks_like(path) if self.looks_like is not None else self.is_named(str(path))

    def is_named(self, uri: str) -> bool:
        """Return whether a path or URI has the suffix of such stores."""
        return bool(self.suffixes) and uri.rstrip("/").lower().endswith(self.suffixes)


@dataclass(frozen=True)
class Registered:
    """Readers by format word, in the order in which they are tried, and a sentence for each unusable one."""

    readers: Mapping[str, Reader]
    unusable: Mapping[str, str]


@cache
def registered() -> Registered:
    """Return the readers registered in this environment; cached.

    Raises
    ------
    MissingDependency
        If the readers of this package are not registered.
    """
    by_format: dict[str, list[EntryPoint]] = {}
    for entry in _entries():
        by_format.setdefault(entry.name, []).append(entry)
    if "cxg" not in by_format:
        raise MissingDependency(
            "the readers of cxg-widget are not registered in this environment; install it again: "
            "pip install cxg-widget, or pip install -e . in its folder."
        )
    readers: dict[str, Reader] = {}
    unusable: dict[str, str] = {}
    for format_, entries in sorted(by_format.items()):
        try:
            readers[format_] = _load(format_, entries)
        except MissingDependency as error:
            unusable[format_] = str(error)
    return Registered(dict(sorted(readers.items(), key=lambda item: item[1].order)), unusable)


def _entries() -> list[EntryPoint]:
    """Return the entry points of readers, as `entry_points(group=GROUP)` does in three times the time.

    That function parses those of every package, and its name; here only packages that name the group are parsed.
    """
    found: dict[str, Distribution] = {}
    for package in distributions():
        if GROUP in (package.read_text("entry_points.txt") or ""):
            found.setdefault(package.metadata["Name"], package)  # the first on the path hides the others
    return [entry for package in found.values() for entry in package.entry_points.select(group=GROUP)]


def _load(format_: str, entries: list[EntryPoint]) -> Reader:
    if len(entries) > 1:
        raise MissingDependency(
            f"the format {format_!r} is read by {' and by '.join(_packages(entries))}; uninstall all but one."
        )
    try:
        found = entries[0].load()
    except Exception as error:
        raise MissingDependency(
            f"the reader of {format_!r} in {_packages(entries)[0]} cannot be imported "
            f"({type(error).__name__}: {error})."
        ) from error
    if not isinstance(found, Reader):
        raise MissingDependency(
            f"the reader of {format_!r} in {_packages(entries)[0]} is a {type(found).__name__}, not a Reader."
        )
    return found


def _packages(entries: list[EntryPoint]) -> list[str]:
    """Return who registered entries; parses the metadata of a package each time, so only errors ask."""
    return sorted(entry.dist.name if entry.dist else entry.module for entry in entries)


def option_names() -> tuple[str, ...]:
    """Return the names of all options of `open_dataset` except `format`."""
    own = (name for reader in registered().readers.values() for name in reader.options)
    return tuple(dict.fromkeys([*COMMON_OPTIONS, "isolated", *own]))


def read_with(format_: str, path: str, options: Mapping[str, Any]) -> Dataset:
    """Open a store with the reader of its format.

    Raises
    ------
    MissingDependency
        If the library of the store is not installed or too old; the sentence gives the command to install it.
    InvalidOption
        If an option is for stores of another kind.
    """
    reader = registered().readers[format_]
    for name in options:
        if name not in (*COMMON_OPTIONS, *reader.options):
            owners = " or ".join(one.what for one in registered().readers.values() if name in one.options)
            raise InvalidOption(f"option {name!r} applies to {owners}; '{path}' is {reader.what}.")
    missing = [library for library in reader.libraries if find_spec(library) is None]
    if missing:
        raise MissingDependency(
            f"'{path}' is {reader.what}, and reading it needs {' and '.join(missing)}: pip install '{reader.install}'"
        )
    try:
        opened: Dataset = resolve_name(reader.opens)(path, **options)
    except ImportError as error:
        if not reader.libraries or isinstance(error, CxgWidgetError):
            raise
        raise MissingDependency(
            f"'{path}' is {reader.what}, and {' and '.join(reader.libraries)} as installed cannot read it "
            f"({error}): pip install --upgrade '{reader.install}'"
        ) from error
    return opened


def check_names(options: Iterable[str]) -> None:
    """Raise `InvalidOption` with the nearest name for an option that no store has."""
    for name in options:
        if name not in option_names():
            raise InvalidOption(not_found("option", name, option_names(), "open_dataset()"))

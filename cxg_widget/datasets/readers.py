"""Which class reads which store, what it needs and which options it takes; readers are imported when needed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from cxg_widget.datasets.detection import by_format
from cxg_widget.errors import CxgWidgetError, InvalidOption, MissingDependency
from cxg_widget.text.names import not_found

if TYPE_CHECKING:
    from cxg_widget.datasets.base.dataset import Dataset

COMMON_OPTIONS = ("cache_bytes",)


@dataclass(frozen=True)
class Reader:
    """One `Dataset` subclass: where it is, its own options, which libraries it needs and the extra that has them."""

    module: str
    name: str
    options: tuple[str, ...]
    libraries: tuple[str, ...] = ()
    extra: str = ""


READERS: Mapping[str, Reader] = {
    "cxg": Reader("cxg.dataset", "CxgDataset", ("config", "ctx", "storage_options")),
    "h5ad": Reader("anndata.dataset", "H5adDataset", ("key", "memory_bytes"), ("h5py", "scipy"), "h5ad"),
    "zarr": Reader("anndata.dataset", "ZarrDataset", ("key", "memory_bytes"), ("zarr", "scipy"), "zarr"),
    "atlas": Reader(
        "atlas.dataset",
        "AtlasDataset",
        ("version", "zarr_store", "obs_table", "feature_space", "coordinates"),
        ("lance", "zarr", "pyarrow"),
        "atlas",
    ),
    "tiledb-cf": Reader("tiledb_cf.dataset", "CfDataset", ("observations", "isel", "config", "ctx", "storage_options")),
    "mzpeak": Reader("mzpeak.dataset", "open_mzpeak", ("observations", "signal"), ("pyarrow",), "mzpeak"),
}

OPTIONS = tuple(
    dict.fromkeys([*COMMON_OPTIONS, "isolated", *(name for reader in READERS.values() for name in reader.options)])
)


def read_with(format_: str, path: str, options: Mapping[str, Any]) -> Dataset:
    """Open a store with the reader of its format.

    Raises
    ------
    MissingDependency
        If the store's library is not installed, or too old; the sentence holds the command that installs it.
    InvalidOption
        If an option is for stores of another kind.
    """
    reader = READERS[format_]
    for name in options:
        if name not in (*COMMON_OPTIONS, *reader.options):
            owners = " or ".join(_owners(name))
            raise InvalidOption(f"option {name!r} is for {owners}; '{path}' is {by_format(format_).what}.")
    check_libraries(format_, path)
    try:
        found = getattr(import_module(f"cxg_widget.datasets.{reader.module}"), reader.name)
        opened: Dataset = found(path, **options)
    except ImportError as error:
        if not reader.libraries or isinstance(error, CxgWidgetError):
            raise
        raise MissingDependency(
            f"'{path}' is {by_format(format_).what}, and {' and '.join(reader.libraries)} as installed cannot read it "
            f"({error}): pip install --upgrade 'cxg-widget[{reader.extra}]'"
        ) from error
    return opened


def check_libraries(format_: str, path: str) -> None:
    """Raise `MissingDependency` where a library is missing that reads this format."""
    reader = READERS[format_]
    missing = [library for library in reader.libraries if find_spec(library) is None]
    if missing:
        raise MissingDependency(
            f"'{path}' is {by_format(format_).what}, and reading it needs {' and '.join(missing)}: "
            f"pip install 'cxg-widget[{reader.extra}]'"
        )


def check_names(options: Iterable[str]) -> None:
    """Raise `InvalidOption` with the nearest name for an option that no store has."""
    for name in options:
        if name not in OPTIONS:
            raise InvalidOption(not_found("option", name, OPTIONS, "open_dataset()"))


def _owners(option: str) -> list[str]:
    return [by_format(format_).what for format_, reader in READERS.items() if option in reader.options]

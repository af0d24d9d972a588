"""Opens, describes and closes an mzPeak: the base of the datasets of spectra and of peaks."""

from __future__ import annotations

import os
from abc import abstractmethod
from typing import Any, ClassVar

from cxg_widget.datasets.base.dataset import DEFAULT_CACHE_BYTES, Dataset
from cxg_widget.datasets.base.lifetime import Traffic
from cxg_widget.datasets.mzpeak.archive import Archive
from cxg_widget.datasets.mzpeak.facets import find_facets
from cxg_widget.datasets.mzpeak.manifest import INDEX, read_manifest
from cxg_widget.datasets.mzpeak.sources import Sources, check_choice, open_sources
from cxg_widget.datasets.mzpeak.spectra import SpectrumTable
from cxg_widget.datasets.tables.parquet_table import ParquetTable
from cxg_widget.errors import DamagedStore, InvalidStore

_OF_SPECTRA = ("metadata", "scans", "precursors", "selected ions", "data arrays", "peaks")
_NEEDED = _OF_SPECTRA[:4]
TIME_LABEL = "retention time (min)"


class MzPeakStore(Dataset):
    """An mzPeak archive or folder; subclasses choose the observations.

    Parameters
    ----------
    uri : a file, or a folder of the same members
    cache_bytes : memory limit of the cache
    signal : "data" for the member of data arrays, "peaks" for that of centroids; None = both, each spectrum once

    Raises
    ------
    InvalidStore
        If a member is missing, compressed, encrypted, or does not describe its columns.
    DamagedStore
        If the archive, the index or the metadata cannot be read. Reading damaged points raises it later.
    InvalidValue
        If `signal` has another value.
    """

    format: ClassVar[str] = "mzpeak"
    observations: ClassVar[str]

    def __init__(self, uri: str, *, cache_bytes: int = DEFAULT_CACHE_BYTES, signal: str | None = None) -> None:
        super().__init__(uri, cache_bytes=cache_bytes)
        self._choice = check_choice(signal)
        self._tables: dict[str, ParquetTable] = {}
        self._archive = Archive(uri)
        try:
            self._manifest = read_manifest(self._archive)
            damage = self._open_tables()
            facets = find_facets(self._manifest, self._tables, uri)
            self._spectra = SpectrumTable(facets, self._note)
            self.title = self._find_title()
            self._sources = self._open_sources() if damage is None else damage
            self._open()
        except BaseException:
            self._release()
            raise

    @abstractmethod
    def _open(self) -> None:
        """Set the attributes of the dataset."""

    @property
    def _points(self) -> Sources:
        """All points; raises the error that opening them raised."""
        if isinstance(self._sources, Exception):
            raise type(self._sources)(str(self._sources))
        return self._sources

    @property
    def _is_level_known(self) -> bool:
        column = self._spectra.columns.get("ms_level")
        return column is not None and column.kind == "categorical"

    def _open_tables(self) -> DamagedStore | None:
        """Open the members of spectra; return the error of a damaged member with points, None if there is none.

        Such damage leaves the metadata usable. Raises `DamagedStore` if a member with metadata is damaged.
        """
        damage: DamagedStore | None = None
        for member in self._manifest.members:
            if member.entity != "spectrum" or member.kind not in _OF_SPECTRA:
                continue
            try:
                mapped = self._archive.open(member.name)
                label = f"{self.uri}: member {member.name!r}"
                self._tables[member.name] = ParquetTable(mapped, self._archive.meter, member.name, label)
            except DamagedStore as error:
                if member.kind in _NEEDED:
                    raise
                damage = error
                self._note(str(error))
        return damage

    def _open_sources(self) -> Sources | InvalidStore | DamagedStore:
        if not any(self._manifest.find(kind) for kind in _OF_SPECTRA[4:]) and self._choice is None:
            problem = f"{self.uri}: no spectrum data member; it has [{self._manifest.kinds}]."
            self._note(problem)
            return InvalidStore(problem)
        return open_sources(self._manifest, self._tables, self._spectra, self._choice, self.uri)

    def _find_title(self) -> str:
        main = self._manifest.find("metadata")
        assert main is not None
        runs = (self._manifest.metadata.get("run"), self._tables[main.name].json("run"))
        named = [run["id"] for run in runs if isinstance(run, dict) and isinstance(run.get("id"), str) and run["id"]]
        return named[0] if named else self._archive.path.resolve().name

    def _read_identity(self) -> str:
        where = os.path.realpath(self._archive.path)
        if self._archive.is_folder:
            names = [INDEX, *self._tables]
            state = ",".join(f"{name}:{self._archive.stamp(name)}" for name in names)
        else:
            found = os.stat(where)
            state = f"{found.st_size},{found.st_mtime_ns}"
        return f"{where}#{state}#{self.observations},{self._choice}"

    def _read_details(self) -> dict[str, Any]:
        signals = [] if isinstance(self._sources, Exception) else self._sources.signals
        return {
            "version": str(self._manifest.metadata.get("version", "not named")),
            "container": self._archive.kind,
            "observations": self.observations,
            "n_spectra": self._spectra.n,
            "layouts": {one.table.name: one.layout.name for one in signals},
            "row_groups": {one.table.name: one.table.n_groups for one in signals},
            "members": {one.name: f"{one.entity}, {one.kind}" for one in self._manifest.members},
            "left_out": self._spectra.left_out,
        }

    def _read_sizes(self) -> dict[str, int]:
        return {name: self._archive.size(name) for name in (INDEX, *(one.name for one in self._manifest.members))}

    def _read_traffic(self) -> Traffic:
        return self._archive.meter.so_far

    def _release(self) -> None:
        for table in self._tables.values():
            table.close()


def labels_of(labels: tuple[str, str], axes: tuple[int, int]) -> tuple[str, str] | None:
    """Return the labels of two axes of an embedding; None if both are the same axis."""
    x, y = axes
    return None if x == y else (labels[x], labels[y])

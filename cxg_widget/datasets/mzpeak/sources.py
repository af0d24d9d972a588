"""Opens the members with points of spectra, profiles and peaks, as one source that has each spectrum once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, get_args

import numpy as np

from cxg_widget.datasets.mzpeak.manifest import Manifest
from cxg_widget.datasets.mzpeak.signal import Signal, SignalPoints, SignalWindow
from cxg_widget.datasets.mzpeak.spectra import SpectrumTable
from cxg_widget.datasets.tables.parquet_table import ParquetTable
from cxg_widget.errors import InvalidStore, InvalidValue

Choice = Literal["data", "peaks"]
_KINDS: Mapping[str, str] = {"data": "data arrays", "peaks": "peaks"}

Part = tuple[Signal, int]
"""A member and one of its row groups."""


class Sources:
    """All points of the spectra.

    signals : the members; each spectrum is in one of them only
    """

    def __init__(self, signals: Sequence[Signal]) -> None:
        self.signals = tuple(signals)

    @property
    def parts(self) -> list[Part]:
        """All row groups of all members, in order."""
        return [(signal, group) for signal in self.signals for group in range(signal.table.n_groups)]

    def points(self, many: Sequence[SignalWindow]) -> Iterator[tuple[int, SignalPoints]]:
        """Yield the points of several requests, with the number of the request; reads each row group once for all."""
        for signal in self.signals:
            for group in range(signal.table.n_groups):
                yield from signal.blocks_of(group, many)


def check_choice(choice: object) -> Choice | None:
    """Return the option `signal`; raises `InvalidValue` if it is not a choice."""
    if choice is None or choice in get_args(Choice):
        return choice  # type: ignore[return-value]
    raise InvalidValue(f"signal is {choice!r}; it must be 'data', 'peaks' or None for both.")


def open_sources(
    manifest: Manifest, tables: Mapping[str, ParquetTable], spectra: SpectrumTable, choice: Choice | None, uri: str
) -> Sources:
    """Open the members with points: profiles and centroids; if a spectrum is in both, take its profile.

    Raises `InvalidStore` if the file has no such member.
    """
    wanted = [choice] if choice else list(_KINDS)
    found = [member for one in wanted if (member := manifest.find(_KINDS[one])) is not None]
    if not found:
        what = "peaks" if choice == "peaks" else "data"
        raise InvalidStore(f"{uri}: no spectrum {what} member; it has [{manifest.kinds}].")
    filled = [member for member in found if tables[member.name].n_rows] or found[:1]
    signals = [Signal(tables[filled[0].name], spectra)]
    for member in filled[1:]:
        without = signals[0].spectra()
        if not without.all() or not np.size(without):
            signals.append(Signal(tables[member.name], spectra, without))
    return Sources(signals)

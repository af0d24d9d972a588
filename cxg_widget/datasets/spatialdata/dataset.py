"""Reads a SpatialData table and its tissue images, in one coordinate system, as a `Dataset`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.anndata.dataset import ZarrDataset
from cxg_widget.datasets.anndata.node import Array, Group
from cxg_widget.datasets.anndata.open_stores import StorageOptions
from cxg_widget.datasets.anndata.parts import find_part
from cxg_widget.datasets.anndata.zarr_store import ZarrStore
from cxg_widget.datasets.base.dataset import DEFAULT_CACHE_BYTES
from cxg_widget.datasets.base.matrix_block import DEFAULT_MEMORY_BYTES
from cxg_widget.datasets.base.sections import Sections
from cxg_widget.datasets.base.values import as_plain, freeze
from cxg_widget.datasets.spatialdata.elements import Elements, groups_below, quoted
from cxg_widget.datasets.spatialdata.picture import Limits, check_channels
from cxg_widget.datasets.spatialdata.raster import Raster
from cxg_widget.datasets.spatialdata.regions import Instances, Region, located, read_instances, read_widths
from cxg_widget.datasets.spatialdata.tissue import Tissue
from cxg_widget.datasets.spatialdata.transforms import placed
from cxg_widget.errors import DamagedStore, InvalidOption, InvalidStore, UnknownName
from cxg_widget.text.names import not_found

SPATIAL = "spatial"


class SpatialDataDataset(ZarrDataset):
    """A table of a SpatialData store.

    Parameters
    ----------
    uri : a path, or the URI of a remote folder
    cache_bytes, memory_bytes, storage_options : as for AnnData
    table : name of the table, if there are several; `key` is the same and may also be "tables/NAME"
    coordinate_system : coordinate system of cells and images; None = "global" if all regions have it, else the first
        that they all have
    channels : up to three channels of images, shown as red, green and blue; a single one is shown in gray
    contrast_limits : by channel, the values shown as black and as full color, such as {"DAPI": (0, 500)}

    Raises
    ------
    InvalidStore
        If it has no table, or its parts contradict each other.
    InvalidOption, UnknownName
        If there are several tables and none is chosen, or if there is no such table, coordinate system or channel.
    """

    format: ClassVar[str] = "spatialdata"
    what: ClassVar[str] = "SpatialData zarr store"

    def __init__(
        self,
        uri: str,
        *,
        cache_bytes: int = DEFAULT_CACHE_BYTES,
        key: str | None = None,
        memory_bytes: int = DEFAULT_MEMORY_BYTES,
        storage_options: StorageOptions = None,
        table: str | None = None,
        coordinate_system: str | None = None,
        channels: str | Sequence[str] | None = None,
        contrast_limits: Limits | None = None,
    ) -> None:
        self._wanted = coordinate_system, channels, contrast_limits
        super().__init__(
            uri, cache_bytes=cache_bytes, key=table if key is None else key, memory_bytes=memory_bytes,
            storage_options=storage_options,
        )  # fmt: skip

    def _find_part(self, key: str | None) -> Group:
        root = self._store.root
        tables = groups_below(root, "tables", self._note) or groups_below(root, "table", self._note)
        self._elements = Elements(root, self._note)
        if not tables:
            there = "; ".join(f"{kind}: {names}" for kind, names in self._elements.names().items()) or "no elements"
            raise InvalidStore(f"'{root.uri}' is SpatialData without a table of cells; it has {there}.")
        if key is None and len(tables) > 1:
            first = next(iter(tables))
            raise InvalidOption(f"'{root.uri}' has the tables {', '.join(tables)}; name one, such as table={first!r}.")
        key = next(iter(tables)) if key is None else key
        part = tables.get(key.rpartition("/")[2])
        if part is None:
            raise UnknownName(not_found("table", key, tables, f"'{root.uri}'"))
        self._table = key.rpartition("/")[2]
        return find_part(self._store.root, part.path, self.what)

    # --- the elements -------------------------------------------------------------------------------------------------

    def _choose_embedding(self, wanted: str | None) -> None:
        """Find regions and images, and add the embedding of the positions in the regions."""
        self._find_elements()
        if self._regions:
            self.embeddings = {SPATIAL: 2, **{_other(name): n for name, n in self.embeddings.items()}}
            self._embeddings = {_other(name): one for name, one in self._embeddings.items()}
        super()._choose_embedding(SPATIAL if self._regions else wanted)

    def _find_elements(self) -> None:
        self._elements.open()
        wanted, channels, limits = self._wanted
        names = self._region_names()
        self._system = self._elements.choose_system(wanted, names)
        self._regions: dict[str, Region] = self._elements.find_regions(names, self._system)
        options = check_channels(channels, limits, list(self._elements.images.values()))
        self._tissue = Tissue(self._elements, self._system, *options, self._note)

    def _region_names(self) -> list[str]:
        node = self._quietly("uns/spatialdata_attrs/region")
        found = node.read().reshape(-1).tolist() if isinstance(node, Array) else []
        return [one.decode("utf-8", "replace") if isinstance(one, bytes) else str(one) for one in found]

    # --- positions of cells -------------------------------------------------------------------------------------------

    def _read_embedding_block(self, name: str, axes: tuple[int, int], start: int, stop: int) -> NDArray[Any]:
        if name != SPATIAL or not self._regions:
            return super()._read_embedding_block(name, axes, start, stop)
        found: NDArray[np.float64] = self._placed()[0]
        return found[start:stop, list(axes)]

    def _placed(self) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
        """Return the position of each row, (n_obs, 2), and the diameter of its circle, NaN = none."""
        found: tuple[NDArray[np.float64], NDArray[np.float32]] = self._read_once("places", self._read_places)
        return found

    def _read_places(self) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
        import pandas as pd

        region_key, instance_key = (self._region_column(name) for name in ("region_key", "instance_key"))
        rows, instances = (pd.Series(as_plain(self._obs.read(name, None))) for name in (region_key, instance_key))
        known = {name: self._instances(name) for name in self._regions}
        found, wide = np.full((self.n_obs, 2), np.nan), np.full(self.n_obs, np.nan, dtype=np.float32)
        for name, own, at in located(rows, instances, {name: one.ids for name, one in known.items()}):
            found[own] = placed(self._regions[name].matrix, known[name].xy)[at]
            if name in self._widths()[1]:
                wide[own] = self._widths()[1][name][at]
        is_here = rows.isin(list(known)).to_numpy()
        lost, elsewhere = int((is_here & np.isnan(found[:, 0])).sum()), int((~is_here).sum())
        if lost:
            self._note(f"{lost:,} of {self.n_obs:,} cells have no position: no instance in their region has their id.")
        if elsewhere:
            self._note(f"{elsewhere:,} of {self.n_obs:,} cells belong to no region in {self._system!r}.")
        return found, freeze(wide)

    def _region_column(self, name: str) -> str:
        found = self._text_in_uns(f"spatialdata_attrs/{name}")
        if found is None or found not in self._obs.columns:
            raise InvalidStore(f"{self.uri}: the table names no obs column as its {name}.")
        return found

    def _instances(self, name: str) -> Instances:
        found: Instances = self._read_once(
            f"instances of {name}", lambda: read_instances(self._regions[name], self._files, self._tell_progress)
        )
        return found

    @property
    def _files(self) -> ZarrStore:
        assert isinstance(self._store, ZarrStore), "SpatialData is zarr"
        return self._store

    # --- the sections -------------------------------------------------------------------------------------------------

    def _read_sections(self) -> Sections:
        return self._tissue.sections(self._widths()[0])

    def _read_spot_widths(self) -> NDArray[np.float32] | None:
        return self._placed()[1] if self._widths()[1] else None

    def _widths(self) -> tuple[float | None, dict[str, NDArray[np.float64]]]:
        """Return the median diameter of circles, None = no circles, and all diameters by region if they differ."""
        found: tuple[float | None, dict[str, NDArray[np.float64]]] = self._read_once("widths", self._read_widths)
        return found

    def _read_widths(self) -> tuple[float | None, dict[str, NDArray[np.float64]]]:
        known: dict[str, NDArray[np.float64]] = {}
        kinds: dict[str, list[str]] = {"labels": [], "polygons": []}
        for name, region in self._regions.items():
            if isinstance(region.source, Raster):
                kinds["labels"].append(name)
                continue
            try:
                widths = read_widths(region, self._files)
            except (InvalidStore, DamagedStore) as error:
                self._note(f"the radii of {region.name!r} are unknown: {error}")
                continue
            if widths is None:
                kinds["polygons"].append(name)
                continue
            known[name] = widths
            if n := int(np.count_nonzero(widths == 0)):
                self._note(f"{n:,} of {len(widths):,} circles of {name!r} have no usable radius; drawn smallest.")
        for kind, names in kinds.items():
            if names:
                verb = "holds" if len(names) == 1 else "hold"
                self._note(f"{quoted(names)} {verb} {kind}; each is drawn as a point at its centroid.")
        every = np.concatenate([*known.values(), np.empty(0)])
        usable = every[every > 0]
        if not usable.size:
            return None, {}
        return float(np.median(usable)), {} if np.allclose(every, usable[0]) else known

    def _read_section_image(self, name: str, lines: slice, columns: slice) -> NDArray[Any]:
        return self._tissue.read(name, 1, lines, columns)

    def _read_section_level(self, name: str, factor: int, lines: slice, columns: slice) -> NDArray[Any]:
        return self._tissue.read(name, factor, lines, columns)

    def _read_details(self) -> dict[str, Any]:
        systems = self._elements.known_systems()
        images = self._elements.images.values()
        return {
            "table": self._table,
            **self._elements.names(),
            "coordinate systems": ", ".join(f"{name} *" if name == self._system else name for name in systems),
            "channels": ", ".join(dict.fromkeys(one for raster in images for one in raster.channels)),
        } | super()._read_details()


def _other(name: str) -> str:
    """Return the name of an embedding of obsm, renamed if it is that of the regions."""
    return f"{SPATIAL} (obsm)" if name == SPATIAL else name

"""Reads a table of SpatialData over the images of its sections, in one coordinate system, as a `Dataset`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.anndata.dataset import ZarrDataset
from cxg_widget.datasets.anndata.node import Array, Group
from cxg_widget.datasets.anndata.parts import find_part
from cxg_widget.datasets.anndata.zarr_store import ZarrStore
from cxg_widget.datasets.base.dataset import DEFAULT_CACHE_BYTES
from cxg_widget.datasets.base.matrix_block import DEFAULT_MEMORY_BYTES
from cxg_widget.datasets.base.sections import MOST_PX, SectionImage, Sections
from cxg_widget.datasets.base.values import as_plain
from cxg_widget.datasets.spatialdata.picture import Limits, Picture, check_channels
from cxg_widget.datasets.spatialdata.raster import Raster, read_raster
from cxg_widget.datasets.spatialdata.regions import Instances, Region, places_of, read_instances, read_radii
from cxg_widget.datasets.spatialdata.resampled import Resampled
from cxg_widget.datasets.spatialdata.transforms import Matrix, plane_of, scale_of, stretch_of, systems_of, units_of
from cxg_widget.errors import DamagedStore, InvalidOption, InvalidStore, UnknownName
from cxg_widget.text.names import not_found, shown

SPATIAL = "spatial"
_GLOBAL = "global"
_KINDS = ("images", "labels", "shapes", "points")
_UM = {"micrometer": 1.0, "micron": 1.0, "um": 1.0, "µm": 1.0, "millimeter": 1e3, "nanometer": 1e-3}
"""Micrometres of a unit."""


class SpatialDataDataset(ZarrDataset):
    """A table of SpatialData.

    Parameters
    ----------
    uri : a path
    cache_bytes, memory_bytes : as for AnnData
    table : which one, where there are several; `key` is the same, also as "tables/NAME"
    coordinate_system : in which cells and images are placed; None = "global", else the first that cells have
    channels : up to three channels of images, shown as red, green and blue; a single one in grey
    contrast_limits : by channel what becomes black and what becomes full, such as {"DAPI": (0, 500)}

    Raises
    ------
    InvalidStore
        If it has no table, or the parts contradict each other.
    InvalidOption, UnknownName
        If there are several tables and none is named, or there is no such table, coordinate system or channel.
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
        table: str | None = None,
        coordinate_system: str | None = None,
        channels: str | Sequence[str] | None = None,
        contrast_limits: Limits | None = None,
    ) -> None:
        self._wanted = coordinate_system, channels, contrast_limits
        self._elements: dict[str, dict[str, Group]] = {}
        self._systems: dict[str, dict[str, Matrix]] = {}
        self._units: dict[str, str] = {}
        self._rasters: dict[str, Raster] = {}
        self._regions: dict[str, Region] = {}
        self._pictures: dict[str, Picture] = {}
        self._drawn: dict[str, Picture | Resampled] = {}
        super().__init__(uri, cache_bytes=cache_bytes, key=table if key is None else key, memory_bytes=memory_bytes)

    def _find_part(self, key: str | None) -> Group:
        tables = self._children("tables") or self._children("table")
        self._elements = {kind: self._children(kind) for kind in _KINDS}
        if not tables:
            there = "; ".join(f"{kind}: {names}" for kind, names in self._names_of_elements().items()) or "no elements"
            raise InvalidStore(f"'{self.uri}' is SpatialData without a table of cells; it has {there}.")
        if key is None and len(tables) > 1:
            first = next(iter(tables))
            raise InvalidOption(f"'{self.uri}' has the tables {', '.join(tables)}; name one, such as table={first!r}.")
        key = next(iter(tables)) if key is None else key
        part = tables.get(key.rpartition("/")[2])
        if part is None:
            raise UnknownName(not_found("table", key, tables, f"'{self.uri}'"))
        self._table = key.rpartition("/")[2]
        return find_part(self._store.root, part.path, self.what)

    def _children(self, kind: str) -> dict[str, Group]:
        """Return the groups of a kind of element; one that cannot be opened is noted."""
        group = self._store.root.get(kind)
        found: dict[str, Group] = {}
        for name in group.names() if isinstance(group, Group) else ():
            try:
                node = group.get(name) if isinstance(group, Group) else None
            except (InvalidStore, DamagedStore) as error:
                self._note(f"{kind}/{name} is left out: {error}")
                continue
            if isinstance(node, Group):
                found[name] = node
        return found

    # --- the elements -------------------------------------------------------------------------------------------------

    def _choose_embedding(self, wanted: str | None) -> None:
        """Find the regions of the table and the images, and add the embedding that the regions are."""
        self._find_elements()
        if self._regions:
            self.embeddings = {SPATIAL: 2, **{_other(name): n for name, n in self.embeddings.items()}}
            self._embeddings = {_other(name): one for name, one in self._embeddings.items()}
        super()._choose_embedding(SPATIAL if self._regions else wanted)

    def _find_elements(self) -> None:
        for kind in ("images", "labels", "shapes"):
            for name, group in self._elements[kind].items():
                try:
                    self._add(kind, name, group)
                except (InvalidStore, DamagedStore) as error:
                    self._note(f"{kind}/{name} is left out: {error}")
        images = {name: self._rasters[name] for name in self._elements["images"] if name in self._rasters}
        names = self._region_names()
        described = {name: self._systems[name] for name in names if name in self._systems and name not in images}
        for name in names:
            if name not in described:
                self._note(f"the table describes {name!r}, which is not among the shapes and labels of the store.")
        self._system = self._choose_system(described)
        for name, systems in described.items():
            if self._system not in systems:
                self._note(f"{name!r} has no place in the coordinate system {self._system!r}; its cells are not drawn.")
                continue
            source: Any = self._rasters.get(name) or self._elements["shapes"][name]
            self._regions[name] = Region(name, source, systems[self._system])
        channels, limits = check_channels(*self._wanted[1:], list(images.values()))
        for name, raster in images.items():
            self._pictures[name] = Picture(raster, channels, limits)

    def _names_of_elements(self) -> dict[str, str]:
        return {kind: ", ".join(found) for kind, found in self._elements.items() if found}

    def _add(self, kind: str, name: str, group: Group) -> None:
        raster = None if kind == "shapes" else read_raster(group, name)
        transformations = group.attrs.get("coordinateTransformations") if raster is None else raster.transformations
        self._systems[name] = systems_of(transformations, f"{self.uri}: {kind}/{name}")
        self._units.update(units_of(transformations))
        if raster is not None:
            self._rasters[name] = raster

    def _region_names(self) -> list[str]:
        node = self._quietly("uns/spatialdata_attrs/region")
        found = node.read().reshape(-1).tolist() if isinstance(node, Array) else []
        return [one.decode("utf-8", "replace") if isinstance(one, bytes) else str(one) for one in found]

    def _choose_system(self, described: Mapping[str, Mapping[str, Matrix]]) -> str:
        wanted = self._wanted[0]
        known = list(dict.fromkeys(name for systems in self._systems.values() for name in systems))
        if wanted is not None:
            if wanted not in known:
                raise UnknownName(not_found("coordinate system", wanted, known, f"'{self.uri}'"))
            return wanted
        shared = [name for name in known if all(name in systems for systems in described.values())]
        return _GLOBAL if _GLOBAL in shared or not known else (shared or known)[0]

    # --- where cells lie ----------------------------------------------------------------------------------------------

    def _read_embedding_block(self, name: str, axes: tuple[int, int], start: int, stop: int) -> NDArray[Any]:
        if name != SPATIAL or not self._regions:
            return super()._read_embedding_block(name, axes, start, stop)
        found: NDArray[np.float64] = self._read_once("places", self._read_places)
        return found[start:stop, list(axes)]

    def _read_places(self) -> NDArray[np.float64]:
        import pandas as pd

        region_key, instance_key = (self._said_of_regions(name) for name in ("region_key", "instance_key"))
        rows, instances = (pd.Series(as_plain(self._obs.read(name, None))) for name in (region_key, instance_key))
        known = {name: (one, self._instances(name)) for name, one in self._regions.items()}
        found = places_of(rows, instances, known)
        is_here = rows.isin(list(known)).to_numpy()
        lost, elsewhere = int((is_here & np.isnan(found[:, 0])).sum()), int((~is_here).sum())
        if lost:
            self._note(f"{lost:,} of {self.n_obs:,} cells have no place: their regions lack their instances.")
        if elsewhere:
            self._note(f"{elsewhere:,} of {self.n_obs:,} cells belong to no region in {self._system!r}.")
        return found

    def _said_of_regions(self, name: str) -> str:
        found = self._said(f"spatialdata_attrs/{name}")
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
        faults: dict[str, str] = {}
        spot, um = self._spot(), _UM.get(self._units.get(self._system, ""))
        images: dict[str, SectionImage] = {}
        elsewhere = [name for name in self._pictures if self._system not in self._systems[name]]
        for name in elsewhere:
            faults[name] = f"the image {name!r} has no place in the coordinate system {self._system!r}."
        for name, picture in self._pictures.items():
            if name not in faults:
                try:
                    images[name] = self._place(picture, spot, um)
                except InvalidStore as error:
                    faults[name] = f"the image {name!r} is not drawn in {self._system!r}: {error}."
                    self._note(faults[name])
        if elsewhere:
            many = f"{len(elsewhere)} images have" if len(elsewhere) > 1 else "an image has"
            self._note(f"{many} no place in the coordinate system {self._system!r}: {shown(elsewhere)}.")
        return Sections(images, faults, spot, um)

    def _place(self, picture: Picture, spot: float | None, um: float | None) -> SectionImage:
        """Return how a picture lies in the coordinate system."""
        raster = picture.raster
        plane = plane_of(self._systems[raster.name][self._system], raster.middle + 0.5)
        scale = scale_of(plane)
        if scale is None:
            resampled = Resampled(picture, plane)
            found, self._drawn[raster.name] = resampled.section(spot, um), resampled
        else:
            x, y = plane @ [0.5, 0.5, 1.0]
            levels = tuple(sorted(raster.levels))
            found = SectionImage(raster.shape, 1 / scale, spot, um, (float(x), float(y)), levels)
            self._drawn[raster.name] = picture
        if np.prod(found.shape) > MOST_PX:
            raise InvalidStore(f"it would have {found.shape[0]:,} x {found.shape[1]:,} px, more than {MOST_PX:,}")
        if raster.planes > 1:
            self._note(f"of the {raster.planes} planes of {raster.name!r} the middle one is drawn.")
        return found

    def _spot(self) -> float | None:
        """Return how wide the circles of the first region of circles are; None where there are none."""
        for name, region in self._regions.items():
            radii = None if isinstance(region.source, Raster) else read_radii(region.source, self._files)
            if radii is None:
                kind = "labels" if isinstance(region.source, Raster) else "polygons"
                self._note(f"{name!r} holds {kind}; each is drawn as a point at its centroid.")
            elif len(radii) and np.isfinite(radii).all() and radii.min() > 0:
                if not np.allclose(radii, radii[0]):
                    self._note(f"the circles of {name!r} differ in size; all are drawn at their median.")
                return 2 * float(np.median(radii)) * stretch_of(region.matrix)
        return None

    def _read_section_image(self, name: str, lines: slice, columns: slice) -> NDArray[Any]:
        return self._drawn[name].read(1, lines, columns)

    def _read_section_level(self, name: str, factor: int, lines: slice, columns: slice) -> NDArray[Any]:
        return self._drawn[name].read(factor, lines, columns)

    def _read_details(self) -> dict[str, Any]:
        systems = list(dict.fromkeys(name for found in self._systems.values() for name in found))
        return {
            "table": self._table,
            **self._names_of_elements(),
            "coordinate systems": ", ".join(f"{name} *" if name == self._system else name for name in systems),
            "channels": ", ".join(dict.fromkeys(one for raster in self._rasters.values() for one in raster.channels)),
        } | super()._read_details()


def _other(name: str) -> str:
    """Return the name of an embedding in obsm beside that of the regions."""
    return f"{SPATIAL} (obsm)" if name == SPATIAL else name

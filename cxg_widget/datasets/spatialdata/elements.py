"""Elements of a SpatialData store by kind (images, labels, shapes), with their coordinate systems."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from cxg_widget.datasets.anndata.node import Group
from cxg_widget.datasets.spatialdata.raster import Raster, read_raster
from cxg_widget.datasets.spatialdata.regions import Region
from cxg_widget.datasets.spatialdata.transforms import Matrix, systems_of, units_of
from cxg_widget.errors import DamagedStore, InvalidStore, UnknownName
from cxg_widget.text.names import not_found

_GLOBAL = "global"
_MOST_NAMES = 4
_KINDS = ("images", "labels", "shapes", "points")


class Elements:
    """Elements below a root; opens each group once and reads no data.

    Parameters
    ----------
    note : receives a sentence for each element that is left out

    Attributes
    ----------
    images, labels : readable elements by name
    systems : by name of an element, its matrix into each coordinate system
    units : units by coordinate system, if stated
    """

    def __init__(self, root: Group, note: Callable[[str], None]) -> None:
        self._uri, self._note = root.uri, note
        self._groups: dict[str, dict[str, Group]] = {}
        for kind in _KINDS:
            try:
                self._groups[kind] = groups_below(root, kind, note)
            except (InvalidStore, DamagedStore) as error:
                self._groups[kind] = {}
                note(f"{kind} are left out: {error}")
        self.images: dict[str, Raster] = {}
        self.labels: dict[str, Raster] = {}
        self.systems: dict[str, dict[str, Matrix]] = {}
        self.units: dict[str, str] = {}

    def names(self) -> dict[str, str]:
        """Return the names of elements by kind, without empty kinds."""
        return {kind: ", ".join(found) for kind, found in self._groups.items() if found}

    def open(self) -> None:
        """Read the metadata of all elements."""
        for kind, rasters in (("images", self.images), ("labels", self.labels), ("shapes", None)):
            for name, group in self._groups[kind].items():
                try:
                    self._open(f"{kind}/{name}", name, group, rasters)
                except (InvalidStore, DamagedStore) as error:
                    self._note(f"{kind}/{name} is left out: {error}")

    def _open(self, path: str, name: str, group: Group, rasters: dict[str, Raster] | None) -> None:
        raster = None if rasters is None else read_raster(group, name)
        transformations = group.attrs.get("coordinateTransformations") if raster is None else raster.transformations
        self.systems[name] = systems_of(transformations, f"{self._uri}: {path}")
        self.units.update(units_of(transformations))
        if rasters is not None and raster is not None:
            rasters[name] = raster

    def known_systems(self) -> list[str]:
        """Return the names of all coordinate systems."""
        return list(dict.fromkeys(name for systems in self.systems.values() for name in systems))

    def choose_system(self, wanted: str | None, regions: Iterable[str]) -> str:
        """Return the coordinate system `wanted`; None = "global" if all regions have it, else the first they all have.

        If the regions share none, None = the first one of the store.

        Raises
        ------
        UnknownName
            If there is no such coordinate system.
        """
        known = self.known_systems()
        if wanted is not None:
            if wanted not in known:
                raise UnknownName(not_found("coordinate system", wanted, known, f"'{self._uri}'"))
            return wanted
        described = [self.systems[name] for name in regions if self.is_region(name)]
        shared = [name for name in known if all(name in systems for systems in described)]
        return _GLOBAL if _GLOBAL in shared or not known else (shared or known)[0]

    def is_region(self, name: str) -> bool:
        """Return whether rows of a table can be placed by an element: it is labels or shapes and was read."""
        return name in self.systems and name not in self.images

    def find_regions(self, names: Iterable[str], system: str) -> dict[str, Region]:
        """Return the regions that have a place in a coordinate system; notes report the others."""
        found = {}
        names = list(names)
        for name in filter(self.is_region, names):
            if system in self.systems[name]:
                source = self.labels[name] if name in self.labels else self._groups["shapes"][name]
                found[name] = Region(name, source, self.systems[name][system])
                if name not in self.labels and found[name].matrix[:, 2].any():
                    self._note(f"{name!r} is tilted in {system!r}; its shapes are placed as if z were 0.")
        unknown = [name for name in names if not self.is_region(name)]
        elsewhere = [name for name in names if self.is_region(name) and name not in found]
        if unknown:
            verb = "is" if len(unknown) == 1 else "are"
            self._note(
                f"the table describes {quoted(unknown)}, which {verb} not among the shapes and labels of the store."
            )
        if elsewhere:
            verb, whose = ("has", "its") if len(elsewhere) == 1 else ("have", "their")
            self._note(
                f"{quoted(elsewhere)} {verb} no place in the coordinate system {system!r}; {whose} cells are not drawn."
            )
        return found


def quoted(names: Sequence[str]) -> str:
    """Return quoted names for a sentence, at most four and the number of the others."""
    first = ", ".join(map(repr, names[:_MOST_NAMES]))
    return first if len(names) <= _MOST_NAMES else f"{first} (and {len(names) - _MOST_NAMES} more)"


def groups_below(root: Group, kind: str, note: Callable[[str], None]) -> dict[str, Group]:
    """Return the groups of one kind of element; a note reports each group that cannot be opened."""
    parent = root.get(kind)
    found: dict[str, Group] = {}
    if not isinstance(parent, Group):
        return found
    for name in parent.names():
        try:
            node = parent.get(name)
        except (InvalidStore, DamagedStore) as error:
            note(f"{kind}/{name} is left out: {error}")
            continue
        if isinstance(node, Group):
            found[name] = node
    return found

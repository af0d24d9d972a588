"""Lists the feature spaces of an atlas and chooses the one whose features are the vars."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.atlas.groups import ZarrGroups
from cxg_widget.datasets.atlas.lance_tables import LanceTable
from cxg_widget.datasets.atlas.layouts import Layouts
from cxg_widget.datasets.atlas.pointers import PointerColumn, pointer_columns
from cxg_widget.datasets.atlas.snapshot import LAYOUTS, Pinned, Snapshot
from cxg_widget.datasets.atlas.space_matrix import SpaceMatrix
from cxg_widget.datasets.base.lifetime import Lifetime
from cxg_widget.errors import InvalidStore, UnknownName
from cxg_widget.text.names import not_found

USUAL = "gene_expression"
_MAIN_LAYERS = ("counts", "data", "raw")
_LOOKED_AT = 64


@dataclass(frozen=True)
class Space:
    """A feature space that an obs table points into.

    pointer : the column of pointers
    registry : the table of its features; None if the snapshot has none
    layers : names of its layers, the main one first
    """

    pointer: PointerColumn
    registry: LanceTable | None
    layers: tuple[str, ...]
    matrix: SpaceMatrix

    def axis(self, axis: int) -> NDArray[np.float32]:
        """Return a feature of a dense space over all cells, float32 (n_obs,).

        axis : position of the feature in the registry; without a registry, in the array
        """
        if self.registry is None:
            return self.matrix.axis(None, axis, self.layers[0])
        (uid,) = self.registry.read(["uid"], (axis, axis + 1)).column(0).to_pylist()
        return self.matrix.axis(str(uid), axis, self.layers[0])


class Spaces:
    """All feature spaces of one obs table.

    life : of the dataset; receives a note per skipped column
    """

    def __init__(
        self,
        open_table: Callable[[str, int], LanceTable],
        snapshot: Snapshot,
        obs: LanceTable,
        groups: ZarrGroups,
        life: Lifetime,
    ) -> None:
        self._uri = obs.uri
        pointers, others = pointer_columns(obs.schema)
        self.hidden = [*(pointer.name for pointer in pointers), *others]
        for name, what in others.items():
            life.note(f"column {name!r} holds {what}; it is left out.")
        datasets, layouts = open_table(*snapshot.datasets), open_table(LAYOUTS, snapshot.layouts)
        self.all: list[Space] = []
        for pointer in pointers:
            of_space = Layouts(datasets, layouts, pointer.space)
            matrix = SpaceMatrix(obs, pointer, of_space, groups, life)
            pinned: Pinned | None = snapshot.registries.get(pointer.space)
            registry = None if pinned is None else open_table(*pinned)
            self.all.append(Space(pointer, registry, find_layers(groups, matrix.known_layouts), matrix))

    def choose(self, wanted: str | None) -> Space | None:
        """Return the space whose features are the vars: the requested one, else gene expression, else the largest."""
        usable = [space for space in self.all if space.registry is not None and space.layers]
        if wanted is None:
            usual = [space for space in usable if space.pointer.space == USUAL]
            return next(iter(usual), None) or max(usable, key=_n_features, default=None)
        for space in usable:
            if wanted in (space.pointer.space, space.pointer.name):
                return space
        known = [space.pointer.space for space in usable]
        if any(wanted in (space.pointer.space, space.pointer.name) for space in self.all):
            raise InvalidStore(
                f"{self._uri}: feature space {wanted!r} has no registry or no layers; those that have: {known}."
            )
        sentence = not_found("feature space", wanted, known, "this atlas")
        raise UnknownName(f"{self._uri}: no sparse/dense pointer column for feature space {wanted!r}: {sentence}")

    def dense(self, groups: ZarrGroups) -> dict[str, tuple[Space, int]]:
        """Return the dense spaces of at least two features by name, with their number of features."""
        found: dict[str, tuple[Space, int]] = {}
        for space in self.all:
            if space.pointer.kind == "dense" and space.layers:
                width = groups.width(space.matrix.known_layouts, space.layers[0])
                width = _n_features(space) if space.registry is not None and width is not None else width
                name = space.pointer.name if space.pointer.space in found else space.pointer.space
                if width is not None and width >= 2:
                    found[name] = space, width
        return found


def find_layers(groups: ZarrGroups, names: Iterable[str]) -> tuple[str, ...]:
    """Return the layers of the first 64 groups: counts, data and raw first, then those that most groups have."""
    counts: dict[str, int] = {}
    for group in list(names)[:_LOOKED_AT]:
        for layer in groups.layers(group):
            counts[layer] = counts.get(layer, 0) + 1
    order: Mapping[str, int] = {name: place for place, name in enumerate(_MAIN_LAYERS)}
    return tuple(sorted(counts, key=lambda name: (order.get(name, len(order)), -counts[name], name)))


def _n_features(space: Space) -> int:
    return 0 if space.registry is None else space.registry.n_rows

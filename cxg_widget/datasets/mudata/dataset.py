"""Reads MuData as one dataset over the cells of all modalities; the AnnData readers read each modality."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.anndata.with_matrices import WithMatrices
from cxg_widget.datasets.base.contract import Table
from cxg_widget.datasets.base.dataset import Dataset, Vector
from cxg_widget.datasets.base.embedding_names import axis_names, default_embedding
from cxg_widget.datasets.base.lifetime import Traffic
from cxg_widget.datasets.base.matrix_block import MatrixBlock
from cxg_widget.datasets.base.matrix_contract import Grain
from cxg_widget.datasets.base.sections import Sections
from cxg_widget.datasets.base.values import Values, take_rows
from cxg_widget.datasets.base.var_names import VarNames
from cxg_widget.datasets.mudata.names import JointNames, prefixed
from cxg_widget.datasets.mudata.row_map import RowMap, Rows, spread
from cxg_widget.datasets.mudata.side_by_side import Side, SideBySide
from cxg_widget.datasets.mudata.var_table import joined_columns, joint_positions, read_joined
from cxg_widget.errors import InvalidStore
from cxg_widget.text.nouns import GENE_SET

_WITH_MISSING: dict[str, Any] = {"int": {"kind": "float"}, "boolean": {"kind": "categorical", "n_categories": 2}}
"""Changes to a column, by its kind, if the modality lacks some cells, whose values are then missing."""
ReadMap = Callable[[str], NDArray[Any]]
"""Reads the map of a modality, (n_obs,) or (n_var,): the row in the modality, from 1; 0 = the modality lacks it."""


class MuDataset(Dataset):
    """Several AnnData of the same cells.

    Vars are named "modality:name"; the obs columns and embeddings of a modality are named "modality:column". X joins
    the matrices of all modalities side by side. A layer is one matrix of one modality: "rna:X", "rna:counts",
    "rna:raw". A subclass opens the parts and passes them to `_join`.
    """

    set_noun = GENE_SET
    _no_embedding = "no usable embedding in obsm, of all cells or of a modality"

    def _join(
        self, whole: WithMatrices, parts: Mapping[str, WithMatrices], obs_map: ReadMap, var_map: ReadMap | None
    ) -> None:
        """Join the parts; sets all attributes of the dataset.

        Parameters
        ----------
        whole : the tables and embeddings of the MuData itself, as an AnnData without X
        parts : the modalities by name, in their order
        obs_map, var_map : read the map of a modality; var_map None = the vars have no common table
        """
        self._whole, self._parts = whole, dict(parts)
        self.modalities = tuple(parts)
        self.n_obs, self.obs_index = whole.n_obs, whole.obs_index
        self.title = whole.title
        self._maps = {
            name: RowMap(self.n_obs, part.n_obs, partial(obs_map, name), f"{self.uri}: obsmap/{name}")
            for name, part in parts.items()
        }
        self._var_map = var_map
        for name, part in parts.items():
            part.tell_progress_to(self._tell_progress)
            n_missing = self._maps[name].n_missing
            if n_missing > 0:
                self._note(
                    f"{name} lacks {n_missing:,} of {self.obs_noun.counted(self.n_obs)}: its {self.var_noun.many}, "
                    "columns and embeddings are missing there."
                )
        self._name_columns()
        self._name_matrices()
        self._name_embeddings()
        self.sections()

    def _name_columns(self) -> None:
        own = ((name, column) for name, part in self._parts.items() for column in part.obs_columns)
        self._places = places = {prefixed(*place): place for place in own}
        # `whole` already has the columns that mudata has pulled from the modalities.
        self._columns = {name: place for name, place in places.items() if name not in self._whole.obs_columns}
        self.obs_columns = dict(self._whole.obs_columns)
        for name, (modality, column) in self._columns.items():
            found = self._parts[modality].obs_columns[column]
            if self._maps[modality].n_missing > 0:
                found = replace(found, **_WITH_MISSING.get(found.kind, {}))
            self.obs_columns[name] = replace(found, name=name)

    def _name_matrices(self) -> None:
        layers: dict[str | None, list[tuple[str, str | None, int]]] = {None: []}
        for name, part in self._parts.items():
            if part._matrix.is_missing:
                self._note(f"{name} has no X, so its {self.var_noun.many} are only in its layers.")
            else:
                layers[None].append((name, None, part.n_var))
                layers[f"{name}:X"] = [(name, None, part.n_var)]
            for layer in part.layers:
                layers[f"{name}:{layer}"] = [(name, layer, part._n_var_in(layer))]
        self._matrices = {layer: self._beside(found) for layer, found in layers.items()}
        self.layers = tuple(layer for layer in layers if layer is not None)
        main = self._matrices[None]
        self.n_var = main.n_var
        self.major_axis = "obs" if all(side.part.major_axis == "obs" for side in main.sides) else "var"
        self._names: dict[str | None, VarNames] = {
            layer: JointNames(self, found.sides, layer) for layer, found in self._matrices.items()
        }
        self._var_part = self._names[None]
        self.var_index = self._whole.var_index
        joint = self._whole.var_columns if self._var_map is not None and self._whole.n_var == self.n_var else {}
        self._joint_var = set(joint)
        self.var_columns = {**joined_columns(main.sides), **joint}

    def _beside(self, found: Sequence[tuple[str, str | None, int]]) -> SideBySide:
        sides, start = [], 0
        for name, layer, n in found:
            sides.append(Side(name, self._parts[name], layer, self._maps[name], start, n))
            start += n
        return SideBySide(sides, self.n_obs)

    def _name_embeddings(self) -> None:
        whole = self._whole
        own = ((name, one) for name, part in self._parts.items() for one in part.embeddings)
        spots = {prefixed(*spot): spot for spot in own}
        self._spots = {name: spot for name, spot in spots.items() if name not in whole.embeddings}
        widths = {name: self._parts[modality].embeddings[one] for name, (modality, one) in self._spots.items()}
        self.embeddings = {**whole.embeddings, **widths}
        # obsm also holds the masks of the modalities, under their names; they are not embeddings.
        self._unusable = {name: why for name, why in whole._unusable.items() if name not in self._parts}
        for name, part in self._parts.items():
            self._unusable |= {prefixed(name, one): f"{name}: {why}" for one, why in part._unusable.items()}
        if not self.embeddings:
            self._note(f"{self._no_embedding}, so there is nothing to draw.")
        stated = whole.default_embedding
        if stated == (default_embedding(whole.embeddings) or next(iter(whole.embeddings), None)):
            stated = default_embedding(self.embeddings) or stated
        self.default_embedding = stated or next(iter(self.embeddings), None)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on everything skipped, ignored or found damaged so far, also in the modalities."""
        masks = {self._whole._unusable[name] for name in self._parts if name in self._whole._unusable}
        found = [note for note in self._whole.notes if note not in masks]
        found += [f"{name}: {note}" for name, part in self._parts.items() for note in part.notes]
        shown = (note for note in found if WithMatrices._no_embedding not in note)
        return tuple(dict.fromkeys([*self._lifetime.notes, *shown]))

    # --- columns ------------------------------------------------------------------------------------------------------

    def index_name(self, table: Table) -> str | None:
        """Return the name of the index of all cells, or of all vars."""
        return self._whole.index_name(table)

    def _packs(self, name: str) -> bool:
        return name not in self._columns and self._whole._packs(name)

    def _read_obs(self, name: str, rows: Rows | None) -> Values:
        if name not in self._columns:
            return self._whole._read_obs(name, rows)
        modality, column = self._columns[name]
        part, cells = self._parts[modality], self._maps[modality]
        if rows is None:
            is_complete = cells.n_missing == 0
            return spread(part._read_obs(column, None), cells.joint, self.n_obs, is_complete=is_complete)
        own = cells.own[rows]
        places = np.flatnonzero(own >= 0)
        values = part._read_obs(column, own[places])
        return spread(values, places, len(rows), is_complete=cells.n_missing == 0)

    def _read_obs_block(self, name: str, start: int, stop: int) -> Values:
        if name not in self._columns:
            return self._whole._read_obs_block(name, start, stop)
        return self._read_obs(name, np.arange(start, stop))

    def _read_var(self, name: str) -> Values:
        sides = self._matrices[None].sides
        if name == self.var_index:
            return np.array(self.var_labels, dtype=object)
        if name not in self._joint_var:
            return read_joined(name, sides, self.var_columns[name].kind)
        assert self._var_map is not None
        read_map = self._var_map
        order = self._read_once("joint var of each var", lambda: joint_positions(sides, read_map, self.uri))
        return take_rows(self._whole._read_var(name), order)

    def _category_colors(self, column: str) -> Mapping[str, str]:
        found = self._whole._category_colors(column)
        if found or column not in self._places:
            return found
        modality, own = self._places[column]
        return self._parts[modality]._category_colors(own)

    # --- embeddings ---------------------------------------------------------------------------------------------------

    def _read_embedding_block(self, name: str, axes: tuple[int, int], start: int, stop: int) -> NDArray[Any]:
        if name not in self._spots:
            return self._whole._read_embedding_block(name, axes, start, stop)
        modality, own_name = self._spots[name]
        own, places = self._maps[modality].among(np.arange(start, stop))
        low, high = (int(own[0]), int(own[-1]) + 1) if len(own) else (0, 0)
        values = np.asarray(self._parts[modality]._read_embedding_block(own_name, axes, low, high))
        found = np.full((stop - start, 2), np.nan, dtype=np.float32)
        found[places] = values[own - low]
        return found

    def _axis_names(self, name: str, axes: tuple[int, int]) -> tuple[str, str] | None:
        return axis_names(name.rpartition(":")[2], axes)

    def _read_sections(self) -> Sections:
        every = (self._whole, *self._parts.values())
        self._pictured = next((part for part in every if part.sections().images), self._whole)
        return self._pictured.sections()

    def _read_section_image(self, name: str, lines: slice, columns: slice) -> NDArray[Any]:
        return self._pictured._read_section_image(name, lines, columns)

    # --- the matrix ---------------------------------------------------------------------------------------------------

    def names_in(self, layer: str | None) -> VarNames:
        """Return the names of the vars of a layer: those of its modality."""
        return self._names[layer]

    def cells_in(self, layer: str | None) -> NDArray[np.bool_] | None:
        """Return which cells the modality of a layer has, bool (n_obs,); None = all."""
        sides = self._matrices[layer].sides if layer in self._matrices else ()
        if len(sides) != 1 or sides[0].rows.n_missing == 0:
            return None
        with self._reading():
            return sides[0].rows.own >= 0

    def _n_var_in(self, layer: str | None) -> int:
        return self._matrices[layer].n_var

    def _read_vectors(self, positions: Sequence[int], layer: str | None) -> Iterator[Vector]:
        return self._matrices[layer].vectors(positions)

    def _read_vectors_block(
        self, positions: Sequence[int], layer: str | None, start: int, stop: int
    ) -> Iterator[Vector]:
        found = self._matrices[layer].vectors_block(positions, start, stop)
        return super()._read_vectors_block(positions, layer, start, stop) if found is None else found

    def _read_matrix_block(self, start: int, stop: int, layer: str | None) -> MatrixBlock:
        if layer is not None:
            side = self._matrices[layer].sides[0]
            modality, other = side.name, "" if side.layer is None else f", layer={side.layer!r}"
            raise InvalidStore(
                f"{self.uri}: layer {layer!r} has only the {self.var_noun.many} of {modality}; open it with "
                f"key={modality!r}{other}."
            )
        lines = np.arange(start, stop)
        found = self._matrices[None]
        return found.rows(lines) if self.major_axis == "obs" else found.columns(lines, None)

    def _read_grain(self, layer: str | None) -> Grain:
        return self._matrices[layer].grain()

    def _read_rows(self, rows: Rows, layer: str | None) -> MatrixBlock:
        return self._matrices[layer].rows(rows)

    def _read_columns(self, positions: Rows, rows: Rows | None, layer: str | None) -> MatrixBlock:
        return self._matrices[layer].columns(positions, rows)

    # --- the store ----------------------------------------------------------------------------------------------------

    def _read_gene_sets(self) -> dict[str, tuple[str, ...]]:
        found = dict(self._whole._read_gene_sets())
        for name, part in self._parts.items():
            for one, genes in part._read_gene_sets().items():
                found[prefixed(name, one)] = tuple(prefixed(name, gene) for gene in genes)
        return found

    def _read_details(self) -> dict[str, Any]:
        modalities: dict[str, Any] = {}
        for name, part in self._parts.items():
            modalities[name] = {"n_obs": part.n_obs, "n_var": part.n_var} | part._read_details()
        types = [one["X"].get("dtype") for one in modalities.values()]
        known = [np.dtype(cast(str, one)) for one in types if one]
        joint = {"layout": "side by side"} | ({"dtype": str(np.result_type(*known))} if known else {})
        return {"X": joint, "modalities": modalities}

    def _read_traffic(self) -> Traffic | None:
        return self._whole._read_traffic()

    def _release(self) -> None:
        for part in (self._whole, *self._parts.values()):
            part.close()

"""From the trait `color` to a target, and to codes or numbers per cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from cxg_widget.color.blend import BLENDED, MOST_BLENDED
from cxg_widget.datasets.base.contract import RAW
from cxg_widget.datasets.base.dataset import MAX_LABELS, Codes, Vector
from cxg_widget.datasets.base.obs_columns import too_many_labels
from cxg_widget.display.several_genes import mean_label, mean_vector
from cxg_widget.errors import InvalidValue, UnknownName
from cxg_widget.text.names import not_found, shown
from cxg_widget.text.nouns import Noun

if TYPE_CHECKING:
    from cxg_widget.datasets.base.dataset import Column, Dataset
    from cxg_widget.datasets.base.var_names import VarNames


_GROUPINGS = (
    "celltype", "authorcelltype", "celltypes", "celltypelabel", "celltypename", "cellontologyclass",
    "annotatedcelltype", "celltypeannotation", "predictedcelltype", "majorityvoting", "predictedlabels",
    "cellannotation", "annotation", "bulklabels", "leiden", "louvain", "seuratclusters", "clusters", "cluster",
)  # fmt: skip
"""Usual names of columns of cell types and clusters, spelled as by `_plain`, best first."""
_MOST_GROUPS = 256
_EXACT = 1 << 24
"""Integers up to this are exact in float32."""

ALL_SETS = "sets"
ColorTrait = str | Sequence[str] | None
Source = Literal["none", "obs", "var", "set", "mean", "blend", "sets"]
OwnSets = Mapping[str, Sequence[str]]
"""Gene sets of the user by name; they take precedence over those of the store."""
NO_SETS: OwnSets = MappingProxyType({})


@dataclass(frozen=True)
class Target:
    """A resolved color: its source, its heading, and the genes of a mean."""

    source: Source
    name: str = ""
    genes: tuple[str, ...] = ()

    @property
    def spec(self) -> str:
        """Key: "obs:NAME", "var:NAME", "set:NAME", "mean:A,B", "blend:A,B", "sets:NAME" or ""."""
        if self.source == "none":
            return ""
        is_list = self.source in ("mean", "blend")
        return f"{self.source}:{','.join(self.genes)}" if is_list else f"{self.source}:{self.name}"


def resolve(color: ColorTrait, dataset: Dataset, layer: str | None = None, sets: OwnSets = NO_SETS) -> Target:
    """Resolve a value of the trait `color` from names alone; genes are those of a layer, None = X.

    A plain name is looked up in the obs columns, then the genes, then the gene sets; "obs:", "var:" and "set:" force
    one. A list of genes means their mean.
    """
    if color is None or (isinstance(color, str) and not color):
        return Target("none")
    if isinstance(color, str):
        return _resolve_name(color, dataset, layer, sets)
    if not isinstance(color, Sequence) or not all(isinstance(gene, str) for gene in color) or len(color) == 0:
        raise InvalidValue(f"color must be a name, a list of {dataset.var_noun.many} or None; found {shown(color)}")
    genes = [gene.removeprefix("var:") for gene in color]
    for gene in genes:
        dataset.names_in(layer).find_var(gene)
    name = mean_label(dataset.var_noun.counted(len(genes))) if len(genes) > 1 else genes[0]
    return Target("mean", name, tuple(genes))


def is_of_sets(color: Any) -> bool:
    """Return whether a value of the trait `color` refers to sets of cells: "sets" or "sets:NAME"."""
    return isinstance(color, str) and color.partition(":")[0] == ALL_SETS


def set_noun_of(dataset: Dataset) -> Noun:
    """Return the noun for a set of vars, also if the store has no vars."""
    one = dataset.var_noun.one
    return dataset.set_noun or Noun(f"{one} set", f"{one} sets")


def is_number(target: Target, dataset: Dataset) -> bool:
    """Return whether a target is numeric; reads names only."""
    if target.source == "obs":
        return dataset.obs_columns[target.name].kind in ("int", "float")
    return target.source not in ("none", "blend", "sets")


def blended(target: Target, dataset: Dataset) -> Target:
    """Return a list of genes as a target with a hue for each."""
    if len(target.genes) > MOST_BLENDED:
        count = dataset.var_noun.counted(len(target.genes))
        many = dataset.var_noun.many
        raise InvalidValue(f"blend='colors' shows {BLENDED} {many}; found {count}. blend='mean' takes any number.")
    return replace(target, source="blend")


def _resolve_name(color: str, dataset: Dataset, layer: str | None, sets: OwnSets) -> Target:
    source, _, name = color.partition(":")
    names = dataset.names_in(layer)
    if source == "obs" and name in dataset.obs_columns:
        return Target("obs", name)
    if source == "var" and names.has_var(name):
        return Target("var", name)
    if source == "set" and (name in sets or name in dataset.gene_sets):
        return _gene_set(name, dataset, names, sets)
    if color in dataset.obs_columns:
        return Target("obs", color)
    if names.has_var(color):
        return Target("var", color)
    if color in sets or color in dataset.gene_sets:
        return _gene_set(color, dataset, names, sets)
    if source == "obs":
        raise UnknownName(not_found("obs column", name, dataset.obs_columns))
    if source == "set":
        raise UnknownName(not_found(set_noun_of(dataset).one, name, [*sets, *dataset.gene_sets]))
    if source == "var":
        names.find_var(name)
    raise UnknownName(_neither(color, dataset, layer, sets))


def _neither(color: str, dataset: Dataset, layer: str | None, sets: OwnSets) -> str:
    of_several = dataset.explain_name(color) if dataset.modalities else None
    if of_several is not None:
        return of_several
    for other in (None, *dataset.layers):
        if dataset.names_in(other).has_var(color):
            there, here = ("X" if one is None else f"the layer {one!r}" for one in (other, layer))
            what = f"{shown(color)} is {dataset.var_noun.a} of {there}, not of {here}"
            return f"{what}; set w.layer = {other!r} to color by it."
    groups = [*dataset.obs_columns, *sets, *dataset.gene_sets]
    names = [*groups, *(dataset.var_aliases or ()), *dataset.var_labels]
    nouns = [noun.one for noun in (dataset.var_noun, set_noun_of(dataset) if sets else dataset.set_noun) if noun]
    what = " or ".join([", ".join(["obs column", *nouns[:-1]]), nouns[-1]])
    return dataset.explain_name(color) or not_found(what, color, names, count=len(groups) + dataset.n_var)


def _gene_set(name: str, dataset: Dataset, names: VarNames, sets: OwnSets) -> Target:
    listed = sets[name] if name in sets else dataset.gene_sets[name]
    genes = tuple(gene for gene in listed if names.has_var(gene))
    if not genes:
        what = f"{set_noun_of(dataset).one} {name!r} names no {dataset.var_noun.one} of this dataset"
        raise UnknownName(f"{what}; it lists {len(listed)}")
    return Target("set", name, genes)


def color_of_itself(dataset: Dataset) -> str | None:
    """Return the default color: that of the store, else its cell types or clusters.

    They are found in the schema alone: a categorical column with a usual name and 2 to 256 categories, as far as
    stated. None = no color.
    """
    if dataset.default_color is not None:
        return dataset.default_color
    columns = [column for column in reversed(list(dataset.obs_columns.values())) if _is_grouping(column)]
    # A column of one modality, "rna:cell_type", only counts if no column of all cells has the name.
    bare = {_plain(column.name.rpartition(":")[2]): column for column in columns} if dataset.modalities else {}
    known = bare | {_plain(column.name): column for column in columns}
    return next((known[name].name for name in _GROUPINGS if name in known), None)


def _plain(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter not in " _-.")


def _is_grouping(column: Column) -> bool:
    n_groups = 2 if column.n_categories is None else column.n_categories
    return column.kind in ("categorical", "string") and 2 <= n_groups <= _MOST_GROUPS


def coloring_key(target: Target, layer: str | None, dataset: Dataset) -> tuple[Any, ...]:
    """Return a key that is equal for equal colorings, however requested; reads names only."""
    find = dataset.names_in(layer).find_var
    genes = tuple(find(gene) for gene in ([target.name] if target.source == "var" else target.genes))
    return (genes, layer) if genes else (target.spec,)


def heading(target: Target, dataset: Dataset, layer: str | None) -> tuple[str, str]:
    """Return heading and subheading of the legend: the readable name of a gene, the unit of an obs column."""
    suffix = f" · layer {layer}" if layer and target.source in ("var", "set", "mean", "blend") else ""
    if target.source == "var":
        names = dataset.names_in(layer)
        position = names.find_var(target.name)
        label, aliases = str(names.var_labels[position]), names.var_aliases
        name = (aliases[position] if aliases else "") or label
        return name, (label if label != name else dataset.var_noun.one) + suffix
    if target.source == "blend":
        genes = blended_names(target, dataset, layer)
        return ", ".join(genes), f"{dataset.var_noun.counted(len(genes))}, a color each{suffix}"
    if target.source == "sets":
        one, several = f"set of {dataset.obs_noun.many}", f"Sets of {dataset.obs_noun.many}"
        return (target.name, one) if target.name else (several, "")
    if target.source in ("set", "mean"):
        shown = ", ".join(target.genes[:4]) + (", …" if len(target.genes) > 4 else "")
        return target.name, (mean_label(shown) if target.source == "set" else shown) + suffix
    return target.name, dataset.obs_columns[target.name].unit if target.source == "obs" else ""


def blended_names(target: Target, dataset: Dataset, layer: str | None) -> list[str]:
    """Return the readable names of genes that have a hue each."""
    return [heading(Target("var", gene), dataset, layer)[0] for gene in target.genes]


def read(target: Target, dataset: Dataset, layer: str | None) -> Codes | Vector:
    """Read the codes or the numbers of a coloring, in row order."""
    if target.source == "var":
        return dataset.vector(target.name, layer)
    if target.source in ("set", "mean"):
        return mean_vector(dataset.vectors(target.genes, layer), len(target.genes), dataset.n_obs)
    numeric = dataset.obs_columns[target.name].kind in ("int", "float")
    return of_column(target.name, dataset.numbers(target.name) if numeric else dataset.codes(target.name))


def of_column(name: str, values: Codes | NDArray[Any]) -> Codes | Vector:
    """Return the codes or the numbers of an obs column."""
    if not isinstance(values, Codes):
        return Vector(as_float(values))
    if len(values.categories) > MAX_LABELS:
        raise too_many_labels(name)
    return values


def as_float(numbers: NDArray[Any]) -> NDArray[Any]:
    """Return numbers as float32, or float64 if float32 would change them; avoids a copy of the store's array."""
    if (numbers.dtype.kind == "f" and numbers.dtype.itemsize <= 4) or numbers.dtype.itemsize <= 2:
        return numbers.astype(np.float32, copy=False)
    if numbers.dtype.kind in "iu" and numbers.size and max(-int(numbers.min()), int(numbers.max())) <= _EXACT:
        return numbers.astype(np.float32)
    return numbers.astype(np.float64, copy=False)


def unscaled_layer(dataset: Dataset, layer: str | None) -> str:
    """Return the layer that a scaled layer was computed from; "" if unknown."""
    return RAW if layer is None and RAW in dataset.layers else ""


def layer_to_offer(target: Target, dataset: Dataset, layer: str | None) -> str:
    """Return the layer with the same genes before scaling, for genes with values below 0; "" if there is none.

    `compare.matrix_statistics` classifies such values as scaled too.
    """
    found = unscaled_layer(dataset, layer)
    genes = [target.name] if target.source == "var" else target.genes
    is_there = bool(found and genes) and all(map(dataset.names_in(found).has_var, genes))
    return found if is_there else ""

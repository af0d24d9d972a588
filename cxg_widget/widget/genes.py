"""`w.genes`: pinned genes and gene sets. Every edit is a change of a trait."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, MutableMapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cxg_widget.display.color_target import set_noun_of
from cxg_widget.display.gene_sets import GeneLists, by_name, describe_unknown, free_name, read_lists
from cxg_widget.errors import InvalidValue, UnknownName
from cxg_widget.text.names import not_found, shown
from cxg_widget.text.warned import warn_caller

if TYPE_CHECKING:
    from cxg_widget.widget.widget import CxgWidget

_MOST_BYTES = 1 << 24
"""Limit of a file of gene lists."""


class Genes:
    """Pinned genes and gene sets.

    `w.genes.pin("CD3E")` adds a gene to the Genes panel. `w.genes.sets = {"T cells": ["CD3E", "CD3D"]}` makes sets that
    search and `w.color` accept. `w.genes.add(text)` reads sets from a pasted list or a GMT file.

    Examples
    --------
    >>> w.genes.pin("CD3E", "NKG7")
    >>> w.genes.sets["mine"] = ["CD3E", "CD3D"]
    >>> w.color = "set:mine"
    """

    def __init__(self, widget: CxgWidget) -> None:
        self._widget = widget

    @property
    def pinned(self) -> tuple[str, ...]:
        """Pinned genes, in their order.

        Examples
        --------
        >>> w.genes.pin("CD3E", "NKG7")
        >>> w.genes.pinned
        ('CD3E', 'NKG7')
        """
        return tuple(self._widget.pinned_genes)

    def pin(self, *names: str | Iterable[str]) -> None:
        """Pin genes after those already pinned; a gene that is pinned keeps its place.

        Parameters
        ----------
        *names : genes, as `color` takes them, or lists of genes

        Raises
        ------
        UnknownName
            If a name is no gene; the sentence names the nearest genes, and none is pinned.
        InvalidValue
            If this would be more than 100 genes.

        Examples
        --------
        >>> w.genes.pin("CD3E", "NKG7")
        >>> w.genes.pinned
        ('CD3E', 'NKG7')
        """
        self._widget.pinned_genes = [*self.pinned, *_flat(names)]

    def unpin(self, *names: str | Iterable[str]) -> None:
        """Unpin genes by any of their names; without names, all of them.

        Raises
        ------
        UnknownName
            If a gene is not pinned; then all stay pinned.

        Examples
        --------
        >>> w.genes.pin("CD3E", "NKG7")
        >>> w.genes.unpin("CD3E")
        >>> w.genes.pinned
        ('NKG7',)
        """
        left = list(self.pinned)
        for name in _flat(names):
            pinned = next((one for one in left if self._are_one(one, name)), None)
            if pinned is None:
                noun = self._widget.dataset.var_noun.one
                raise UnknownName(not_found(f"pinned {noun}", name, self.pinned, "this widget"))
            left.remove(pinned)
        self._widget.pinned_genes = left if names else []

    def _are_one(self, pinned: str, name: Any) -> bool:
        names = self._widget.dataset.names_in(None)
        are_known = isinstance(name, str) and names.has_var(pinned) and names.has_var(name)
        return pinned == name or (are_known and names.find_var(pinned) == names.find_var(name))

    @property
    def sets(self) -> GeneSets:
        """All gene sets by name: those made here, which can be changed, and those of the store.

        Examples
        --------
        >>> w.genes.sets["T cells"] = ["CD3E", "CD3D"]
        >>> w.genes.sets["T cells"]
        ('CD3E', 'CD3D')
        """
        return GeneSets(self._widget)

    @sets.setter
    def sets(self, sets: Any) -> None:
        self._widget.gene_sets = sets

    def add(self, source: str | Path, name: str | None = None) -> GeneLists:
        """Add the gene sets of a text or file; those of the same names are replaced.

        Parameters
        ----------
        source : GMT (each line has name, description and genes, separated by tabs), or gene names separated by spaces,
            commas, semicolons or new lines; or the path of such a file
        name : name of the set, if the text has none; None = the name of the file, or a new name

        Returns
        -------
        result with `.sets`, the added sets by name, and `.unknown`, the names that are no genes; a warning lists them
        too

        Raises
        ------
        UnknownName, InvalidValue
            If the text names no gene of the dataset, or too many, or there is no such file.

        Examples
        --------
        >>> w.genes.add("CD3E, CD3D, TRAC", "T cells").sets
        {'T cells': ['CD3E', 'CD3D', 'TRAC']}
        """
        path = _path_of(source)
        text = str(source) if path is None else _read(path)
        usual = free_name(self.sets, self._widget.dataset) if path is None else path.stem
        found = read_lists(text, usual if name is None else name, self._widget.dataset)
        own = {**by_name(self._widget.gene_sets), **found.sets}
        self._widget.gene_sets = own
        if found.unknown:
            warn_caller(describe_unknown(found.unknown))
        return found

    def __repr__(self) -> str:
        return f"<{self._widget.dataset.var_noun.counted(len(self.pinned))} pinned, sets {list(self.sets)}>"


class GeneSets(MutableMapping[str, tuple[str, ...]]):
    """Gene sets by name.

    A set made here can replace one of the store, which comes back when yours is deleted.

    Examples
    --------
    >>> w.genes.sets["mine"] = ["CD3E", "CD3D"]
    >>> w.genes.sets["mine"]
    ('CD3E', 'CD3D')
    """

    def __init__(self, widget: CxgWidget) -> None:
        self._widget = widget

    @property
    def own(self) -> dict[str, tuple[str, ...]]:
        """Sets made in this widget.

        Examples
        --------
        >>> w.genes.sets["T cells"] = ["CD3E", "CD3D"]
        >>> w.genes.sets.own
        {'T cells': ('CD3E', 'CD3D')}
        """
        return {name: tuple(genes) for name, genes in by_name(self._widget.gene_sets).items()}

    def _all(self) -> dict[str, tuple[str, ...]]:
        own = self.own
        return {**own, **{name: genes for name, genes in self._widget.dataset.gene_sets.items() if name not in own}}

    def __getitem__(self, name: str) -> tuple[str, ...]:
        sets = self._all()
        if name not in sets:
            raise UnknownName(not_found(set_noun_of(self._widget.dataset).one, name, sets, "this widget"))
        return sets[name]

    def __setitem__(self, name: str, genes: Iterable[str]) -> None:
        """Make or replace a set; raises as `display.gene_sets.check_gene_sets`."""
        self._widget.gene_sets = {**self.own, name: genes}

    def __delitem__(self, name: str) -> None:
        own = self.own
        if name not in own:
            what = "belongs to the store and cannot be deleted" if name in self._all() else "is not a set made here"
            raise UnknownName(f"{set_noun_of(self._widget.dataset).one} {shown(name)} {what}.")
        self._widget.gene_sets = {one: genes for one, genes in own.items() if one != name}

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def __repr__(self) -> str:
        return repr(self._all())


def _flat(names: Iterable[Any]) -> list[Any]:
    listed = [one.tolist() if hasattr(one, "tolist") else one for one in names]
    return [one for part in listed for one in (part if isinstance(part, list | tuple | set) else [part])]


def _path_of(source: Any) -> Path | None:
    """Return the path if the source is one: a path object, or a one-line text that names a file."""
    if isinstance(source, Path):
        return source
    if not isinstance(source, str):
        raise InvalidValue(f"add() takes a text or the path of a file; found {shown(source)}")
    is_one_line = source.strip() != "" and not set(source) & set("\n\t;,")
    try:
        is_file = is_one_line and Path(source).expanduser().is_file()
    except (OSError, ValueError):  # too long for a path
        is_file = False
    return Path(source) if is_file or (is_one_line and source.endswith(".gmt")) else None


def _read(path: Path) -> str:
    try:
        path = path.expanduser()
        if path.stat().st_size > _MOST_BYTES:
            raise InvalidValue(f"{path} has more than {_MOST_BYTES >> 20} MiB, the limit of a list of genes.")
        return path.read_text(encoding="utf-8-sig", errors="replace")
    except OSError as error:
        raise InvalidValue(f"{path} cannot be read: {error.strerror or error}.") from error

"""`w.genes`: pinned genes and gene sets; every change is a change of a trait."""

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
"""Of a file of lists."""


class Genes:
    """The genes at hand: those pinned, and sets of them.

    `w.genes.pin("CD3E")` puts a gene into the panel of genes, `w.genes.sets = {"T cells": ["CD3E", "CD3D"]}` makes sets
    that search and `w.color` know, and `w.genes.add(text)` reads them out of a pasted list or a GMT.

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
        """The pinned genes, in their order."""
        return tuple(self._widget.pinned_genes)

    def pin(self, *names: str | Iterable[str]) -> None:
        """Pin genes, behind those that are pinned; one that is pinned stays where it is.

        Parameters
        ----------
        *names : as `color` takes them, or lists of them

        Raises
        ------
        UnknownName
            If one is no gene; the sentence names the nearest. None is pinned then.
        InvalidValue
            If there are more than 100.

        Examples
        --------
        >>> w.genes.pin("CD3E", "NKG7")
        >>> w.genes.pinned
        ('CD3E', 'NKG7')
        """
        self._widget.pinned_genes = [*self.pinned, *_flat(names)]

    def unpin(self, *names: str | Iterable[str]) -> None:
        """Unpin genes, however they are called; without names all of them.

        Raises
        ------
        UnknownName
            If one is not pinned; all stay then.

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
        """All gene sets by name: those made here, which can be changed, and those of the store."""
        return GeneSets(self._widget)

    @sets.setter
    def sets(self, sets: Any) -> None:
        self._widget.gene_sets = sets

    def add(self, source: str | Path, name: str | None = None) -> GeneLists:
        """Add the gene sets of a text or of a file, in place of those of the same names.

        Parameters
        ----------
        source : a GMT (in each line the name of a set, a description and genes, apart by tabs), or names of genes apart
            by spaces, commas, semicolons or new lines; or the path of a file of that
        name : of the set, where the text does not name it; None = that of the file, or a new one

        Returns
        -------
        `.sets` that were added, by name, and the `.unknown` names that were left out, of which a warning tells too

        Raises
        ------
        UnknownName, InvalidValue
            If it names no gene of the dataset, or too many, or there is no such file.

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
    """Gene sets by name; those of the store can be read and replaced, and come back when what replaced them goes.

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
        """Those made here."""
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
        """Make a set, or replace it; raises as `display.gene_sets.check_gene_sets`."""
        self._widget.gene_sets = {**self.own, name: genes}

    def __delitem__(self, name: str) -> None:
        own = self.own
        if name not in own:
            what = "is the store's own and stays" if name in self._all() else "is none of those made here"
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
    """Return the path that was given; of a text, one that names a file and cannot be a list of more than one name."""
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
            raise InvalidValue(f"{path} holds more than {_MOST_BYTES >> 20} MiB, which is no list.")
        return path.read_text(encoding="utf-8-sig", errors="replace")
    except OSError as error:
        raise InvalidValue(f"{path} cannot be read: {error.strerror or error}.") from error

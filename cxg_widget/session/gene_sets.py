"""Gene sets for the front-end: those that a pasted text holds, and those of the store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from cxg_widget.display.gene_sets import MOST_PINNED, free_name, read_lists, unknown_told
from cxg_widget.wire import protocol as p
from cxg_widget.wire.frames import Frame

if TYPE_CHECKING:
    from cxg_widget.datasets.base.dataset import Dataset
    from cxg_widget.display.settings import Settings


def gene_sets_frame(request: p.AskGenes, dataset: Dataset, settings: Settings) -> Frame:
    """Return the sets of a text, or of the store where there is none, as many of their genes as can be pinned.

    Raises
    ------
    UnknownName, InvalidValue
        If the text names no gene of the dataset, or too many.
    """
    if request.text.strip() == "":
        return Frame(p.GeneSets(_records(dataset.gene_sets, MOST_PINNED), ""))
    name = request.name.strip() or free_name({*settings.own_gene_sets, *dataset.gene_sets}, dataset)
    found = read_lists(request.text, name, dataset)
    return Frame(p.GeneSets(_records(found.sets), unknown_told(found.unknown) if found.unknown else ""))


def _records(sets: Mapping[str, Sequence[str]], most: int | None = None) -> list[dict[str, object]]:
    return [{"name": name, "n": len(genes), "genes": list(genes[:most])} for name, genes in sets.items()]

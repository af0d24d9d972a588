"""A comparison as frames: names once, numbers as float32 in the order of var, and its file."""
# Changes with cxg_widget/compare/result.py: numbers of a compared gene.
# Changes with cxg_widget/wire/messages/comparison.py: numbers of a compared gene.
# Changes with js/src/panels/compare/result.js: numbers of a compared gene.
# Changes with js/src/panels/compare/gene_columns.js: numbers of a compared gene.

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compare.result import Comparison
from cxg_widget.display.color_target import unscaled_layer
from cxg_widget.errors import InvalidValue
from cxg_widget.table.csv import csv_text
from cxg_widget.text.names import text_of
from cxg_widget.wire import protocol as p
from cxg_widget.wire.frames import Frame, cut_file

if TYPE_CHECKING:
    from cxg_widget.compare.markers import Markers
    from cxg_widget.datasets.base.dataset import Dataset
    from cxg_widget.datasets.base.var_names import VarNames

COLUMNS = (
    "mean_a", "mean_b", "share_a", "share_b", "log2fc", "statistic", "log10_p", "log10_p_adj", "auc"
)  # fmt: skip
"""Numbers sent for each gene, in addition to the number of cells."""
ROWS = 1 << 14
"""Genes per frame: half of the largest message of some hosts."""


@dataclass(frozen=True)
class ShownComparison:
    """A result to show.

    number : higher than that of all earlier results
    found : of two sets, or of each group of a column
    dataset, layer : of the compared matrix
    """

    number: int
    found: Comparison | Markers
    dataset: Dataset
    layer: str | None

    @property
    def groups(self) -> list[str]:
        """Names of the groups; empty for two sets."""
        return [] if isinstance(self.found, Comparison) else [text_of(one) for one in self.found]

    def shown(self, group: int) -> Comparison:
        """Return the comparison of a group, or of the two sets."""
        if isinstance(self.found, Comparison):
            return self.found
        return self.found[list(self.found)[max(0, min(group, len(self.found) - 1))]]


def frames_of(made: ShownComparison | None, request: p.AskComparison) -> Iterator[Frame]:
    """Yield answers about the newest result; raises as `Comparisons.frames`."""
    if request.file:
        if made is None or made.number != request.known:
            raise InvalidValue("another comparison was made meanwhile; download its file instead.")
        yield from _file(made.shown(request.group))
    elif made is None:
        nothing = p.Comparison(0, "", [], [], [], group=0, n_genes=0, start=0, parts=1, names=[], symbols=[])
        yield Frame(nothing, _arrays(np.empty((len(COLUMNS), 0)), np.empty((2, 0))))
    else:
        yield from _rows(made, request)


def _rows(made: ShownComparison, request: p.AskComparison) -> Iterator[Frame]:
    found, groups = made.shown(request.group), made.groups
    group = max(0, min(request.group, len(groups) - 1))
    is_known = request.known == made.number
    n_rows, parts = len(found), max(1, -(-len(found) // ROWS))
    values, counts = _values(found), np.stack([found._a.n, found._b.n])
    labels = [] if is_known else [text_of(one) for one in found._names]
    symbols = [] if is_known else _symbols(labels, made.dataset.names_in(made.layer))
    head = p.Comparison(
        made.number, found.description, list(found.notes), list(found.sets), groups, group, n_rows, 0, parts, [], [],
        unscaled_layer(made.dataset, made.layer) if np.isnan(found._log2fc).all() else "",
    )  # fmt: skip
    for start in range(0, max(1, n_rows), ROWS):
        rows = slice(start, start + ROWS)
        message = replace(head, start=start, names=labels[rows], symbols=symbols[rows])
        yield Frame(message, _arrays(values[:, rows], counts[:, rows]))
        head = replace(head, title="", notes=[], sets=[], groups=[])


def _values(found: Comparison) -> NDArray[np.float64]:
    a, b, tested = found._a, found._b, found._tested
    columns = {
        "mean_a": a.mean, "mean_b": b.mean, "share_a": a.share, "share_b": b.share, "log2fc": found._log2fc,
        "statistic": tested.statistic, "log10_p": tested.log10_p, "log10_p_adj": found._log10_p_adj, "auc": found._auc,
    }  # fmt: skip
    return np.stack([columns[name] for name in COLUMNS])


def _symbols(labels: list[str], names: VarNames) -> list[str]:
    """Return readable names of vars, empty if they equal those of the index."""
    aliases = names.var_aliases
    if aliases is None:
        return []
    if len(labels) == len(aliases):
        return list(map(str, aliases))
    return [str(aliases[names.find_var(one)]) for one in labels]


def _file(found: Comparison) -> Iterator[Frame]:
    """Yield the bytes that `to_csv` writes."""
    parts = cut_file(csv_text(found._table()).encode())
    for at, part in enumerate(parts):
        yield Frame(p.FigurePart(at, len(parts)), {"file": part})


def _arrays(values: NDArray[np.float64], counts: NDArray[np.float64]) -> dict[str, NDArray[np.generic]]:
    with np.errstate(over="ignore"):
        return {"values": values.astype(np.float32), "n": counts.astype(np.uint32)}

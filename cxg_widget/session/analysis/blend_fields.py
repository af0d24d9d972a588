"""Counts of the fields of two or three genes, for the legend and for `w.counts`."""
# Changes with cxg_widget/session/analysis/column_counts.py: options of counts.
# Changes with cxg_widget/color/blend.py: hues of several genes.

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from cxg_widget.cells.loader import Loader
from cxg_widget.color.blend import BLENDED, LEVELS_OF, mix_codes
from cxg_widget.display.blend_coloring import BlendColoring
from cxg_widget.display.color_target import blended_names
from cxg_widget.display.settings import Settings
from cxg_widget.errors import InvalidValue
from cxg_widget.session.analysis.meant import EVERYTHING, Population
from cxg_widget.session.display_state import DisplayState
from cxg_widget.text.names import shown
from cxg_widget.wire import protocol as p
from cxg_widget.wire.frames import Frame

if TYPE_CHECKING:
    import pandas as pd


def fields_frame(loader: Loader, display: DisplayState) -> Frame:
    """Return the number of cells of each field of the current coloring."""
    settings, mask, seqs = display.now()
    held = loader.of(settings)
    coloring = held.coloring()
    if not isinstance(coloring, BlendColoring):
        raise InvalidValue(f"fields need {BLENDED} genes with a color each; the plot shows another color.")
    fields = coloring.fields
    message = p.FieldCounts(
        seqs.color,
        blended_names(coloring.target, loader.dataset, settings.layer),
        [end for scale in coloring.scales for end in (scale.low, scale.high)],
        list(fields.words),
        LEVELS_OF[len(coloring.scales)],
    )
    counts = {"filtered": fields.count(held.filtered()), "selected": fields.count(mask)}
    arrays = {name: found[: fields.n].astype(np.uint32) for name, found in counts.items()}
    return Frame(message, {**arrays, "mixes": mix_codes(len(coloring.scales)).astype(np.uint16)})


def frame_of_fields(
    genes: Sequence[str], loader: Loader, display: DisplayState, population: Population = EVERYTHING
) -> pd.DataFrame:
    """Return the counts of the fields of some genes; as `CxgWidget.counts`."""
    settings, mask, _ = display.now()
    if len(genes) not in LEVELS_OF or not all(isinstance(gene, str) for gene in genes):
        several = f"a list of {BLENDED} {loader.dataset.var_noun.many}"
        raise InvalidValue(f"counts() takes the name of a column, or {several}; found {shown(genes)}")
    requested = replace(settings, color=tuple(genes), blend="colors")
    coloring = _read(requested, loader, is_on_show=requested.color_key == settings.color_key)
    filtered = loader.of(settings).filtered()
    masks = {
        "all": population.mask, "filtered": population.mask if filtered is None else population.of(filtered),
        "selected": population.of(mask),
    }  # fmt: skip
    return coloring.fields.frame(coloring.target.genes, masks)


def _read(requested: Settings, loader: Loader, *, is_on_show: bool) -> BlendColoring:
    """Read the coloring of some genes without dropping the current one."""
    target, dataset = loader.target(requested), loader.dataset
    if loader.is_elsewhere:
        genes, cells = dataset.var_noun.many, dataset.obs_noun.many
        raise InvalidValue(
            f"counts() of several {genes} is not for {cells} that Dask's workers hold; count one at a time."
        )
    found = loader.of(requested).coloring() if is_on_show else None
    if isinstance(found, BlendColoring):
        return found
    return BlendColoring.of_vectors(
        target, dataset.vectors(target.genes, requested.layer), dataset.n_obs, requested.color_rule
    )
